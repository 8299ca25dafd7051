"""Float operations with unknown sizes: per example or as polynomials, in every output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import tfprof
from tfprof.flops.polynomial import bind, symbol
from tfprof.outputs.terminal_report import report_lines
from tfprof.protos.graph_pb2 import DataType, GraphDef
from tfprof.protos.log_pb2 import OpLogProto
from tfprof.runtime.terminal import Terminal

B, T = symbol("B"), symbol("T")
SYMBOLIC = (
    "float_ops: in B and T (B = batch size, T = size of input 'tokens' along axis 1);"
    " give sizes with --bind B=32,T=100"
)
PER_EXAMPLE = "float_ops: per example (B = 1); give the batch size with --bind B=32"


def add(graph: GraphDef, name: str, op: str, *inputs: str) -> None:
    node = graph.node.add(name=name, op=op, input=inputs)
    node.attr["T"].type = DataType.DT_FLOAT


def placeholder(graph: GraphDef, name: str, *sizes: int) -> None:
    node = graph.node.add(name=name, op="Placeholder")
    node.attr["dtype"].type = DataType.DT_FLOAT
    for size in sizes:
        node.attr["shape"].shape.dim.add(size=size)


def linear() -> GraphDef:
    """Work for each example, and some that does not depend on the batch."""
    graph = GraphDef()
    placeholder(graph, "x", -1, 10)
    placeholder(graph, "w", 10, 10)
    add(graph, "layer/Neg", "Neg", "x")
    add(graph, "layer/Exp", "Exp", "w")
    return graph


def sequence() -> GraphDef:
    """A matmul of each token, and less work for each example."""
    graph = linear()
    placeholder(graph, "tokens", -1, -1, 4)
    add(graph, "sequence/Attention", "BatchMatMulV2", "tokens", "tokens")
    graph.node[-1].attr["adj_y"].b = True
    add(graph, "sequence/Relu", "Relu", "tokens")
    return graph


ATTENTION = 8 * B * T * T
TOTAL = ATTENTION + 4 * B * T + 10 * B + 100


def log(graph: GraphDef) -> OpLogProto:
    """A trace for each node: in one of two functions of a file."""
    message = OpLogProto()
    for node in graph.node:
        entry = message.log_entries.add(name=node.name)
        entry.code_def.traces.add(file="model.py", lineno=len(node.op), function=node.op)
    return message


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_linear_counts_are_per_example(view: str) -> None:
    graph = linear()
    profile = tfprof.load(graph=graph, op_log=log(graph))
    report = profile.report(view, select=["float_ops"], max_depth=9)
    assert report.root.total["float_ops"] == 110
    assert report.messages == (PER_EXAMPLE,)
    assert "# float_ops (per example)\n" in report.text()
    assert "# float_ops (per example)" in report._repr_html_()
    assert set(report.to_pandas()["per_example"]) == {True}
    bound = profile.replace(bind={"B": 32}).report(view, select=["float_ops"], max_depth=9)
    assert bound.root.total["float_ops"] == 420
    assert not bound.messages
    assert "# float_ops\n" in bound.text()
    assert set(bound.to_pandas()["per_example"]) == {False}


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_other_counts_are_polynomials(view: str) -> None:
    graph = sequence()
    profile = tfprof.load(graph=graph, op_log=log(graph))
    report = profile.report(view, select=["float_ops", "macs"], max_depth=9)
    assert report.root.total["float_ops"] == TOTAL
    assert report.root.total["macs"] == 4 * B * T * T
    assert report.messages == (SYMBOLIC,)
    text = report.text()
    assert "# float_ops (in B and T) | # macs (in B and T)\n" in text
    assert "8·B·T^2" in text
    assert "8·B·T^2" in report._repr_html_()
    bound = profile.replace(bind={"B": 2, "T": 3}).report(view, select=["float_ops"], max_depth=9)
    assert bound.root.total["float_ops"] == bind(TOTAL, {"B": 2, "T": 3})
    assert not bound.messages
    half = profile.replace(bind={"T": 3}).report(view, select=["float_ops"])
    assert half.root.total["float_ops"] == 72 + 12 + 10 + 100
    assert half.messages == (PER_EXAMPLE,)


def test_squares_of_the_batch_are_polynomials() -> None:
    graph = GraphDef()
    placeholder(graph, "x", -1, 10)
    add(graph, "similarity", "MatMul", "x", "x")
    graph.node[-1].attr["transpose_b"].b = True
    report = tfprof.load(graph=graph).report("op", select=["float_ops"])
    assert report.root.total["float_ops"] == 20 * B * B
    assert "in B (B = batch size)" in report.messages[0]


def test_order_minima_and_shares() -> None:
    profile = tfprof.load(graph=sequence())
    report = profile.report("op", select=["float_ops"], order_by="float_ops", min_float_ops=1)
    assert report.names[1:] == ["BatchMatMulV2", "Relu", "Exp", "Neg"]
    lines = report.text().splitlines()[1:]
    assert lines[0].split() == ["BatchMatMulV2", "8·B·T^2", "float_ops", "(100.00%,", "--%)"]
    assert lines[3].split() == ["Neg", "10·B", "float_ops", "(--%,", "--%)"]
    # As if for one example, and 100 tokens.
    few = profile.report("op", select=["float_ops"], order_by="float_ops", min_float_ops=600)
    assert few.names[1:] == ["BatchMatMulV2"]
    graph = sequence()
    del graph.node[2:4]
    del graph.node[-1]
    only = tfprof.load(graph=graph).report("op", select=["float_ops"], min_float_ops=1).text()
    assert "8·B·T^2 float_ops (100.00%, 100.00%)" in only


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_tables_have_the_text(form: str, tmp_path: Path) -> None:
    report = tfprof.load(graph=sequence()).report("op", order_by="float_ops")
    report.write(str(tmp_path / f"rows.{form}"))
    read: Any = getattr(pandas, f"read_{form}")
    frame = read(tmp_path / f"rows.{form}")
    assert frame["own_float_ops"][1] == "8·B·T^2"
    assert frame["total_float_ops"][0] == "8·B·T^2 + 4·B·T + 10·B + 100"
    assert frame["own_micros"].sum() == 0
    if form == "json":
        rows = json.loads((tmp_path / "rows.json").read_text())
        assert [row["own_float_ops"] for row in rows] == [0, "8·B·T^2", "4·B·T", 100, "10·B", 0]


def test_other_outputs(tmp_path: Path) -> None:
    profile = tfprof.load(graph=sequence())
    report = profile.report("graph", select=["float_ops"], max_depth=9)
    report.write(f"dot:outfile={tmp_path / 'x.dot'}")
    text = (tmp_path / "x.dot").read_text()
    assert 'float_ops 8·B·T^2 of 8·B·T^2" own_float_ops="8·B·T^2"' in text
    for output in ("folded", "speedscope"):
        message = r"float_ops: depends on B and T; give --bind B=…,T=…"
        with pytest.raises(tfprof.OutputError, match=message):
            report.write(f"{output}:outfile={tmp_path / output}")
        assert not (tmp_path / output).exists()


def test_messages_and_saved_profiles_have_only_numbers(tmp_path: Path) -> None:
    profile = tfprof.load(graph=sequence())
    report = profile.report("scope", select=["float_ops"], max_depth=9)
    assert report.proto().total_float_ops == 0  # type: ignore[attr-defined]
    saved = tfprof.load(profile=profile.serialize()).report("scope", max_depth=9)
    assert saved["layer/Exp"].own["float_ops"] == 100
    assert saved["layer/Neg"].own["float_ops"] == 10
    assert saved["sequence/Attention"].own["float_ops"] == 0
    profile.save_tables(tmp_path)
    tables = tfprof.Profile.from_tables(tmp_path).report("scope", select=["float_ops"])
    assert tables.root.total["float_ops"] == TOTAL


def test_an_op_log_wins_for_its_node() -> None:
    log = OpLogProto()
    log.log_entries.add(name="sequence/Attention", float_ops=7)
    report = tfprof.load(graph=sequence(), op_log=log).report("op", select=["float_ops"])
    assert report.root.total["float_ops"] == TOTAL - ATTENTION + 7


def test_rows_have_python_numbers() -> None:
    report = tfprof.load(graph=linear()).report("scope", max_depth=9)
    assert {type(value) for row in report for value in row.own.values()} == {int}
    assert not isinstance(report.root.total["float_ops"], np.generic)


def test_summaries() -> None:
    graph = sequence()
    summary = tfprof.load(graph=graph, op_log=log(graph)).summary()
    text = summary.text()
    assert "8·B·T^2 + 4·B·T + 10·B + 100; in B and T (B = batch size" in " ".join(text.split())
    assert summary.to_dict()["float_ops"] == "8·B·T^2 + 4·B·T + 10·B + 100"
    for ranking in (summary.op_types, summary.lines_of_code):
        assert [entry.value for entry in ranking.entries][:2] == [ATTENTION, 4 * B * T]
    assert summary.scopes.entries[0].name == "sequence/Attention"
    assert json.loads(summary.json())["op_types"][0]["value"] == "8·B·T^2"


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_terminals(view: str) -> None:
    graph = sequence()
    report = tfprof.load(graph=graph, op_log=log(graph)).report(
        view, select=["float_ops"], max_depth=9
    )
    lines = list(report_lines(report, Terminal(width=100, bars=True)))
    text = "\n".join("".join(span.text for span in line) for line in lines)
    assert "# float_ops (in B and T)" in text
    assert "8·B·T^2" in text
