"""The original on every case: `python -m benchmarks.truth.original FOLDER [NAME]`.

It runs in a process with TensorFlow, which also exports each case as a SavedModel and notes its
truth and its number of parameters.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.truth.case import Case
from benchmarks.truth.store import measure, note_versions, quiet, wanted

__all__ = ["float_operations", "freeze", "save_function", "sized", "train_step"]


def main(argv: list[str]) -> int:
    """Export and count; what TensorFlow prints goes nowhere."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    folder, pattern = Path(argv[0]), "".join(argv[1:2])
    note_versions(folder, "tensorflow-cpu", "tensorflow", "keras")
    with quiet() as log:
        measure(folder, "original", wanted(pattern), lambda case: _count(folder, case), log=log)
    return 0


def _count(folder: Path, case: Case) -> dict[str, Any]:
    import keras
    import tensorflow as tf

    keras.backend.clear_session()
    place = str(folder / case.slug / "saved_model")
    if case.kind == "function":
        function = case.build(tf)
        save_function(tf, tf.Module(), function, place)
        return {
            "truth": case.value(function),
            "params": 0,
            "trainable": 0,
            "graph": float_operations(function.graph),
            "frozen": _or_none(lambda: float_operations(freeze(function))),
        }
    model = case.build(keras)
    weights = model.trainable_weights
    finding = {
        "truth": case.value(model),
        "params": model.count_params(),
        "trainable": sum(int(weight.value.shape.num_elements()) for weight in weights),
    }
    if case.kind == "train":
        step, module = train_step(model)
        save_function(tf, module, _traced(step, sized(model, None)), place)
        fixed = _traced(step, sized(model, case.batch))
        return finding | {"graph": float_operations(fixed.graph)}
    model.export(place, verbose=False)
    call = partial(model, training=False)
    traced = _traced(call, sized(model, None))
    graphs = {
        "traced": lambda: float_operations(traced.graph),
        "loaded": lambda: float_operations(
            tf.saved_model.load(place).signatures["serving_default"].graph
        ),
        "run": lambda: _of_a_run(freeze(traced), case.batch),
    }
    return finding | {
        "graph": graphs[case.given](),
        "frozen": float_operations(freeze(_traced(call, sized(model, case.batch)))),
    }


def float_operations(graph: Any, run: Any = None) -> int:
    """The usual recipe, op view."""
    from tensorflow.compat.v1 import profiler

    options = profiler.ProfileOptionBuilder.float_operation()
    options["output"] = "none"
    return int(profiler.profile(graph, run, cmd="op", options=options).total_float_ops)


def _of_a_run(graph: Any, batch: int) -> int:
    """A graph of unknown batch size, helped by the run metadata of a batch."""
    from tensorflow.compat import v1

    placeholder = next(op for op in graph.get_operations() if op.type == "Placeholder")
    result = [op for op in graph.get_operations() if op.type == "Identity"][-1].outputs[0]
    x = np.zeros([batch, *placeholder.outputs[0].shape[1:]], np.float32)
    record = v1.RunMetadata()
    traced = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    with v1.Session(graph=graph) as session:
        session.run(result, {placeholder.outputs[0]: x}, traced, record)
    return float_operations(graph, record)


def freeze(function: Any) -> Any:
    """The other half of the recipe: variables to constants, functions written out."""
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2_as_graph,
    )

    _, graph_def = convert_variables_to_constants_v2_as_graph(function)
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return graph


def sized(model: Any, size: int | None) -> Any:
    """What a model takes, with every unknown size replaced."""
    import tensorflow as tf

    taken = model.inputs[0]
    shape = [size if length is None else length for length in taken.shape]
    return tf.TensorSpec(shape, taken.dtype)


def train_step(model: Any) -> tuple[Any, Any]:
    """Forward, gradients, Adam; and the module that owns the variables."""
    import keras
    import tensorflow as tf

    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = keras.ops.mean(keras.ops.square(model(x, training=True)))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    module = tf.Module()
    module.model, module.optimizer = model, optimizer
    return step, module


def _traced(function: Any, spec: Any) -> Any:
    import tensorflow as tf

    return tf.function(function).get_concrete_function(spec)


def save_function(tf: Any, module: Any, function: Any, place: str) -> None:
    """Save a concrete function as the only signature of a SavedModel."""
    specs = [
        tf.TensorSpec(spec.shape, spec.dtype, name=f"x{at}")
        for at, spec in enumerate(function.structured_input_signature[0])
    ]

    def call(*tensors: Any) -> dict[str, Any]:
        results = tf.nest.flatten(function(*tensors))
        return {f"y{at}": tensor for at, tensor in enumerate(results)}

    signature = tf.function(call, input_signature=specs)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, place, signatures=signature, options=options)


def _or_none(count: Any) -> int | None:
    try:
        return int(count())
    except Exception:  # not every function can be frozen
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
