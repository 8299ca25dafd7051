"""The original's float operations for a whole graph: every node's count, or why it has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tfprof.flops.interpreter import Interpreter
from tfprof.flops.tensors import Dims
from tfprof.flops.tf_formulas import (
    ORIGINAL_RULES,
    Shape,
    Unknown,
    count,
)
from tfprof.functions.library import FunctionLibrary, output_number
from tfprof.protos.graph_pb2 import GraphDef, NodeDef, TensorShapeProto

__all__ = ["CountResult", "graph_float_ops", "shape_of"]

Shapes = Sequence[Shape | None]

_OWN_SHAPE = {"Placeholder", "PlaceholderWithDefault", "PlaceholderV2", "Variable", "VariableV2"}


@dataclass(frozen=True, slots=True)
class CountResult:
    """Float operations by node name, and for every other node the reason it has none."""

    float_ops: dict[str, int]
    unknown: dict[str, Unknown]
    conflicts: dict[str, str] = field(default_factory=dict)
    """Nodes whose traced shapes contradict the graph's; the graph's were used."""

    def reasons(self) -> Counter[Unknown]:
        """Number of nodes per reason."""
        return Counter(self.unknown.values())


def shape_of(message: TensorShapeProto) -> Shape | None:
    """A shape message as a tuple; None for an unknown rank."""
    return None if message.unknown_rank else tuple(dim.size for dim in message.dim)


def graph_float_ops(
    graph: GraphDef,
    *,
    run_shapes: Mapping[str, Shapes] | None = None,
    compat: bool,
) -> CountResult:
    """Float operations of every node of a graph, functions not entered, as the original has it.

    Shapes come from `_output_shapes`; `run_shapes` (node name -> the outputs' shapes seen at run
    time) complete those that are not fully defined, and never change `graph`. Unless `compat`,
    shapes that the file does not have are inferred.
    """
    inferred = {} if compat else _inferred(graph)
    shapes = _Shapes(graph, {**inferred, **(run_shapes or {})})
    float_ops: dict[str, int] = {}
    unknown: dict[str, Unknown] = {}
    for name, node in shapes.nodes.items():
        op = node.op
        if op not in ORIGINAL_RULES:
            unknown[name] = Unknown.RULE
            continue
        inputs = list(_inputs(node, shapes, controls=compat))
        answer = count(op, node.attr, inputs, shapes.outputs(name), compat=compat)
        if isinstance(answer, Unknown):
            unknown[name] = answer
        else:
            float_ops[name] = answer
    return CountResult(float_ops, unknown, shapes.conflicts)


def _inferred(graph: GraphDef) -> dict[str, Shapes]:
    """Shapes of the nodes that do not state theirs, as far as they follow from the others."""
    if all("_output_shapes" in node.attr for node in graph.node if node.op in ORIGINAL_RULES):
        return {}
    instance = Interpreter(FunctionLibrary(graph)).run()
    found: dict[str, Shapes] = {}
    for position, tensors in instance.outputs.items():
        node = instance.body.nodes[position]
        if "_output_shapes" not in node.attr:
            found[node.name] = [_plain(tensor.shape) for tensor in tensors]
    return found


def _plain(shape: Dims | None) -> Shape | None:
    if shape is None:
        return None
    return tuple(size if isinstance(size, int) else -1 for size in shape)


def _inputs(node: NodeDef, shapes: _Shapes, *, controls: bool) -> Iterator[Shape | None]:
    """The inputs' shapes; the original also counts control inputs as inputs (of AddN)."""
    for text in node.input:
        if text.startswith("^"):
            if controls:
                yield None
            continue
        name, _, index = text.partition(":")
        outputs = shapes.outputs(name)
        position = output_number(index or "0")
        yield None if position is None else next(iter(outputs[position : position + 1]), None)


class _Shapes:
    """Output shapes by node name, read from the graph on demand and completed by traced ones."""

    def __init__(self, graph: GraphDef, run_shapes: Mapping[str, Shapes]) -> None:
        self.nodes: dict[str, NodeDef] = {}
        for node in graph.node:
            self.nodes.setdefault(node.name, node)
        self.conflicts: dict[str, str] = {}
        self._run_shapes = run_shapes
        self._outputs: dict[str, Shapes] = {}
        for name in run_shapes:  # every contradiction is worth knowing, also of unread nodes
            self.outputs(name)

    def outputs(self, name: str) -> Shapes:
        """The shapes of a node's outputs; empty for a node that is not there."""
        known = self._outputs.get(name)
        if known is None:
            node = self.nodes.get(name)
            known = self._outputs[name] = () if node is None else self._complete(node)
        return known

    def _complete(self, node: NodeDef) -> Shapes:
        static = _static_shapes(node)
        traced = self._run_shapes.get(node.name)
        if traced is None or (static is not None and len(static) != len(traced)):
            return static or ()
        if static is None:
            return traced
        merged = list(static)
        for index, (old, new) in enumerate(zip(static, traced, strict=True)):
            if old is not None and -1 not in old:
                continue
            both = _merge(old, new)
            if both is None and old is not None and new is not None:
                self.conflicts[node.name] = f"Shapes {old} and {new} are not compatible"
                break
            merged[index] = both
        return merged


def _static_shapes(node: NodeDef) -> list[Shape | None] | None:
    attr = node.attr
    if "_output_shapes" in attr:
        return [shape_of(shape) for shape in attr["_output_shapes"].list.shape]
    if node.op == "Const" and "value" in attr:
        return [shape_of(attr["value"].tensor.tensor_shape)]
    if node.op in _OWN_SHAPE and "shape" in attr:
        return [shape_of(attr["shape"].shape)]
    return None


def _merge(old: Shape | None, new: Shape | None) -> Shape | None:
    """What two descriptions of one shape say together; None if they contradict each other."""
    if old is None or new is None:
        return new if old is None else old
    if len(old) != len(new):
        return None
    if any(a != b and -1 not in (a, b) for a, b in zip(old, new, strict=True)):
        return None
    return tuple(max(a, b) for a, b in zip(old, new, strict=True))
