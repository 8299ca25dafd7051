"""The graph whose cost is computed, in one form for all sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tfprof.flops.layers.layer_tree import LayerSource
from tfprof.flops.optimizer_slots import with_slots
from tfprof.flops.tensors import Dims, dims_of
from tfprof.flops.variables import Variable, count_constants, variables_of_graph
from tfprof.protos.graph_pb2 import DataType, GraphDef


@dataclass(frozen=True, slots=True)
class ModelGraph:
    """A graph to count, with its inputs and variables."""

    graph: GraphDef
    roots: list[str] | None = None
    """Nodes that are run; without them all nodes count."""
    inputs: Mapping[str, tuple[str, Dims | None]] = field(default_factory=dict)
    """Placeholder -> (name to show, shape)."""
    variables: list[Variable] = field(default_factory=list)
    handles: Mapping[str, int] = field(default_factory=dict)
    """Node that is a variable's handle -> position of the variable."""
    captures: Mapping[str, Dims | None] = field(default_factory=dict)
    """Placeholder that is the handle of a captured variable -> shape of the variable."""
    read_layers: Callable[[], LayerSource | None] = lambda: None
    """What the source says of layers, read when a table of layers is asked for."""
    frozen: int = 0
    """Elements of constants that were parameters, in a graph without variables."""
    notes: tuple[str, ...] = ()
    """Notes for the ledger."""


def from_graph(graph: GraphDef) -> ModelGraph:
    """A graph that counts as a whole, with the variables or constants that it has."""
    variables = with_slots(variables_of_graph(graph))
    unfrozen = variables or _captures_resources(graph)
    frozen = 0 if unfrozen else count_constants(graph)
    return ModelGraph(
        graph,
        inputs=find_placeholders(graph),
        variables=variables,
        handles=handles_by_name(variables),
        frozen=frozen,
    )


def handles_by_name(variables: Iterable[Variable]) -> dict[str, int]:
    """Handles that are called like their variables."""
    return {variable.name: position for position, variable in enumerate(variables)}


def _captures_resources(graph: GraphDef) -> bool:
    """Whether a graph is given resources, as the body of a function is its variables."""
    return any(
        node.op == "Placeholder"
        and "dtype" in node.attr
        and node.attr["dtype"].type == DataType.DT_RESOURCE
        for node in graph.node
    )


def find_placeholders(graph: GraphDef) -> dict[str, tuple[str, Dims | None]]:
    """The placeholders of a graph: name to show, and shape."""
    placeholders: dict[str, tuple[str, Dims | None]] = {}
    for node in graph.node:
        if node.op in ("Placeholder", "PlaceholderV2", "_Arg"):
            shape: Dims | None = None
            if "_output_shapes" in node.attr and node.attr["_output_shapes"].list.shape:
                shape = dims_of(node.attr["_output_shapes"].list.shape[0])
            elif "shape" in node.attr:
                shape = dims_of(node.attr["shape"].shape)
            placeholders[node.name] = (node.name, shape)
    return placeholders
