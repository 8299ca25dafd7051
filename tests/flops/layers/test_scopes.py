"""Layers by name scopes and variables, in graphs made by hand."""

from __future__ import annotations

import contextlib
import random
import shutil
from pathlib import Path

import pytest

import tfprof
from tfprof.errors import TfprofError
from tfprof.flops.layer_table import Layer
from tfprof.protos.graph_pb2 import DataType, GraphDef
from tfprof.protos.saved_model_pb2 import SavedModel

DATA = Path(__file__).resolve().parents[2] / "data" / "keras_2"
FLOAT = DataType.DT_FLOAT


class Model:
    """A chain of matmuls and other nodes on vectors of size 4."""

    def __init__(self) -> None:
        self.saved = SavedModel()
        self.meta = self.saved.meta_graphs.add()
        self.graph: GraphDef = self.meta.graph_def
        x = self.graph.node.add(name="x", op="Placeholder")
        x.attr["dtype"].type = FLOAT
        for size in (-1, 4):
            x.attr["shape"].shape.dim.add(size=size)
        self.last = "x"
        self.variables: list[str] = []

    def matmul(self, scope: str, variable: str) -> None:
        """A node that reads a variable of 16 elements."""
        if variable not in self.variables:
            self.variables.append(variable)
            handle = self.graph.node.add(name=variable, op="VarHandleOp")
            handle.attr["dtype"].type = FLOAT
            handle.attr["shared_name"].s = variable.encode()
            for size in (4, 4):
                handle.attr["shape"].shape.dim.add(size=size)
        read = self.graph.node.add(name=f"{scope}/ReadVariableOp", op="ReadVariableOp")
        read.input.append(variable)
        read.attr["dtype"].type = FLOAT
        self.node(f"{scope}/MatMul", "MatMul", read.name)

    def node(self, name: str, op: str, *inputs: str) -> None:
        node = self.graph.node.add(name=name, op=op, input=[self.last, *inputs])
        node.attr["T"].type = FLOAT
        self.last = name

    def export(self, path: Path) -> Path:
        """A SavedModel as `model.export` writes it."""
        objects = self.meta.object_graph_def
        root = objects.nodes.add()
        lists = ("variables", "trainable_variables", "non_trainable_variables")
        for name in lists:
            root.children.add(local_name=name, node_id=len(objects.nodes))
            objects.nodes.add()
        for index, variable in enumerate(self.variables):
            for listed in (1, 2):
                child = objects.nodes[listed].children.add(local_name=str(index))
                child.node_id = len(objects.nodes)
            saved = objects.nodes.add().variable
            saved.name, saved.dtype, saved.trainable = variable, FLOAT, True
            for size in (4, 4):
                saved.shape.dim.add(size=size)
        signature = self.meta.signature_def["serving_default"]
        signature.inputs["x"].name = "x:0"
        signature.inputs["x"].tensor_shape.CopyFrom(self.graph.node[0].attr["shape"].shape)
        signature.outputs["y"].name = f"{self.last}:0"
        path.mkdir(exist_ok=True)
        (path / "saved_model.pb").write_bytes(self.saved.SerializeToString())
        return path


def _names(rows: tuple[Layer, ...]) -> list[tuple[str, int, int]]:
    return [(row.name, row.params, row.calls) for row in rows]


def test_scopes_of_calls(tmp_path: Path) -> None:
    """Keras opens a scope to build and one to call; TensorFlow makes each unique."""
    model = Model()
    model.matmul("net_1/dense_1", "net/dense/kernel")
    model.matmul("net_1/dense_1_2", "net/dense_1/kernel")
    model.node("net_1/re_lu_1/Relu", "Relu")
    model.matmul("net_1/dense_3", "net/dense/kernel")
    table = tfprof.model(model.export(tmp_path))
    assert _names(table.layers) == [("dense", 16, 2), ("dense_1", 16, 1), ("re_lu", 0, 1)]
    assert [row.float_ops for row in table.layers] == [64, 32, 4]
    assert [row[-1] for row in table.cells(1)] == ["calls", "2", "1", "1"]


def test_scopes_of_operations_are_outside(tmp_path: Path) -> None:
    model = Model()
    model.matmul("net_1/dense_1", "net/dense/kernel")
    model.node("net_1/moments/Relu", "Relu")
    model.node("net_1/moments_1/Relu", "Relu")
    model.node("net_1/Relu_1", "Relu")
    model.node("net_1/Relu_1/inner/Neg", "Neg")
    model.matmul("net_1/dense_1_2", "net/dense_1/kernel")
    table = tfprof.model(model.export(tmp_path))
    outside = ("(outside layers)", 0, 1)
    assert _names(table.layers) == [("dense", 16, 1), ("dense_1", 16, 1), outside]
    assert table.layers[-1].float_ops == 16
    # Each is called once.
    assert [row[-1] for row in table.cells(1)] == ["share", "40.0%", "40.0%", "20.0%"]


def test_equal_names_with_other_variables_are_other_layers(tmp_path: Path) -> None:
    model = Model()
    model.matmul("net_1/dense_1", "a")
    model.matmul("net_1/dense_3", "b")
    table = tfprof.model(model.export(tmp_path))
    assert _names(table.layers) == [("dense", 16, 1), ("dense", 16, 1)]


def test_variables_say_what_the_order_of_layers_is(tmp_path: Path) -> None:
    """A subclassed model lists its layers as it made them."""
    model = Model()
    model.variables = ["net/last/kernel"]
    for name in model.variables:
        handle = model.graph.node.add(name=name, op="VarHandleOp")
        handle.attr["shared_name"].s = name.encode()
        handle.attr["dtype"].type = FLOAT
        handle.attr["shape"].shape.dim.add(size=4)
        handle.attr["shape"].shape.dim.add(size=4)
    model.matmul("net_1/first_1", "net/first/kernel")
    model.node("net_1/free_1/Relu", "Relu")
    model.matmul("net_1/last_1", "net/last/kernel")
    table = tfprof.model(model.export(tmp_path))
    assert [row.name for row in table.layers] == ["last", "first", "free"]


def test_a_nested_model_only_calls_layers(tmp_path: Path) -> None:
    model = Model()
    for number in (1, 3):
        model.matmul(f"net_1/tower_{number}/a_1", "tower/a/kernel")
        model.matmul(f"net_1/tower_{number}/b_1", "tower/b/kernel")
    model.matmul("net_1/block_1/c_1", "block/c/kernel")
    model.matmul("net_1/block_1/d_1", "block/d/kernel")
    model.node("net_1/block_1/Neg", "Neg")
    table = tfprof.model(model.export(tmp_path))
    tower, a, b, block = table.layers
    assert (tower.children, tower.params, tower.calls, tower.depth) == (("a", "b"), 32, 2, 1)
    assert [(a.parent, a.calls, a.depth), (b.parent, b.calls, b.depth)] == [("tower", 2, 2)] * 2
    assert (block.name, block.children, block.params) == ("block", (), 32)
    assert tower.float_ops == a.float_ops + b.float_ops


def test_children_are_those_of_the_next_level(tmp_path: Path) -> None:
    model = Model()
    for layer in ("a", "b"):
        model.matmul(f"net_1/outer_1/inner_1/{layer}_1", f"outer/inner/{layer}/kernel")
    model.matmul("net_1/outer_1/c_1", "outer/c/kernel")
    table = tfprof.model(model.export(tmp_path))
    children = {row.name: row.children for row in table.layers}
    assert children == {
        "outer": ("inner", "c"), "inner": ("a", "b"), "a": (), "b": (), "c": (),
    }  # fmt: skip


def test_weights_of_the_model_itself(tmp_path: Path) -> None:
    model = Model()
    model.matmul("net_1/dense_1", "net/dense/kernel")
    model.matmul("net_1", "net/scale")
    table = tfprof.model(model.export(tmp_path))
    assert _names(table.layers) == [("dense", 16, 1), ("(outside layers)", 16, 1)]


def test_models_in_models_without_end(tmp_path: Path) -> None:
    model = Model()
    scope = "net_1"
    for _ in range(300):
        model.matmul(f"{scope}/a_1", "w")
        scope += "/b_1"
    table = tfprof.model(model.export(tmp_path))
    assert max(row.depth for row in table.layers) == 100
    rows = [row for row in table.layers if not row.children]
    assert sum(row.float_ops for row in rows) == 300 * 32


def test_a_graph_alone_has_scopes(tmp_path: Path) -> None:
    model = Model()
    model.matmul("net/block_1", "net/block_1/w")
    model.matmul("net/block_2", "net/block_2/w")
    model.node("net/Neg", "Neg")
    (tmp_path / "graph.pb").write_bytes(model.graph.SerializeToString())
    table = tfprof.model(tmp_path / "graph.pb")
    names = [("block_1", 16, 1), ("block_2", 16, 1), ("(outside layers)", 0, 1)]
    assert _names(table.layers) == names


def test_no_float_operations(tmp_path: Path) -> None:
    """Nothing is divided by nothing."""
    graph = GraphDef()
    assert tfprof.model(graph).layers == ()
    graph.node.add(name="a/b", op="NoOp")
    graph.node.add(name="w", op="VarHandleOp").attr["dtype"].type = FLOAT
    graph.node[1].attr["shape"].shape.dim.add(size=3)
    table = tfprof.model(graph)
    assert [(row.name, row.params, row.share) for row in table.layers] == [
        ("(outside layers)", 3, 0)
    ]
    assert "parameters        3" in table.text()


def test_explain(tmp_path: Path) -> None:
    model = Model()
    model.matmul("net_1/tower_1/a_1", "tower/a/kernel")
    model.matmul("net_1/tower_1/b_1", "tower/b/kernel")
    model.matmul("net_1/dense_1", "dense/kernel")
    table = tfprof.model(model.export(tmp_path))
    whole = table.explain("tower")
    assert whole.splitlines()[:4] == [
        "layer tower (MatMul)",
        "  output: (None, 4)",
        "  parameters: 32 (32 trainable)",
        "  float operations per example: 64",
    ]
    assert "  net_1/tower_1/a_1/MatMul = MatMul: 32" in whole
    assert table.explain("tower/a").startswith("layer a of tower (MatMul)\n")
    assert table.explain("net_1/dense_1/MatMul").startswith("net_1/dense_1/MatMul = MatMul\n")
    assert table.explain("dense_1/MatMul") == table.explain("net_1/dense_1/MatMul")
    with pytest.raises(TfprofError, match=r"3 nodes end so, such as 'net_1/tower_1/a_1/MatMul'"):
        table.explain("MatMul")
    with pytest.raises(TfprofError, match=r"no such node; did you mean 'net_1/dense_1/MatMul'"):
        table.explain("dense_1/mat")
    with pytest.raises(TfprofError, match=r"no such node or layer; did you mean 'dense'\?"):
        table.explain("dens")


def test_explain_says_which_nodes_are_unknown(tmp_path: Path) -> None:
    model = Model()
    model.matmul("net_1/dense_1", "dense/kernel")
    model.node("net_1/dense_1/Custom", "Custom")
    table = tfprof.model(model.export(tmp_path))
    assert table.explain("dense").splitlines()[4:] == [
        "  net_1/dense_1/MatMul = MatMul: 32",
        "  net_1/dense_1/Custom = Custom: no formula",
        "  1 nodes that cost nothing",
    ]


def test_work_is_that_of_one_example_or_of_a_batch(tmp_path: Path) -> None:
    model = Model()
    model.matmul("net_1/dense_1", "net/dense/kernel")
    path = model.export(tmp_path)
    for options, title, float_ops in (
        ({}, "FLOPs per example", 32),
        ({"batch": 3}, "FLOPs", 96),
        ({"bind": {"B": 5}}, "FLOPs", 160),
        ({"batch": 3, "bind": {"B": 5}}, "FLOPs", 96),
    ):
        table = tfprof.model(path, **options)
        assert (table.cells(1)[0][4], table["dense"].float_ops) == (title, float_ops)


def test_constants_are_the_parameters_of_a_frozen_model(tmp_path: Path) -> None:
    model = Model()
    for layer in ("a", "b"):
        weights = model.graph.node.add(name=f"{layer}/w", op="Const")
        weights.attr["dtype"].type = FLOAT
        weights.attr["value"].tensor.dtype = FLOAT
        weights.attr["value"].tensor.float_val.append(1)
        for size in (4, 4):
            weights.attr["value"].tensor.tensor_shape.dim.add(size=size)
        model.node(f"{layer}/MatMul", "MatMul", weights.name)
    table = tfprof.model(model.graph)
    assert _names(table.layers) == [("a", 16, 1), ("b", 16, 1)]


@pytest.mark.parametrize("name", ["frozen_backbone", "shared"])
def test_damaged_models(tmp_path: Path, name: str) -> None:
    """Whatever the bytes say, a table that adds up or an error of ours."""
    path = Path(shutil.copytree(DATA / name, tmp_path / "model"))
    whole = {file: file.read_bytes() for file in path.glob("*.pb")}
    rng = random.Random(0)
    for _ in range(60):
        for file, data in whole.items():
            damaged = bytearray(data)
            for _ in range(rng.choice((0, 1, 4))):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            file.write_bytes(damaged)
        with contextlib.suppress(TfprofError):
            table = tfprof.model(path)
            rows = [row for row in table.layers if not row.children]
            assert sum(row.params for row in rows) >= table.cost.params
            assert table.text(None)


def test_objects_that_refer_at_random(tmp_path: Path) -> None:
    path = Path(shutil.copytree(DATA / "frozen_backbone", tmp_path / "model"))
    data = (path / "saved_model.pb").read_bytes()
    rng = random.Random(1)
    for _ in range(40):
        model = SavedModel.FromString(data)
        objects = model.meta_graphs[0].object_graph_def
        for node in objects.nodes:
            for child in node.children:
                if rng.random() < 0.1:
                    child.node_id = rng.randrange(-3, len(objects.nodes) + 3)
        (path / "saved_model.pb").write_bytes(model.SerializeToString())
        with contextlib.suppress(TfprofError):
            assert tfprof.model(path).text(None)
