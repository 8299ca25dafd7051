"""Small models whose layer table once took minutes."""

from __future__ import annotations

import json

from tests.robustness.hostile_graphs import GraphMaker
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.saved_model_pb2 import SavedModel, SavedObject

_KERAS_3 = ("_default_save_signature", "_inbound_nodes", "_losses_override")


def deep_scope(depth: int = 20_000) -> GraphDef:
    """A node in scopes inside of each other."""
    maker = GraphMaker()
    maker.add("x", "Placeholder", dtype=1, shape=(4,))
    maker.add("/".join(map(str, range(depth))), "Relu", "x", T=1)
    return maker.graph


def copied_handle(copies: int = 5000) -> GraphDef:
    """A variable that is read through ever more copies of its handle."""
    maker = GraphMaker()
    handle = maker.add("kernel", "VarHandleOp", dtype=1, shape=(2, 2)).name
    for i in range(copies):
        handle = maker.add(f"copy{i}", "Identity", handle, T=1).name
        maker.add(f"read{i}", "ReadVariableOp", handle, dtype=1)
    return maker.graph


def many_layers(count: int = 3000) -> GraphDef:
    """Layers of Keras, all given a tensor through many copies."""
    maker = GraphMaker()
    source = maker.add("x", "Placeholder", dtype=1, shape=(4,)).name
    for i in range(count):
        source = maker.add(f"copy{i}", "Identity", source, T=1).name
    for i in range(count):
        maker.add(f"s{i}/d/k", "VarHandleOp", dtype=1, shape=(2, 2))
        maker.add(f"s{i}/d_1/read", "ReadVariableOp", f"s{i}/d/k", dtype=1)
        maker.add(f"s{i}/d_1/relu", "Relu", source, T=1)
    return maker.graph


def _saved_model() -> SavedModel:
    model = SavedModel(saved_model_schema_version=1)
    meta = model.meta_graphs.add()
    meta.graph_def.CopyFrom(deep_scope(1))
    signature = meta.signature_def["serving_default"]
    signature.inputs["x"].name, signature.outputs["y"].name = "x:0", "0:0"
    return model


def _add_object(model: SavedModel, children: dict[str, int], **metadata: str) -> SavedObject:
    saved = model.meta_graphs[0].object_graph_def.nodes.add()
    for name, number in children.items():
        saved.children.add(local_name=name, node_id=number)
    if metadata:
        saved.user_object.identifier = "_tf_keras_model"
        saved.user_object.metadata = json.dumps(metadata)
    return saved


def model_of_itself() -> SavedModel:
    """A Keras 2 model that has two layers, each of which is the model."""
    model = _saved_model()
    _add_object(model, {"layer-0": 0, "layer-1": 0}, name="model")
    return model


def nested_models(depth: int = 4000) -> SavedModel:
    """A Keras 3 model in a model in a model."""
    model = _saved_model()
    for i in range(depth):
        names = dict.fromkeys(_KERAS_3 if i == 0 else _KERAS_3[:1], depth - 1)
        _add_object(model, {**names, "inner": (i + 1) % depth})
    return model


def shared_object(count: int = 4000) -> SavedModel:
    """A Keras 3 model of which all children are one object."""
    model = _saved_model()
    names = [f"child{i}" for i in range(count)]
    _add_object(model, {**dict.fromkeys(_KERAS_3, 2), **dict.fromkeys(names, 1)})
    _add_object(model, dict.fromkeys(names, 2))
    _add_object(model, {})
    return model


def named_layers(count: int = 4000) -> SavedModel:
    """A Keras 2 model with many layers."""
    model = _saved_model()
    _add_object(model, {"keras_api": 1}, name="model")
    _add_object(model, {"layers": 2})
    _add_object(model, {str(i): i + 3 for i in range(count)})
    graph = model.meta_graphs[0].graph_def
    source = "x"
    for i in range(count):
        _add_object(model, {}, name=f"layer{i}").user_object.identifier = "layer"
        node = graph.node.add(name=f"model/layer{i}/relu", op="Relu", input=[source])
        node.attr["T"].type = 1
        source = node.name
    model.meta_graphs[0].signature_def["serving_default"].outputs["y"].name = f"{source}:0"
    return model


def model_with_a_long_name(count: int = 1200, length: int = 40_000) -> SavedModel:
    """A model in a model, whose layers are in one with a long name."""
    model = _saved_model()
    _add_object(model, {"layer-0": 1}, name="model")
    _add_object(model, {f"layer-{i}": i + 2 for i in range(count)}, name="o" * length)
    for i in range(count):
        _add_object(model, {}, name=f"k{i}")
    return model
