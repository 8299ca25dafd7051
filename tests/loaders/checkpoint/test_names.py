"""Names of checkpoint keys: identity for old savers, through the object graph for new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint import Slot, TensorInfo, open_checkpoint
from tfprof.loaders.checkpoint.names import object_names, plain_names
from tfprof.protos.saved_model_pb2 import TrackableObjectGraph

from .conftest import SaveV1

VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def test_old_saver_has_names_as_keys(save_v1: SaveV1, tmp_path: Path) -> None:
    for path in save_v1(tmp_path, sharded=False):
        ours = open_checkpoint(path)
        assert ours.names == {key: key for key in ours.tensors}
        assert ours.slots["net/bias/Adam_1"] == Slot("net/bias", "Adam_1")
        assert ours.slots["net/grid/Adam"] == Slot("net/grid", "Adam")
        assert len(ours.slots) == 4


def test_a_smaller_neighbour_is_no_slot() -> None:
    shapes: dict[str, tuple[int, ...]] = {"a": (2,), "a/Adam": (2,), "a/count": (), "b/Adam": (2,)}
    tensors = {key: TensorInfo(key, "float32", shape, 8) for key, shape in shapes.items()}
    assert plain_names(tensors).slots == {"a/Adam": Slot("a", "Adam")}


def test_object_based(slots: Path) -> None:
    ours = open_checkpoint(slots)
    assert list(ours.names) == list(ours.tensors)
    assert ours.names == {
        "net/first" + VALUE: "net/first",  # two are called `bias`
        "net/second" + VALUE: "net/second",
        "net/kernel" + VALUE: "dense/kernel",
        "net/first/.OPTIMIZER_SLOT/optimizer/m" + VALUE: "net/first/m",
        "net/first/.OPTIMIZER_SLOT/optimizer/v" + VALUE: "net/first/v",
        "net/kernel/.OPTIMIZER_SLOT/optimizer/m" + VALUE: "dense/kernel/m",
        "net/kernel/.OPTIMIZER_SLOT/optimizer/v" + VALUE: "dense/kernel/v",
        "net/table/a.Sb..c" + VALUE: "net/table/a/b.c",
        "optimizer/beta1_power" + VALUE: "beta1_power",
        "optimizer/beta2_power" + VALUE: "beta2_power",
        "save_counter" + VALUE: "save_counter",
    }
    key = "net/kernel/.OPTIMIZER_SLOT/optimizer/v" + VALUE
    assert ours.slots[key] == Slot("dense/kernel", "v")
    assert len(ours.slots) == 4


def test_keras_3(keras_model: Path) -> None:
    ours = open_checkpoint(keras_model)
    variables = {f"net/{layer}/{name}" for layer in ("dense", "dense_1") for name in
                 ("kernel", "bias")}  # fmt: skip
    slots = {f"{name}/{slot}" for name in variables for slot in ("momentum", "velocity")}
    assert set(ours.names.values()) == variables | slots | {"adam/iteration", "adam/learning_rate"}
    assert {ours.names[key] for key in ours.slots} == slots


def graph_of(*nodes: tuple[str, str]) -> TrackableObjectGraph:
    """A graph of variables by key and name below one optimizer, whose variables they are."""
    graph = TrackableObjectGraph()
    optimizer, tracked = graph.nodes.add(), graph.nodes.add()
    optimizer.children.add(node_id=1, local_name="_variables")
    optimizer.children.add(node_id=1, local_name="_learning_rate")
    for number, (key, name) in enumerate(nodes, 2):
        node = graph.nodes.add()
        node.attributes.add(name="VARIABLE_VALUE", full_name=name, checkpoint_key=key)
        if key.startswith("optimizer"):
            tracked.children.add(node_id=number, local_name=str(number))
    return graph


def test_keras_2() -> None:
    nodes = [("w", "dense/kernel"), ("optimizer/1", "Adam/m/dense/kernel"), ("optimizer/2", "lr")]
    found = object_names(graph_of(*nodes), [key for key, _ in nodes], Path("x"))
    assert found.names == {
        "w": "dense/kernel",
        "optimizer/1": "dense/kernel/m",
        "optimizer/2": "lr",
    }
    assert found.slots == {"optimizer/1": Slot("dense/kernel", "m")}


def test_names_are_distinct_from_paths() -> None:
    nodes = [("x" + VALUE, "y"), ("y" + VALUE, "y"), ("z" + VALUE, "x")]
    keys = [key for key, _ in nodes]
    assert len(set(object_names(graph_of(*nodes), keys, Path("x")).names.values())) == 3


def test_other_attributes_keep_their_name() -> None:
    keys = ["table/.ATTRIBUTES/table-keys", "plain"]
    found = object_names(TrackableObjectGraph(), keys, Path("x")).names
    assert found == {keys[0]: "table/table-keys", "plain": "plain"}


def test_slot_of_a_missing_node() -> None:
    graph = graph_of(("w", "w"))
    graph.nodes[0].slot_variables.add(original_variable_node_id=99, slot_variable_node_id=2)
    with pytest.raises(LoadError, match=r"^x: the object graph names node 99 of 3; "):
        object_names(graph, ["w"], Path("x"))
