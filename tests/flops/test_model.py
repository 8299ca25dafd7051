"""The cost of odd sources: clear errors or an honest unknown, never a wrong number."""

from __future__ import annotations

import contextlib
import importlib
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

import tfprof
from tfprof.errors import LoadError, OptionError, TfprofError
from tfprof.flops.model_cost import cost
from tfprof.flops.polynomial import symbol
from tfprof.protos.graph_pb2 import DataType, FunctionDef, GraphDef, NodeDef
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.protos.saved_model_pb2 import SavedModel

B = symbol("B")
package = importlib.import_module("tfprof.flops")  # the name also stands for the function in it


def placeholder(graph: GraphDef, *sizes: int) -> None:
    node = graph.node.add(name="p", op="Placeholder")
    node.attr["dtype"].type = DataType.DT_FLOAT
    for size in sizes:
        node.attr["shape"].shape.dim.add(size=size)


def negate(node: NodeDef) -> None:
    node.op = "Neg"
    node.attr["T"].type = DataType.DT_FLOAT


def function(graph: GraphDef, name: str) -> FunctionDef:
    result = graph.library.function.add()
    result.signature.name = name
    result.signature.input_arg.add(name="x", type=DataType.DT_FLOAT)
    result.signature.output_arg.add(name="y", type=DataType.DT_FLOAT)
    return result


def chain(graph: GraphDef, name: str, length: int) -> None:
    result = function(graph, name)
    source = "x"
    for index in range(length):
        negate(result.node_def.add(name=f"n{index}", input=[source]))
        source = f"n{index}:y:0"
    result.ret["y"] = source


def test_a_body_of_many_nodes() -> None:
    graph = GraphDef()
    placeholder(graph, -1, 4)
    chain(graph, "f", 100_000)
    graph.node.add(name="c", op="f", input=["p"])
    assert cost(graph).float_ops == 400_000 * B


def test_a_thousand_calls_cost_one() -> None:
    graph = GraphDef()
    placeholder(graph, 4)
    chain(graph, "f", 2_000)
    for index in range(1_000):
        graph.node.add(name=f"c{index}", op="f", input=["p"])
    result = cost(graph)
    assert result.float_ops == 1_000 * 2_000 * 4


def test_calls_within_calls() -> None:
    depth = 3_000
    graph = GraphDef()
    placeholder(graph, 4)
    for index in range(depth):
        result = function(graph, f"f{index}")
        node = result.node_def.add(name="c", op=f"f{index + 1}", input=["x"])
        if index == depth - 1:
            negate(node)
        result.ret["y"] = "c:y:0"
    graph.node.add(name="c", op="f0", input=["p"])
    assert cost(graph).float_ops == 4


def test_a_power_of_two_of_calls() -> None:
    graph = GraphDef()
    placeholder(graph, 4)
    for index in range(60):
        result = function(graph, f"f{index}")
        for name, source in (("a", "x"), ("b", "a:y:0")):
            node = result.node_def.add(name=name, op=f"f{index + 1}", input=[source])
            if index == 59:
                negate(node)
        result.ret["y"] = "b:y:0"
    graph.node.add(name="c", op="f0", input=["p"])
    made_cost = cost(graph)
    assert made_cost.float_ops == 4 * 2**60
    with pytest.raises(LoadError, match="too many to list"):
        next(made_cost.nodes())


def test_recursion_and_missing_functions_are_unknown() -> None:
    graph = GraphDef()
    placeholder(graph, 4)
    result = function(graph, "f")
    negate(result.node_def.add(name="a", input=["x"]))
    result.node_def.add(name="b", op="f", input=["a:y:0"])
    result.ret["y"] = "b:y:0"
    graph.node.add(name="c", op="f", input=["p"])
    call = graph.node.add(name="d", op="PartitionedCall", input=["p"])
    call.attr["f"].func.name = "absent"
    negate(graph.node.add(name="after", input=["c"]))
    made_cost = cost(graph)
    assert made_cost.float_ops == 4
    assert made_cost.ledger.unknown_ops == {"f": 1, "PartitionedCall": 1, "Neg": 1}
    assert set(made_cost.ledger.notes) == {
        "function 'f' calls itself",
        "function 'absent' is not in the library",
    }


def test_stated_shapes_win_over_the_rules() -> None:
    graph = GraphDef()
    placeholder(graph, 4)
    negate(graph.node.add(name="a", input=["p"]))
    graph.node[1].attr["_output_shapes"].list.shape.add().dim.add(size=5)
    result = cost(graph)
    assert result.float_ops == 5
    assert result.ledger.notes == ("contradictory shapes at a: those of the graph are used",)


def test_no_formula_is_unknown() -> None:
    graph = GraphDef()
    placeholder(graph, 4)
    graph.node.add(name="a", op="SomebodysOp", input=["p"]).attr["T"].type = DataType.DT_FLOAT
    result = cost(graph)
    assert result.ledger.reasons == {"no formula": 1}
    assert not result.ledger.complete
    assert result.explain("a").splitlines()[1] == "  unknown: no formula"


def test_empty_graph() -> None:
    result = cost(GraphDef())
    assert (result.float_ops, result.params, result.ledger.nodes) == (0, 0, 0)
    assert result.ledger.complete


def test_binding() -> None:
    graph = GraphDef()
    placeholder(graph, -1, -1)
    negate(graph.node.add(name="a", input=["p"]))
    result = cost(graph)
    assert result.symbols == {"B": "batch size", "T": "size of input 'p' along axis 1"}
    assert result.float_ops == B * symbol("T")
    assert cost(graph, bind={"B": 3, "T": 5}).float_ops == 15
    half = result.bind(B=3)
    assert half.float_ops == 3 * symbol("T")
    assert half.bind(T=5).symbols == {}
    with pytest.raises(OptionError, match="cannot bind 'C': the symbols of this model are B, T"):
        result.bind(C=1)
    with pytest.raises(OptionError, match="a size of 1 or more is needed"):
        result.bind(B=0)


def test_symbols_that_must_be_equal() -> None:
    graph = GraphDef()
    for name in "pqr":
        placeholder(graph, 2, -1)
        graph.node[-1].name = name
    for name, left, right in (("s", "q", "p"), ("t", "r", "q"), ("u", "p", "r")):
        node = graph.node.add(name=name, op="AddV2", input=[left, right])
        node.attr["T"].type = DataType.DT_FLOAT
    result = cost(graph)
    (name,) = result.symbols
    assert result.float_ops == 3 * 2 * symbol(name)
    assert len(result.ledger.notes) == 2
    assert all("are taken to be equal" in note for note in result.ledger.notes)
    assert result.bind(**{name: 5}).float_ops == 30
    assert result.bind(**{"p.1": 5, "q.1": 5, "r.1": 5}).float_ops == 30
    with pytest.raises(OptionError, match="is taken to be equal to"):
        result.bind(**{"p.1": 5, "q.1": 6})


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (3, "no cost of type int"),
        ("/nowhere", "no such file"),
        (b"\xff\xff", "not a GraphDef"),
        (SavedModel(), "without a graph"),
        (NodeDef(), "no cost of a NodeDef message"),
    ],
)
def test_not_a_source(source: Any, text: str) -> None:
    with pytest.raises(TfprofError, match=text):
        cost(source)


def test_explain_needs_a_name() -> None:
    graph = GraphDef()
    placeholder(graph, 4)
    for scope in "ab":
        negate(graph.node.add(name=f"{scope}/n", input=["p"]))
    result = cost(graph)
    assert "float operations: 4 (4)" in result.explain("a/n")
    with pytest.raises(OptionError, match="2 nodes end so"):
        result.explain("n")
    with pytest.raises(OptionError, match="there is no such node"):
        result.explain("m")


@pytest.fixture(scope="module")
def saved(tf: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    class Model(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.weights = tf.Variable(tf.ones((4, 5)))
            self.same = self.weights
            self.fixed = tf.Variable(tf.ones((5,)), trainable=False)
            self.step = tf.Variable(0, trainable=False, dtype=tf.int64)

        @tf.function(input_signature=[tf.TensorSpec((None, 4), name="x")])
        def one(self, x: Any) -> Any:
            return x @ self.weights + self.fixed

        @tf.function(input_signature=[tf.TensorSpec((None, 4), name="x")])
        def two(self, x: Any) -> Any:
            return self.one(x) @ tf.ones((5, 5))

    path = tmp_path_factory.mktemp("saved")
    model = Model()
    signatures = {"one": model.one, "two": model.two}
    tf.saved_model.save(model, str(path), signatures=signatures)
    return path


def test_signatures(saved: Path) -> None:
    assert cost(saved, "one").macs == 20 * B
    result = cost(saved, signature="two")
    assert result.macs == 45 * B
    assert (result.params, result.trainable_params) == (25, 20)
    assert [variable.role for variable in result.variables].count("state") == 1
    with pytest.raises(OptionError, match="several signatures, choose one: one, two"):
        cost(saved)
    with pytest.raises(OptionError, match="no signature 'three': it has one, two"):
        cost(saved, "three")


def test_graphs_of_v1(tf: Any, tmp_path: Path) -> None:
    """A meta graph knows what is trained; a graph alone tells slots by their names."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, (None, 8), name="x")
        w = v1.get_variable("w", (8, 4))
        fixed = v1.get_variable("fixed", (4,), trainable=False)
        v1.train.AdamOptimizer().minimize(tf.reduce_sum(x @ w + fixed))
        v1.train.export_meta_graph(str(tmp_path / "model.meta"))
    (tmp_path / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
    (tmp_path / "graph.pbtxt").write_text(str(graph.as_graph_def()))

    result = cost(tmp_path / "model.meta")
    assert (result.params, result.trainable_params) == (36, 32)
    assert {v.name for v in result.variables if v.role == "slot"} == {
        "w/Adam", "w/Adam_1", "beta1_power", "beta2_power",
    }  # fmt: skip
    for name in ("graph.pb", "graph.pbtxt"):
        plain = cost(tmp_path / name)
        assert plain.params == 36
        # The gradient to x is not asked for, but v1 ties it to the one to w.
        assert plain.macs == result.macs == 3 * 8 * 4 * B
        assert cost(tmp_path / name, outputs=["add:0"]).macs == 8 * 4 * B
    (tmp_path / "graph.pbtxt").write_text("node {")
    with pytest.raises(LoadError, match=r"graph.pbtxt: not a GraphDef; 1:6"):
        cost(tmp_path / "graph.pbtxt")


def test_without_signatures(tf: Any, tmp_path: Path) -> None:
    tf.saved_model.save(tf.Module(), str(tmp_path))
    with pytest.raises(LoadError, match="has no signatures"):
        cost(tmp_path)


def test_damaged_files(saved: Path, tmp_path: Path) -> None:
    """Whatever the bytes say, an answer or an error of ours."""
    data = (saved / "saved_model.pb").read_bytes()
    rng = random.Random(0)
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(rng.choice((1, 2, 8))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        (tmp_path / "saved_model.pb").write_bytes(damaged[: rng.choice((None, -9))])
        with contextlib.suppress(TfprofError):
            assert cost(tmp_path, "two").by_scope


def test_tensorflow_is_not_imported(saved: Path) -> None:
    program = (
        "import sys; from tfprof.flops.model_cost import cost;"
        f"print(cost({str(saved)!r}, 'two').macs); assert 'tensorflow' not in sys.modules"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.returncode) == ("45·B\n", 0), run.stderr


def test_every_form_of_a_model_costs_the_same(saved: Path, tmp_path: Path) -> None:
    """The content decides, not the name: text in .pb, a MetaGraphDef in .pb, a text SavedModel."""
    model = SavedModel.FromString((saved / "saved_model.pb").read_bytes())
    expected = cost(saved, "one")
    text = text_format.MessageToString(model).encode()
    meta = model.meta_graphs[0].SerializeToString()
    (tmp_path / "saved").mkdir()
    for name, data in {
        "saved/saved_model.pbtxt": text,
        "model.pb": text,
        "binary.pb": model.SerializeToString(),
        "meta.pb": meta,
        "graph.meta": meta,
    }.items():
        (tmp_path / name).write_bytes(data)
        found = cost(tmp_path / name, "one")
        assert (found.macs, found.params) == (expected.macs, expected.params), name
    assert cost(tmp_path / "saved", "one").macs == expected.macs
    assert cost(meta, "one").macs == expected.macs


@pytest.mark.parametrize("name", ["photo.png", "parses.png", "run_meta"])
def test_unsupported_files_are_named_in_the_error(name: str, tmp_path: Path) -> None:
    run = RunMetadata(step_stats={"dev_stats": [{"device": "cpu", "node_stats": [{}, {}]}]})
    data, says = {
        "photo.png": (b"\x89PNG\r\n\x1a\n\0", "is a PNG image; give a SavedModel"),
        "parses.png": (b"\x89PNG\r\n\x1a\n000000", "is a PNG image; give a SavedModel"),
        "run_meta": (run.SerializeToString(), "is a RunMetadata, not a model; give it beside"),
    }[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LoadError, match=f"{name}: {says}"):
        cost(tmp_path / name)


def test_malformed_functions_are_left_out() -> None:
    graph = GraphDef()
    placeholder(graph, 4)
    negate(graph.node.add(name="a", input=["p"]))
    library = b"\x12\x04\x0a\x02\x0a\xff"
    report = tfprof.load(graph=graph.SerializeToString() + library).report(
        "op", select=["float_ops"]
    )
    assert report.root.total["float_ops"] == 4
