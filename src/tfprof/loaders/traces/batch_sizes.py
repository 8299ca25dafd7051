"""The batch sizes of the runs in a trace, where the graph of a capture leaves them open.

A trace of level 3 has the shapes of the inputs of ops. Those of the ops that read a model's input
tell the sizes of its batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tfprof.definitions.limits import max_inlined_bytes, max_visits
from tfprof.loaders.traces.run_columns import scopes_of_roots
from tfprof.loaders.xplane.op_events import OpExecutions
from tfprof.protos.graph_pb2 import FunctionDef, GraphDef, NodeDef, TensorShapeProto

_CALL, _ITERATOR, _SHAPES = "f", "IteratorGetNext", "output_shapes"
_SIZES = re.compile(r"\w*\[(\d{1,9}(?:,\d{1,9})*)\]", re.ASCII)

Shape = tuple[int, ...]
"""Sizes in order, -1 for one that is open."""


@dataclass(frozen=True, slots=True)
class Readers:
    """The ops that read inputs whose batch size is open."""

    shapes: dict[str, dict[int, Shape]] = field(default_factory=dict)
    """Op -> position of an input -> the shape in the graph."""

    def __contains__(self, op: object) -> bool:
        return op in self.shapes

    def batch_size(self, op: str, inputs: str) -> int:
        """The batch size by the recorded shapes of an op's inputs; 0 if they do not tell it."""
        recorded = inputs.removeprefix("(").removesuffix(")").split(";")
        for position, shape in self.shapes.get(op, {}).items():
            match = _SIZES.fullmatch(recorded[position]) if position < len(recorded) else None
            sizes = [int(size) for size in match[1].split(",")] if match else []
            fits = len(sizes) == len(shape) and all(
                known in (-1, size) for known, size in zip(shape, sizes, strict=True)
            )
            if fits:
                return sizes[0]
        return 0


def find_readers(graph: GraphDef) -> Readers:
    """The ops that read open inputs of the graph and its functions, by their runtime names."""
    opened = {
        node.name: shape
        for node in graph.node
        if "shape" in node.attr and (shape := _open_shape(node.attr["shape"].shape))
    }
    search = _Search(graph)
    search.add(graph.node, opened)
    for node in graph.node:
        callee = search.callee(node)
        if callee is not None:
            # The ops of a function that Python calls are recorded without the name of the call.
            search.add(callee.node_def, _arguments(callee, node, opened))
    return search.readers


class _Search:
    """Finds the nodes that read tensors of open shapes, as far as its budget allows.

    A function is searched again for each call that passes other tensors.
    """

    def __init__(self, graph: GraphDef) -> None:
        self.readers = Readers()
        self._functions = {item.signature.name: item for item in graph.library.function}
        nodes = [*graph.node, *(node for f in graph.library.function for node in f.node_def)]
        self._visits = max_visits(sum(_cost(node) for node in nodes))
        self._bytes = max_inlined_bytes(sum(len(node.name) for node in nodes))

    def callee(self, node: NodeDef) -> FunctionDef | None:
        """The function that a node calls."""
        return self._functions.get(node.attr[_CALL].func.name) if _CALL in node.attr else None

    @property
    def _is_over(self) -> bool:
        return self._visits < 0 or self._bytes < 0

    def add(self, nodes: Iterable[NodeDef], opened: Mapping[str, Shape]) -> None:
        """Add the nodes that read tensors of open shapes, and those of the functions they call."""
        pending = [("", nodes, opened)]
        visited = set[tuple[str, frozenset[str]]]()
        for scope, body, arguments in pending:
            if self._is_over:
                return
            tensors = {**arguments, **_iterator_outputs(body)}
            for node in body:
                self._visits -= _cost(node)
                self._bytes -= len(scope)
                if self._is_over:
                    return
                inputs = {i: tensors[name] for i, name in enumerate(node.input) if name in tensors}
                if not inputs:
                    continue
                self.readers.shapes.setdefault(f"{scope}{node.name}", {}).update(inputs)
                callee = self.callee(node)
                if callee is None:
                    continue
                inner = _arguments(callee, node, tensors)
                key = callee.signature.name, frozenset(inner)
                if key not in visited:
                    visited.add(key)
                    pending.append((f"{scope}{node.name}/", callee.node_def, inner))


def _cost(node: NodeDef) -> int:
    """What it costs to visit a node."""
    outputs = len(node.attr[_SHAPES].list.shape) if node.op == _ITERATOR else 0
    return 1 + len(node.input) + outputs


def _arguments(
    function: FunctionDef, call: NodeDef, tensors: Mapping[str, Shape]
) -> dict[str, Shape]:
    """The arguments of a function that have open shapes where it is called."""
    pairs = zip(function.signature.input_arg, call.input, strict=False)
    return {argument.name: tensors[name] for argument, name in pairs if name in tensors}


def _iterator_outputs(nodes: Iterable[NodeDef]) -> dict[str, Shape]:
    """The open outputs of iterators, as the nodes of a function call them."""
    return {
        f"{node.name}:components:{i}": shape
        for node in nodes
        if node.op == _ITERATOR
        for i, item in enumerate(node.attr[_SHAPES].list.shape)
        if (shape := _open_shape(item))
    }


def _open_shape(shape: TensorShapeProto) -> Shape:
    """A shape whose first size is open; empty for all others."""
    sizes = tuple(dim.size for dim in shape.dim)
    return sizes if sizes and sizes[0] < 0 else ()


def find_batch_sizes(
    ops: OpExecutions, readers: Readers, known: Mapping[str, str]
) -> Iterator[tuple[int, str, int]]:
    """The step, the scope of the root and the batch size of each op that tells it."""
    scopes = scopes_of_roots(ops.root.dictionary.to_pylist(), known)
    root, name = ops.root.indices, ops.name
    for row, inputs in ops.input_shapes.items():
        size = readers.batch_size(name[row].as_py(), inputs)
        if size:
            yield int(ops.step[row]), scopes[root[row].as_py()], size
