"""What a caller's object is: a graph of a live TensorFlow program, or something to read."""

from __future__ import annotations

import os
import sys
from typing import Any

ACCEPTED = (
    "a tf.Graph, a FuncGraph, a concrete function, a GraphDef message, its bytes, or a path to one"
)


def default_graph() -> Any | None:
    """The default graph of the program, if it has one: TensorFlow is imported and not eager."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or tensorflow.executing_eagerly():
        return None
    return tensorflow.compat.v1.get_default_graph()


def live_graph(model: Any) -> Any | None:
    """The graph that a TensorFlow object is or has; None for messages, bytes and paths.

    Anything else is a TypeError that says what is accepted.
    """
    if _is_graph(model):
        return model
    if _is_concrete_function(model):
        return model.graph
    readable = (bytes, bytearray, memoryview, str, os.PathLike)
    if model is None or isinstance(model, readable) or hasattr(model, "SerializeToString"):
        return None
    hint = ""
    if hasattr(model, "get_concrete_function"):
        hint = "; call its get_concrete_function() first"
    elif _is_graph(getattr(model, "graph", None)):
        hint = "; pass its .graph"
    raise TypeError(f"graph: a {type(model).__name__} was given{hint}; accepted are {ACCEPTED}")


def _is_graph(model: Any) -> bool:
    return any(
        kind.__name__ == "Graph" and kind.__module__ == "tensorflow.python.framework.ops"
        for kind in type(model).__mro__
    )


def _is_concrete_function(model: Any) -> bool:
    return any(
        kind.__name__ == "ConcreteFunction" and kind.__module__.startswith("tensorflow.")
        for kind in type(model).__mro__
    ) and _is_graph(getattr(model, "graph", None))
