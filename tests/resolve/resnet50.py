"""Inference of a frozen ResNet-50, traced; run as a program it writes graph, run and truth.

python resnet50.py FOLDER
"""

from __future__ import annotations

import os
import sys
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["IMAGES", "SIZE"]

IMAGES, SIZE = 2, 64
_SUMMED = {"Conv2D": 3, "Dense": 1}
"""How many of a kernel's dimensions each number of a layer's output sums over."""


def multiply_adds(model: Any) -> int:
    """Every number that a layer gives is a sum over its kernel's window and channels."""
    layers = [layer for layer in model.layers if type(layer).__name__ in _SUMMED]
    return IMAGES * sum(
        prod(layer.output.shape[1:]) * prod(layer.kernel.shape[: _SUMMED[type(layer).__name__]])
        for layer in layers
    )


def freeze(tf: Any, model: Any) -> tuple[Any, str, str]:
    """The graph of a model with its variables as constants, what is fed and what is fetched."""
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    spec = tf.TensorSpec([IMAGES, SIZE, SIZE, 3])
    called = tf.function(lambda images: model(images, training=False)).get_concrete_function(spec)
    function = convert_variables_to_constants_v2(called)
    return (
        function.graph.as_graph_def(add_shapes=True),
        function.inputs[0].name,
        function.outputs[0].name,
    )


def write(tf: Any, folder: Path) -> None:
    """Make the model, freeze it, run it, and write what there is to know."""
    import keras

    v1 = tf.compat.v1
    model = keras.applications.ResNet50(weights=None, input_shape=(SIZE, SIZE, 3))
    # With zeros for biases there would be nothing to fuse.
    for weight in model.weights:
        weight.assign(np.full(weight.shape, 0.01, "f"))
    graph, fed, fetched = freeze(tf, model)
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(graph, name="")
        images = {fed: np.ones((IMAGES, SIZE, SIZE, 3), "f")}
        session.run(fetched, images)
        run = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(fetched, images, options=options, run_metadata=run)
    (folder / "graph").write_bytes(graph.SerializeToString())
    (folder / "run").write_bytes(run.SerializeToString())
    (folder / "truth").write_text(str(multiply_adds(model)))


if __name__ == "__main__":
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    import tensorflow

    write(tensorflow, Path(sys.argv[1]))
