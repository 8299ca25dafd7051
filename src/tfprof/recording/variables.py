"""The variables of a live graph: those it trains, and those a function captures from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfprof.definitions.quirks import Quirks

_COLLECTION = "trainable_variables"


def trainable_names(graph: Any, quirks: Quirks) -> list[str]:
    """The nodes of trainable variables, in the order of the collection.

    A function has none of its own: what it captures counts, by the node that stands for it inside.
    """
    names = [
        variable.op.name
        for variable in graph.get_collection(_COLLECTION)
        if getattr(variable, "op", None) is not None
    ]
    if quirks.captures_ignored:
        return names
    inside = [name for name, variable in _captured_variables(graph) if variable.trainable]
    return names + [name for name in inside if name not in names]


def captured_shapes(graph: Any) -> dict[str, tuple[int, ...]]:
    """The shape of each captured variable, by the node that stands for it inside."""
    return {
        name: tuple(variable.shape.as_list())
        for name, variable in _captured_variables(graph)
        if variable.shape.is_fully_defined()
    }


def _captured_variables(graph: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(graph, "captures"):
        return
    inside = {id(outer): inner for outer, inner in graph.captures}
    for variable in graph.variables:
        inner = inside.get(id(variable.handle))
        if inner is not None:
            yield inner.op.name, variable
