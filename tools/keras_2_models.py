"""Writes the SavedModels of Keras 2 in tests/data/keras_2, with what Keras says of their layers.

Run it with TensorFlow 2.12 to 2.15, the last ones that have Keras 2 and a Python of today:

    python tools/keras_2_models.py tests/data/keras_2

`tests/data/keras_2_9` is from TensorFlow 2.12 with Keras 2.9 in place of its own; on Python 3.11
that needs an `inspect.ArgSpec` and PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python.

Values of variables and functions that no signature needs are left out, which keeps the files small.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

keras = tf.keras
layers = keras.layers


def frozen_backbone() -> Any:
    """Transfer learning; the optimizer is the one of TensorFlow 2.11 and later."""
    inner = keras.Input((8, 8, 3))
    x = layers.Conv2D(4, 3, use_bias=False)(inner)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    backbone = keras.Model(inner, x, name="backbone")
    backbone.trainable = False
    inputs = keras.Input((8, 8, 3))
    x = layers.Rescaling(1 / 255)(inputs)
    x = layers.GlobalAveragePooling2D()(backbone(x, training=False))
    model = keras.Model(inputs, layers.Dense(2)(layers.Dropout(0.2)(x)))
    model.compile("adam", "mse")
    model.fit(np.zeros((2, 8, 8, 3)), np.zeros((2, 2)), verbose=0)
    return model


def sequential() -> Any:
    """The optimizer of TensorFlow 2.10 and before, whose slots the object graph lists."""
    hidden = [layers.Dense(4, activation="relu"), layers.BatchNormalization(), layers.Dropout(0.3)]
    model = keras.Sequential([*hidden, layers.Dense(2)])
    optimizers = getattr(keras.optimizers, "legacy", keras.optimizers)
    model.compile(optimizers.Adam(), "mse")
    model.fit(np.zeros((2, 3)), np.zeros((2, 2)), verbose=0)
    return model


def shared() -> Any:
    """A layer that is called twice, a recurrent one, attention, and an operation as a layer."""
    left, right = keras.Input((4,)), keras.Input((4,))
    tower = layers.Dense(6, activation="relu")
    x = layers.Reshape((2, 6))(layers.Concatenate()([tower(left), tower(right)]))
    x = layers.MultiHeadAttention(2, 3)(x, x)
    return keras.Model([left, right], layers.LSTM(3)(x) * 2.0)


class Net(keras.Model):
    """A subclassed model, whose layers are not called in order."""

    def __init__(self) -> None:
        super().__init__(name="net")
        self.head = layers.Dense(3)
        self.conv = layers.Conv2D(4, 3)
        self.flatten = layers.Flatten()

    def call(self, x: Any) -> Any:
        """Convolve, and more."""
        return self.head(self.flatten(self.conv(x))) + tf.reduce_sum(x)


def subclassed() -> Any:
    """A subclassed model after its first call."""
    model = Net()
    model(np.zeros((2, 6, 6, 1), "float32"))
    return model


def main(folder: Path) -> None:
    """Write all models."""
    for build in (frozen_backbone, sequential, shared, subclassed):
        keras.backend.clear_session()
        model = build()
        path = folder / build.__name__
        shutil.rmtree(path, ignore_errors=True)
        model.save(path, save_format="tf")
        _reduce(path)
        rows = _rows(model.layers, None)
        answers = {
            "tensorflow": tf.__version__,
            "keras": keras.__version__,
            "params": model.count_params(),
            "trainable_params": _size(model.trainable_weights),
            "layers": rows,
        }
        (path / "expected.json").write_text(json.dumps(answers, indent=1) + "\n")


def _rows(found: list[Any], parent: str | None) -> list[dict[str, Any]]:
    """What `summary(expand_nested=True)` lists."""
    rows = []
    for layer in found:
        row = {
            "name": layer.name,
            "type": type(layer).__name__,
            "parent": parent,
            "output": _output(layer),
            "params": _size(layer.weights),
            "trainable_params": _size(layer.trainable_weights),
        }
        rows += [row, *_rows(getattr(layer, "layers", []), layer.name)]
    return rows


def _output(layer: Any) -> list[int | None] | None:
    """The output shape; a subclassed model does not know those of its layers."""
    try:
        shape = layer.output_shape
    except (AttributeError, RuntimeError):
        return None
    return list(shape[0] if isinstance(shape, list) else shape)


def _size(weights: list[Any]) -> int:
    return sum(int(np.prod(weight.shape)) for weight in weights)


def _reduce(path: Path) -> None:
    """Leave out values, traces for training, and what saves and restores."""
    for name in ("variables", "assets"):
        shutil.rmtree(path / name, ignore_errors=True)
    (path / "fingerprint.pb").unlink(missing_ok=True)
    file = path / "saved_model.pb"
    model = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    meta = model.meta_graphs[0]
    graph = meta.graph_def
    meta.ClearField("saver_def")
    meta.meta_info_def.ClearField("stripped_op_list")
    for name in [name for name in meta.signature_def if name.startswith("__saved_model")]:
        del meta.signature_def[name]
    outputs = {
        i.name.split(":")[0] for s in meta.signature_def.values() for i in s.outputs.values()
    }
    nodes = [node for node in graph.node if node.name in outputs or node.op == "VarHandleOp"]
    nodes += [node for node in graph.node if node.op == "Placeholder"]
    kept = {node.name: node for node in nodes}
    del graph.node[:]
    graph.node.extend(kept.values())
    functions = {f.signature.name: f for f in graph.library.function}
    needed = _needed(functions, kept.values())
    del graph.library.function[:]
    graph.library.function.extend(functions[name] for name in sorted(needed))
    graph.library.ClearField("gradient")
    concrete = meta.object_graph_def.concrete_functions
    for name in [name for name in concrete if name not in needed]:
        del concrete[name]
    file.write_bytes(model.SerializeToString(deterministic=True))


def _needed(functions: dict[str, Any], nodes: Any) -> set[str]:
    """The functions that nodes call, and those these call."""
    needed: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        called = [node.op, *(v.func.name for v in node.attr.values() if v.HasField("func"))]
        for name in called:
            if name in functions and name not in needed:
                needed.add(name)
                pending += functions[name].node_def
    return needed


if __name__ == "__main__":
    main(Path(sys.argv[1]))
