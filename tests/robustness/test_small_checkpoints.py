"""Small checkpoints that once took a minute: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loaders.checkpoint.table_writer import write_table
from tests.robustness.budget import run_measured
from tfprof.loaders.checkpoint.keras_slots import keras_slots
from tfprof.loaders.checkpoint.slice_key import key_prefix, key_suffix
from tfprof.protos.checkpoint_pb2 import BundleEntryProto, BundleHeaderProto, SavedTensorSlices
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import TrackableObjectGraph


def write_scalars(path: Path, prefix: str, count: int, *, per_block: int, interval: int) -> None:
    """The index of a checkpoint of so many scalars, whose names begin with a prefix."""
    entry = BundleEntryProto(dtype=1, size=4)
    entry.shape.SetInParent()
    rows = [(b"", BundleHeaderProto(num_shards=1).SerializeToString())]
    rows += [(f"{prefix}{i:07}".encode(), entry.SerializeToString()) for i in range(count)]
    path.write_bytes(write_table(rows, per_block=per_block, interval=interval))


def test_slices_of_a_tensor_with_a_long_name(tmp_path):
    entry = BundleEntryProto(dtype=1)
    entry.shape.SetInParent()
    for _ in range(20_000):
        entry.slices.add()
    header = BundleHeaderProto(num_shards=1).SerializeToString()
    rows = [(b"", header), (b"a" * 40_000, entry.SerializeToString())]
    (tmp_path / "model.index").write_bytes(write_table(rows))
    command = tmp_path / "model", "scope", "-account_type_regexes", ".*"
    assert run_measured(*command).check().status == 0


@pytest.mark.parametrize("command", [["scope", "-account_type_regexes", ".*"], ["summary"]])
@pytest.mark.parametrize("per_block", [100, 10_000])
def test_keys_that_share_a_long_prefix(tmp_path, command, per_block):
    """Whatever block they are in; TensorFlow writes a whole key every 16."""
    write_scalars(tmp_path / "model.index", "a" * 13_000, 4000, per_block=per_block, interval=10**6)
    done = run_measured(tmp_path / "model", *command).check()
    assert done.status == 1
    assert "the keys of the table are too long for its size" in done.err


def test_keys_as_tensorflow_writes_them(tmp_path):
    for size, count in ((150, 3000), (900, 1100), (13_000, 110)):
        write_scalars(tmp_path / "model.index", "a" * size, count, per_block=10**6, interval=16)
        command = tmp_path / "model", "op", "-account_type_regexes", ".*"
        assert run_measured(*command).check().status == 0


def test_tensors_in_one_block(tmp_path):
    """Values of a checkpoint of version 1, and of the slices of a tensor in any order."""
    count = 4000
    listed, graph = SavedTensorSlices(), GraphDef()
    data = SavedTensorSlices()
    data.data.data.float_val.append(7)
    rows = []
    for name in ("sliced", *(f"t{i:04}" for i in range(count))):
        node = graph.node.add(name=name, op="VariableV2")
        node.attr["shape"].shape.SetInParent()
        tensor = listed.meta.tensor.add(name=name, type=1)
        tensor.shape.SetInParent()
        if name != "sliced":
            tensor.slice.add()
            rows.append((key_prefix(name.encode()) + key_suffix([]), data.SerializeToString()))
            continue
        for message in (node.attr["shape"].shape, tensor.shape):
            message.dim.add(size=count)
        for i in range(count):
            tensor.slice.add().extent.add(start=i // 2 + count // 2 * (i % 2), length=1)
            key = key_prefix(name.encode()) + key_suffix([(i, 1)])
            rows.append((key, data.SerializeToString()))
    rows.append((b"", listed.SerializeToString()))
    table = write_table(sorted(rows), per_block=count // 2, interval=16)
    (tmp_path / "model").write_bytes(table)
    (tmp_path / "graph").write_bytes(graph.SerializeToString())
    inputs = f"--graph_path={tmp_path / 'graph'}", f"--checkpoint_path={tmp_path / 'model'}"
    done = run_measured(*inputs, "scope", "-select", "tensor_value", "-max_depth", "2").check()
    assert done.status == 0
    assert "7.0" in done.out


def test_slot_whose_name_has_many_parts():
    graph = TrackableObjectGraph()
    optimizer, variables = graph.nodes.add(), graph.nodes.add()
    for number, name in enumerate(("_learning_rate", "_variables")):
        optimizer.children.add(node_id=number, local_name=name)
    variables.children.add(node_id=2)
    assert keras_slots(graph, {2: "key"}, {"key": "adam/" + "_" * 1_000_000}) == {}
