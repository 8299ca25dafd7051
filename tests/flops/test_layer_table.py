"""The texts of the layer table."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tfprof
from tests.robustness.hostile_graphs import counting_loop
from tfprof.errors import OutputError
from tfprof.flops.layer_table import ModelTable, _shorten
from tfprof.protos.graph_pb2 import DataType, GraphDef
from tfprof.protos.run_metadata_pb2 import RunMetadata


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("(1, 2)", "(1, 2)"),
        ("[(1), ?, (3), (4)]", "[(1), ?, (3), (4)]"),
        ("[(1), ?, (3), (4), (5)]", "[(1), ?, (3), … 2 more]"),
        ("[(1), ?, (3), (4), (5), (6)]", "[(1), ?, (3), … 3 more]"),
    ],
)
def test_of_many_shapes_the_first_are_shown(output: str, text: str) -> None:
    assert _shorten(output) == text


@pytest.fixture(scope="module")
def table() -> ModelTable:
    """Two layers that work, and a node whose work is unknown."""
    graph = GraphDef()
    for name, op, inputs, shape in (
        ("x", "Placeholder", [], [-1, 4]),
        ("dense/kernel", "VariableV2", [], [4, 3]),
        ("dense/MatMul", "MatMul", ["x", "dense/kernel"], []),
        ("block/kernel", "VariableV2", [], [3, 2]),
        ("block/MatMul", "MatMul", ["dense/MatMul", "block/kernel"], []),
        ("block/Odd", "NoSuchOp", ["block/MatMul"], []),
        ("block/Relu", "Relu", ["block/MatMul"], []),
        ("block/Identity", "Identity", ["block/Relu"], []),
    ):
        node = graph.node.add(name=name, op=op, input=inputs)
        node.attr["dtype"].type = node.attr["T"].type = DataType.DT_FLOAT
        for size in shape:
            node.attr["shape"].shape.dim.add(size=size)
    return tfprof.model(graph)


def _nested(table: ModelTable) -> ModelTable:
    """The second layer is a model that has the first one, called twice."""
    first, second = table.layers
    inner = replace(first, depth=2, parent="block", calls=2)
    return ModelTable(
        (second, inner, replace(inner, name="other", params=0, share=0.0)), table.cost
    )


def test_text(table: ModelTable) -> None:
    assert table.text().splitlines()[:5] == [
        "layer  type         output shape  params  FLOPs per example  MACs  share",
        "------------------------------------------------------------------------",
        "dense  MatMul       (None, 3)         12                 24    12  63.2%",
        "block  MatMul+Relu  (None, 2)          6                 14     6  36.8%",
        "",
    ]
    assert table.text().endswith("(no formula)\n")


def test_text_of_nested_models(table: ModelTable) -> None:
    nested = _nested(table)
    note = "2 rows of nested models not shown; to see all: --depth 2"
    assert nested.notes(1) == [note]
    assert nested.notes(2) == nested.notes(None) == []
    assert note in nested.text().splitlines()
    assert ModelTable(nested.layers[:2], table.cost).notes(1) == [note.replace("2 rows", "1 row")]
    assert ModelTable((), table.cost).notes(1) == ["no layer has parameters or float operations"]
    assert [row[0] for row in nested.cells(1)] == ["layer", "block"]
    assert "calls" not in nested.cells(1)[0]
    assert [(row[0], row[3], row[-2], row[-1]) for row in nested.cells(None)] == [
        ("layer", "params", "share", "calls"),
        ("block", "6", "36.8%", "1"),
        ("  dense", "12", "63.2%", "2"),
        ("  other", "", "", "2"),
    ]


def test_rows_by_name_and_as_dicts(table: ModelTable) -> None:
    assert (len(table), [layer.name for layer in table]) == (2, ["dense", "block"])
    assert table["dense"] is table.layers[0]
    twice = ModelTable((*table.layers, replace(table.layers[0], params=7)), table.cost)
    assert twice["dense"].params == 12
    with pytest.raises(KeyError, match="did you mean 'dense'"):
        table["dens"]
    assert [row["name"] for row in table.records()] == ["dense", "block"]
    assert table.summary().startswith("2 layers; ")
    nested = _nested(table)
    assert [len(nested.to_dict(depth)["layers"]) for depth in (1, 2, None)] == [1, 3, 3]
    assert nested.to_dict()["layers"][1]["float_ops"] == 24


def test_dicts_of_layers_of_a_long_name_are_refused(table: ModelTable) -> None:
    """Each layer has the name of its model, which a file has once."""
    inner = replace(table.layers[0], parent="m" * 20_000)
    assert ModelTable((inner,) * 500, table.cost).to_dict()
    with pytest.raises(OutputError, match="names of layers"):
        ModelTable((inner,) * 2000, table.cost).to_dict()


def test_explained_layers(table: ModelTable) -> None:
    assert table.explain("block").splitlines() == [
        "layer block (MatMul+Relu)",
        "  output: (None, 2)",
        "  parameters: 6 (6 trainable)",
        "  float operations per example: 14",
        "  block/MatMul = MatMul: 12",
        "  block/Relu = Relu: 2",
        "  block/Odd = NoSuchOp: no formula",
        "  1 nodes that cost nothing",
    ]
    assert table.explain("dense/MatMul").startswith("dense/MatMul")
    assert table.explain("Odd").startswith("block/Odd")
    with pytest.raises(tfprof.OptionError, match="no such node or layer; did you mean 'dense'"):
        table.explain("dens")
    with pytest.raises(tfprof.OptionError, match="cannot explain 'nothing'"):
        table.explain("nothing")


def test_explained_layers_of_nested_models(table: ModelTable) -> None:
    nested = _nested(table)
    for name in ("dense", "block/dense"):
        assert nested.explain(name).startswith("layer dense of block (MatMul), called 2 times\n")
    without = replace(table.layers[0], output="", type="")
    lines = ModelTable((without,), table.cost).explain("dense").splitlines()
    assert lines[:2] == ["layer dense", "  output: none"]


def test_run_metadata_says_how_often_loops_run() -> None:
    graph = counting_loop()
    limit = next(node for node in graph.node if node.name == "limit")
    limit.op = "Placeholder"
    del limit.attr["value"]
    run = RunMetadata()
    device = run.step_stats.dev_stats.add(device="/cpu:0")
    for name, runs in (("i_next", 3), ("m_next", 3), ("m_relu", 3), ("cond", 4), ("less", 4)):
        for start in range(runs):
            device.node_stats.add(node_name=name, all_start_micros=start + 1, op_end_rel_micros=1)
    (symbolic,) = tfprof.model(graph).layers
    (recorded,) = tfprof.model(graph, run_meta=run).layers
    assert (str(symbolic.float_ops), recorded.float_ops) == ("4·T", 3 * 4)
