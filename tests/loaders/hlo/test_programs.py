"""A trace of a JAX program in tests/data: all views without JAX, and what is wrong in a program."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import tfprof
from tfprof.loaders.hlo.module import Module
from tfprof.loaders.hlo.trip_counts import trip_count
from tfprof.protos.hlo_pb2 import HloInstruction, HloProto
from tfprof.protos.xplane_pb2 import XSpace

ROOT = Path(__file__).parent.parent.parent.parent
FILE = ROOT / "tests" / "data" / "jax" / "train.xplane.pb"
WEIGHTS = 64 * 256 + 256 * 128 + 128 * 10
MACS = 32 * (3 * WEIGHTS - 64 * 256)


def test_four_views_without_jax_and_tensorflow() -> None:
    program = f"""
import sys
sys.modules["jax"] = sys.modules["tensorflow"] = None
import tfprof
profile = tfprof.load({str(FILE)!r})
for view in ("scope", "graph", "op", "code"):
    print(profile.report(view, select=["micros", "params", "macs"], max_depth=9).text())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "train.py:9:loss_fn (gradient)" in done.stdout
    assert "jit_train_step/backward/layer1/" in done.stdout


def test_numbers() -> None:
    profile = tfprof.load(FILE)
    assert profile.steps == (0, 1, 2)
    for view in ("scope", "code"):
        total = profile.report(view, select=["params", "macs"], step=1).root.total
        assert total["macs"] == MACS
        assert total["parameters"] == WEIGHTS + 256 + 128
    by_type = profile.report("op", select=["macs"], account_type_regexes=["dot_general"], step=1)
    # The gradient of a weight is a transposed matmul.
    assert MACS / 2 < by_type.root.total["macs"] < MACS


def test_memory_is_that_of_the_buffer_assignment() -> None:
    profile = tfprof.load(FILE)
    report = profile.report("op", select=["bytes", "residual_bytes", "output_bytes"], step=1)
    total = report.root.total
    results = 4 * (1 + WEIGHTS + 256 + 128)
    assert results <= total["residual_bytes"] < results + 1000
    assert total["requested_bytes"] > total["residual_bytes"]
    assert total["output_bytes"] > results


def _changed(change: bytes | HloProto) -> bytes:
    space = XSpace.FromString(FILE.read_bytes())
    data = change if isinstance(change, bytes) else change.SerializeToString()
    for plane in space.planes:
        for entry in plane.event_metadata.values():
            for stat in entry.stats:
                if stat.bytes_value:
                    stat.bytes_value = data
    return space.SerializeToString()


def _program() -> HloProto:
    space = XSpace.FromString(FILE.read_bytes())
    stats = [s for p in space.planes for e in p.event_metadata.values() for s in e.stats]
    return HloProto.FromString(next(stat.bytes_value for stat in stats if stat.bytes_value))


@pytest.mark.parametrize("change", [b"", b"\x0a\xff"])
def test_a_program_that_is_missing_is_reported(tmp_path: Path, change: bytes) -> None:
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(_changed(change))
    profile = tfprof.load(file)
    report = profile.report("op", select=["micros"])
    assert "compiled programs without HLO in this trace: 1" in report.messages
    assert report.root.total["exec_micros"] > 0
    assert profile.attributed_share == 0


def test_changed_programs_give_an_answer_or_an_error(tmp_path: Path) -> None:
    data = _program().SerializeToString()
    generator = random.Random(1)
    file = tmp_path / "host.xplane.pb"
    for _ in range(40):
        changed = bytearray(data)
        for _ in range(generator.randint(1, 3)):
            changed[generator.randrange(len(data))] = generator.randrange(256)
        file.write_bytes(_changed(bytes(changed)))
        with suppress(tfprof.TfprofError):
            profile = tfprof.load(file)
            for view in ("scope", "graph", "code"):
                select = ["micros", "params", "executed_float_ops", "live_bytes"]
                profile.report(view, select=select).text()
            profile.live_tensors()


def test_a_program_that_calls_itself_ends(tmp_path: Path) -> None:
    program = _program()
    for computation in program.hlo_module.computations:
        for item in computation.instructions:
            item.called_computation_ids[:] = [c.id for c in program.hlo_module.computations]
            item.opcode = {"fusion": "call", "dot": "copy"}.get(item.opcode, item.opcode)
            item.ClearField("metadata")
            item.operand_ids[:] = [item.id, *item.operand_ids]
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(_changed(program))
    profile = tfprof.load(file)
    assert profile.report("graph", select=["micros", "float_ops"]).root.total["exec_micros"] > 0


def test_a_program_with_a_number_that_is_too_long_is_missing(tmp_path: Path) -> None:
    space = XSpace.FromString(FILE.read_bytes())
    for plane in space.planes:
        for entry in plane.event_metadata.values():
            if any(stat.bytes_value for stat in entry.stats):
                entry.name = f"jit_train_step({5000 * '1'})"
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(space.SerializeToString())
    assert "compiled programs without HLO in this trace: 1" in tfprof.load(file).warnings


@pytest.mark.parametrize(
    "config", [b'{"known_trip_count": {"n": 1e999}}', b'{"known_trip_count": ' + 100_000 * b"["]
)
def test_a_trip_count_that_is_no_number_is_unknown(config: bytes) -> None:
    module = Module(HloProto())
    assert trip_count(module, HloInstruction(opcode="while", backend_config=config)) is None


def test_a_shape_that_no_machine_can_hold_has_no_size(tmp_path: Path) -> None:
    program = _program()
    for computation in program.hlo_module.computations:
        for item in computation.instructions:
            item.shape.dimensions[:] = [2**40, 2**40]
    file = tmp_path / "host.xplane.pb"
    file.write_bytes(_changed(program))
    report = tfprof.load(file).report("op", select=["output_bytes"])
    assert report.root.total["output_bytes"] == 0
