"""A graph and the functions of its library in one form: nodes, arguments, results, resolved inputs.

Nothing is copied: a body refers to the messages it was made from, once for all its callers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from google.protobuf.message import DecodeError

from tfprof.definitions.limits import BYTES_OF_NODE
from tfprof.functions.calls import Call, is_call, list_calls
from tfprof.functions.output_args import flat_output
from tfprof.protos.graph_pb2 import FunctionDef, GraphDef, NodeDef
from tfprof.runtime.lazy import cached_property

Ref = tuple[int, int]
"""(position of the node in its body, output). Argument i of the body is (-1 - i, 0)."""

_BACK_EDGES = {"NextIteration", "RefNextIteration"}


def argument_index(ref: Ref) -> int | None:
    """Which argument of the body a reference means, if it means one."""
    return -1 - ref[0] if ref[0] < 0 else None


_DIGITS = 9


def output_number(text: str) -> int | None:
    """The number of an output as graphs write it, or nothing; some digits are no numbers."""
    valid = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return int(text) if valid else None


def parse_library(data: bytes) -> GraphDef | None:
    """A serialized graph with its functions, or None if it is malformed."""
    try:
        return GraphDef.FromString(data)
    except DecodeError:
        return None


@dataclass(frozen=True, eq=False)
class FunctionBody:
    """The main graph (named "") or one function."""

    name: str
    nodes: Sequence[NodeDef]
    library: FunctionLibrary
    function: FunctionDef | None = None

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arguments, in order."""
        if self.function is None:
            return ()
        return tuple(arg.name for arg in self.function.signature.input_arg)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Position by node name, arguments included; of two equal names the first counts."""
        positions = {name: -1 - index for index, name in enumerate(self.arguments)}
        for index, node in enumerate(self.nodes):
            positions.setdefault(node.name, index)
        return positions

    @cached_property
    def inputs(self) -> list[tuple[Ref | None, ...]]:
        """Per node, what its data inputs refer to; None for what is not in the body."""
        return [
            tuple(self.resolve(text) for text in node.input if not text.startswith("^"))
            for node in self.nodes
        ]

    @cached_property
    def results(self) -> tuple[Ref | None, ...]:
        """What the function returns, in the order of its signature."""
        if self.function is None:
            return ()
        returned = self.function.ret
        names = [arg.name for arg in self.function.signature.output_arg]
        return tuple(self.resolve(returned[name]) if name in returned else None for name in names)

    @cached_property
    def control_results(self) -> list[int]:
        """Positions of the nodes that the function must run for their side effects."""
        names = [] if self.function is None else self.function.control_ret.values()
        return [self.positions[name] for name in names if self.positions.get(name, -1) >= 0]

    def resolve(self, text: str) -> Ref | None:
        """An input string: `name`, `name:2`, or in a function `name:output:0`."""
        name, *rest = text.split(":")
        position = self.positions.get(name)
        if position is None:
            return None
        if position < 0 or not rest:
            return position, 0
        index = output_number(rest[-1])
        if index is None:
            return None
        if len(rest) == 1:
            return position, index
        node = self.nodes[position]
        callee = self.library.functions.get(node.op)
        if callee is None:
            return position, flat_output(node.op, node.attr, rest[0], index)
        output = self.library.outputs(node.op).get(rest[0])
        return None if output is None else (position, output)

    @cached_property
    def name_bytes(self) -> int:
        """The length of all names."""
        return sum(len(node.name) for node in self.nodes)

    @cached_property
    def _sorted_names(self) -> list[str]:
        return sorted(node.name for node in self.nodes)

    def has_scope(self, scope: str) -> bool:
        """Whether a node is in a scope."""
        prefix, names = f"{scope}/", self._sorted_names
        index = bisect_left(names, prefix)
        return index < len(names) and names[index].startswith(prefix)

    @cached_property
    def calls(self) -> dict[int, list[Call]]:
        """The functions that nodes call, by the position of the node."""
        functions, gradients = self.library.functions, self.library.gradients
        return {
            position: list(list_calls(node, functions, gradients))
            for position, node in enumerate(self.nodes)
            if is_call(node, functions)
        }

    def origin(self, ref: Ref | None, through: frozenset[str]) -> Ref | None:
        """The tensor that reaches `ref` through op types that pass on their first input.

        Each node is followed once. Nothing reaches a cycle of such nodes.
        """
        origins = self._origins.setdefault(through, {})
        path: list[int] = []
        while ref is not None and ref[0] >= 0 and self.nodes[ref[0]].op in through:
            position = ref[0]
            if position in origins:
                ref = origins[position]
                break
            origins[position] = None
            path.append(position)
            ref = next(iter(self.inputs[position]), None)
        origins.update(dict.fromkeys(path, ref))
        return ref

    @cached_property
    def _origins(self) -> dict[frozenset[str], dict[int, Ref | None]]:
        """Op types that pass on their input -> what reaches each node through them."""
        return {}

    def order(self, roots: Iterable[int] | None = None) -> list[int]:
        """Positions with producers before consumers: what the roots need, or all nodes.

        A cycle (of a v1 loop) is cut at its NextIteration, any other at its first visited node.
        """
        wanted = list(range(len(self.nodes)) if roots is None else roots)
        needed, back = self._needed
        done: list[int] = []
        state = bytearray(len(self.nodes))  # 0 new, 1 on the stack, 2 done
        for root in wanted:  # grows by the ends of back edges, which close a loop
            stack = [root]
            while stack:
                position = stack[-1]
                if state[position] == 0:
                    state[position] = 1
                    wanted += back.get(position, ())
                    stack.extend(other for other in needed[position] if state[other] == 0)
                    continue
                stack.pop()
                if state[position] == 1:
                    state[position] = 2
                    done.append(position)
        return done

    @cached_property
    def _needed(self) -> tuple[list[list[int]], dict[int, list[int]]]:
        """Per node, the positions it waits for (data and control inputs); back edges apart."""
        needed: list[list[int]] = []
        back: dict[int, list[int]] = {}
        for index, node in enumerate(self.nodes):
            names = (text.partition(":")[0].lstrip("^") for text in node.input)
            inputs = [position for name in names if (position := self.positions.get(name, -1)) >= 0]
            is_back = [self.nodes[position].op in _BACK_EDGES for position in inputs]
            if any(is_back):
                back[index] = list(compress(inputs, is_back))
                inputs = [p for p, closes in zip(inputs, is_back, strict=True) if not closes]
            needed.append(inputs)
        return needed, back

    def producers(self, position: int) -> list[int]:
        """The positions that a node waits for, back edges included."""
        needed, back = self._needed
        return needed[position] + back.get(position, [])

    @cached_property
    def live(self) -> list[int]:
        """`order` of what a call of the function runs: what its results and side effects need."""
        if self.function is None:
            return self.order()
        if not self.function.control_ret and self.function.signature.is_stateful:
            return self.order()
        roots = [ref[0] for ref in self.results if ref is not None and ref[0] >= 0]
        return self.order(roots + self.control_results)


class FunctionLibrary:
    """The main graph and its functions, each body created on first use."""

    def __init__(self, graph: GraphDef) -> None:
        self.functions: Mapping[str, FunctionDef] = {
            function.signature.name: function for function in graph.library.function
        }
        self.gradients: Mapping[str, str] = {
            gradient.function_name: gradient.gradient_func for gradient in graph.library.gradient
        }
        self.main = FunctionBody("", graph.node, self)
        self._graph = graph
        self._bodies: dict[str, FunctionBody] = {}
        self._outputs: dict[str, dict[str, int]] = {}

    @cached_property
    def size(self) -> int:
        """The nodes of the graph and of all functions, at most one for each 64 bytes of it."""
        nodes = len(self.main.nodes) + sum(len(f.node_def) for f in self.functions.values())
        return min(nodes, self._graph.ByteSize() // BYTES_OF_NODE)

    @cached_property
    def name_bytes(self) -> int:
        """The length of the names of all these nodes."""
        bodies = (function.node_def for function in self.functions.values())
        return self.main.name_bytes + sum(len(node.name) for body in bodies for node in body)

    def outputs(self, function: str) -> dict[str, int]:
        """The numbers of a function's results by name; of two equal names the first counts."""
        if function not in self._outputs:
            args = self.functions[function].signature.output_arg
            names = reversed(list(enumerate(arg.name for arg in args)))
            self._outputs[function] = {name: number for number, name in names}
        return self._outputs[function]

    def body(self, name: str) -> FunctionBody | None:
        """The body of a function, or None if the library does not have it."""
        body = self._bodies.get(name)
        if body is None and name in self.functions:
            function = self.functions[name]
            body = self._bodies[name] = FunctionBody(name, function.node_def, self, function)
        return body
