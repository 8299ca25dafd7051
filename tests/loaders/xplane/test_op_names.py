"""Names of ops that Python runs one by one: those that a capture gave them."""

from __future__ import annotations

from pathlib import Path

import tfprof
from tests.loaders.traces.test_read_trace import rows
from tests.loaders.xplane.traces import Maker


def _add(maker: Maker, line: object, op: str, first: float) -> None:
    """An eager op of 2 microseconds."""
    maker.event(line, f"EagerLocalExecute: {op}", first, first + 4)
    maker.event(line, "EagerKernelExecute", first + 1, first + 3)


def test_nodes_of_a_capture(tmp_path: Path) -> None:
    maker = Maker()
    python, other = maker.line("python"), maker.line("python/2")
    maker.event(python, "EagerNode: MatMul_2", 0, 9)
    _add(maker, python, "MatMul", 1)
    # A matmul of a variable reads it first.
    maker.event(python, "EagerNode: MatMul_1", 10, 29)
    _add(maker, python, "ReadVariableOp", 11)
    _add(maker, python, "MatMul", 20)
    # What C++ runs by itself, and what another thread runs meanwhile, has no node.
    _add(maker, python, "MatMul", 30)
    _add(maker, other, "Relu", 2)
    found = {node: row for (_, node), row in rows(tfprof.load(maker.write(tmp_path))).items()}
    assert found == {
        "eager/MatMul": (2, 1),
        "eager/MatMul_2": (2, 1),
        "eager/MatMul_1": (2, 1),
        "eager/MatMul_1/ReadVariableOp": (2, 1),
        "eager/Relu": (2, 1),
    }
    report = tfprof.load(tmp_path).report("op", select=["micros"])
    assert report["MatMul"].own["exec_micros"] == 6
    assert report["ReadVariableOp"].own["exec_micros"] == 2
