"""The layers of a model, as a source describes them or as they are found in a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfprof.flops.call_sites import NodeLocation
from tfprof.flops.tensors import Dims


@dataclass(frozen=True, slots=True)
class LayerInfo:
    """One layer."""

    name: str
    type: str = ""
    """The Keras class, or nothing if the source does not have it."""
    parent: int | None = None
    """Position of the model that it is a layer of; None for layers of the model itself."""
    variables: tuple[int, ...] = ()
    """Positions among the variables of the model, those of inner layers included."""
    output: str = ""
    """Its output shape in the form of Keras, if the source has it."""
    calls: int = 1


@dataclass(frozen=True, slots=True)
class TracedLayers:
    """The layers of a live model, and the nodes that each created while the model was traced.

    A node of a function that is not mentioned belongs to the layer of the call.
    """

    layers: tuple[LayerInfo, ...]
    nodes: Mapping[tuple[str, str], int]
    """(function, "" for the main graph; node) -> position of the layer."""


@dataclass(frozen=True, slots=True)
class SavedLayers:
    """What a Keras 3 SavedModel says of its layers: neither names nor classes."""

    ordered: tuple[int, ...] = ()
    """Positions of variables in the order of the layers that have them."""
    models: frozenset[frozenset[int]] | None = None
    """The variables of each nested model; None if the file does not tell models from layers."""
    functional: bool = False
    """Whether it is a functional model, which lists also operations that are no layers."""


@dataclass(frozen=True, slots=True)
class NamedLayers:
    """The layers that the metadata of a Keras 2 SavedModel describes."""

    model: str
    """The name of the model."""
    layers: tuple[LayerInfo, ...]


LayerSource = TracedLayers | SavedLayers | NamedLayers
"""Where the layers of a model are from; a graph without one has only name scopes."""


@dataclass(frozen=True, slots=True)
class LayerCalls:
    """The nodes of one call of a layer, or of several that cannot be told apart."""

    locations: Sequence[NodeLocation]
    count: int = 1


@dataclass(frozen=True, slots=True)
class LayerTree:
    """The layers of a model, parents before their layers, and the layer of each node."""

    layers: tuple[LayerInfo, ...]
    nodes: Mapping[tuple[int, int], int]
    """(number of the call site, position of the node) -> position of the innermost layer."""
    calls: Mapping[int, LayerCalls]
    """Layer -> the calls to find its output shape in, if the source does not have it."""


def format_shape(shape: Dims | None) -> str:
    """A shape in the form of Keras: sizes that are not numbers are None."""
    if shape is None:
        return "?"
    sizes = ", ".join(str(size) if isinstance(size, int) else "None" for size in shape)
    return f"({sizes})"
