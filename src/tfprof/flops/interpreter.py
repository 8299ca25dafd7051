"""An abstract run of a graph: shapes and shape arithmetic, through calls, branches and loops.

A function is run once for each different set of arguments; equal calls share the result. If there
are too many different ones, the others share a run for unknown arguments. Calls nest on a stack of
generators, so that depth is bounded by memory only.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tfprof.definitions.limits import FEW_LINKS, max_visits
from tfprof.flops.control_flow import (
    constant_branch,
    initial_state,
    merge_branches,
    refine_arguments,
    switch_or_merge,
    widen_state,
)
from tfprof.flops.limit_tensors import limit_tensors
from tfprof.flops.polynomial import Count
from tfprof.flops.recorded_trip_counts import LoopId
from tfprof.flops.shapes import canonical, infer
from tfprof.flops.shapes.dtypes import output_type
from tfprof.flops.shapes.inference_context import InferenceContext
from tfprof.flops.symbols import Symbols
from tfprof.flops.tensors import UNKNOWN, Dims, Tensor, dims_of, merge_dims
from tfprof.flops.trip_counts import TripCount, WhileLoop, invariants, trip_count
from tfprof.flops.v1_loops import LoopNest, V1Loops
from tfprof.functions.calls import Call
from tfprof.functions.library import FunctionBody, FunctionLibrary, Ref, argument_index
from tfprof.protos.graph_pb2 import DataType, NodeDef

_MAX_PASSES = 6
"""A loop's state is widened after each pass over its body, so few are needed."""


@dataclass(frozen=True, slots=True, eq=False)
class Invocation:
    """One function run by a node, and how often."""

    call: Call
    instance: Instance | None
    trips: Count
    problem: str = ""


@dataclass(slots=True, eq=False)
class Instance:
    """A body interpreted with one set of arguments."""

    body: FunctionBody
    arguments: tuple[Tensor, ...]
    order: list[int] = field(default_factory=list)
    outputs: dict[int, tuple[Tensor, ...]] = field(default_factory=dict)
    invocations: dict[int, list[Invocation]] = field(default_factory=dict)
    repeats: dict[int, Count] = field(default_factory=dict)
    """How often a node runs that is in a loop of this body itself."""
    results: tuple[Tensor, ...] = ()

    def tensor(self, ref: Ref | None) -> Tensor:
        """What is known about one tensor of the body."""
        if ref is None:
            return UNKNOWN
        index = argument_index(ref)
        if index is None:
            tensors, index = self.outputs.get(ref[0], ()), ref[1]
        else:
            tensors = self.arguments
        return tensors[index] if index < len(tensors) else UNKNOWN

    def inputs(self, position: int) -> tuple[Tensor, ...]:
        """What is known about the data inputs of a node."""
        return tuple(self.tensor(ref) for ref in self.body.inputs[position])


RunShapes = Mapping[tuple[str, str], Sequence[Dims | None]]
"""(function, "" for the main graph; node) -> the shapes that its outputs had in a run."""

_ITERATORS = ("IteratorGetNext", "IteratorGetNextSync")

_Request = tuple[FunctionBody, tuple[Tensor, ...]]
_Run = Generator[_Request, Instance | None, Instance]


class Interpreter:
    """Runs the bodies of a library and keeps what it learns."""

    def __init__(
        self,
        library: FunctionLibrary,
        *,
        placeholders: Mapping[str, Dims | None] | None = None,
        captures: Mapping[str, Dims | None] | None = None,
        run_shapes: RunShapes | None = None,
        symbols: Symbols | None = None,
    ) -> None:
        self.library = library
        self.placeholders = placeholders or {}
        self.captures = captures or {}
        """The shapes of the variables that placeholders are handles of."""
        self.run_shapes = run_shapes or {}
        self.symbols = symbols or Symbols()
        self.conflicts: dict[str, list[str]] = {}
        """What is done with contradictory shapes -> the nodes that have them."""
        self.is_limited = False
        """Whether functions were run for unknown arguments, as there were too many to run."""
        self._visits = self._outputs = max_visits(library.size)
        self._instances: dict[_Request, Instance] = {}
        self._active: set[str] = set()

    def run(self, order: list[int] | None = None) -> Instance:
        """Run the nodes of the main graph in this order, or all of them."""
        main = self.library.main
        return self._drive(self._body(main, (), main.order() if order is None else order))

    def _drive(self, first: _Run) -> Instance:
        """Serve the requests of generators for other bodies, without recursion."""
        stack: list[tuple[_Run, _Request | None]] = [(first, None)]
        result: Instance | None = None
        while True:
            run, request = stack[-1]
            try:
                requested = run.send(result)
            except StopIteration as finished:
                stack.pop()
                result = finished.value
                if request is not None and result is not None:
                    self._instances[request] = result
                    self._active.discard(request[0].name)
                if not stack:
                    assert result is not None
                    return result
                continue
            body, arguments = requested
            result = self._instances.get(requested)
            if result is None and self._visits <= 0:
                # One run of each function is still linear.
                self.is_limited, arguments = True, ()
                requested = body, arguments
                result = self._instances.get(requested)
            if result is None and body.name not in self._active:
                self._active.add(body.name)
                stack.append((self._body(body, arguments, body.live), requested))

    def _body(self, body: FunctionBody, arguments: tuple[Tensor, ...], order: list[int]) -> _Run:
        instance = Instance(body, refine_arguments(body, arguments), order)
        inputs = sum(len(body.inputs[position]) for position in order)
        inputs += len(arguments) + len(body.results)
        self._visits -= max(len(order), inputs // FEW_LINKS)
        v1_loops = V1Loops(body, order) if V1Loops.any_in(body, order) else None
        for component in v1_loops.components if v1_loops else [order]:
            for _ in range(_MAX_PASSES):
                for position in component:
                    yield from self._run_node(instance, position, v1_loops)
                if v1_loops is None or not v1_loops.update(instance, component):
                    break
        if v1_loops is not None:
            self._set_repeats(instance, v1_loops)
        instance.results = tuple(instance.tensor(ref) for ref in body.results)
        return instance

    def _run_node(
        self, instance: Instance, position: int, v1_loops: V1Loops | None
    ) -> Generator[_Request, Instance | None, None]:
        node = instance.body.nodes[position]
        inputs = instance.inputs(position)
        if position in instance.body.calls:
            outputs = yield from self._call(instance, position, inputs)
        else:
            passed_on = v1_loops.pass_through(position, inputs) if v1_loops else None
            outputs = self._infer(node, inputs) if passed_on is None else passed_on
        outputs = self._refine(instance.body, node, outputs)
        if node.op in _ITERATORS:
            outputs = self._name_batches(node, outputs)
        if node.op == "RaggedTensorToTensor":
            padded = outputs[0]
            shape = self.symbols.name_row_lengths(node.name, instance.body.name, padded.shape)
            outputs = [replace(padded, shape=shape)]
        if v1_loops is not None:
            outputs = v1_loops.refine(position, outputs)
        instance.outputs[position] = limit_tensors(outputs)

    def _name_batches(self, node: NodeDef, outputs: Sequence[Tensor]) -> list[Tensor]:
        """What an iterator yields, with symbols for its unknown sizes: an input of the model."""
        named = list(outputs)
        self._merge(node, named, self._stated_shapes(node, "output_shapes"), stated=True)
        return [
            replace(tensor, shape=self.symbols.name_sizes(f"{node.name}:{index}", tensor.shape))
            for index, tensor in enumerate(named)
        ]

    def _set_repeats(self, instance: Instance, v1_loops: V1Loops) -> None:
        counts: dict[LoopNest | None, Count] = {None: 1}
        for nest in sorted(set(v1_loops.enclosing.values()), key=lambda nest: nest.depth):
            trips = v1_loops.trips.get(nest, TripCount())
            counts[nest] = counts[nest.outer] * self._trips(instance, nest.loop, trips)
        for position, nest in v1_loops.enclosing.items():
            instance.repeats[position] = counts[nest]

    def _infer(self, node: NodeDef, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        dtype = node.attr["dtype"].type if "dtype" in node.attr else 0
        is_handle = node.op == "Placeholder" and dtype == DataType.DT_RESOURCE
        if is_handle and node.name in self.captures:
            return [Tensor(dtype, (), element=Tensor(shape=self.captures[node.name]))]
        if node.op in ("Placeholder", "PlaceholderV2", "_Arg") and node.name in self.placeholders:
            return [Tensor(dtype, self.placeholders[node.name])]
        if node.op in ("Merge", "RefMerge", "Switch", "RefSwitch"):
            return switch_or_merge(node, inputs)
        op = canonical(node.op)
        context = InferenceContext(op, node.attr, inputs, max_outputs=self._outputs)
        outputs = infer(context)
        if len(outputs) > 1:
            self._outputs -= len(outputs)
        for one, other in context.equal:
            self.symbols.equate(one, other)
        return outputs

    def _refine(self, body: FunctionBody, node: NodeDef, outputs: Sequence[Tensor]) -> list[Tensor]:
        """Outputs with the shapes of the graph's `_output_shapes` and of the run."""
        merged = list(outputs)
        self._merge(node, merged, self._stated_shapes(node, "_output_shapes"), stated=True)
        if self.run_shapes and (body.name, node.name) in self.run_shapes:
            recorded = self.run_shapes[body.name, node.name]
            self._record_sizes(merged, recorded)
            self._merge(node, merged, recorded)
        return merged

    def _stated_shapes(self, node: NodeDef, name: str) -> list[Dims | None]:
        """The shapes of outputs in an attribute, as many as a node may have."""
        if name not in node.attr:
            return []
        return list(map(dims_of, self._limit_outputs(node.attr[name].list.shape)))

    def _limit_outputs(self, outputs: Sequence[Any]) -> Sequence[Any]:
        """The outputs of a node that are interpreted; the others stay unknown."""
        if len(outputs) > FEW_LINKS:
            outputs = outputs[: max(self._outputs, FEW_LINKS)]
            self._outputs -= len(outputs)
        return outputs

    def _record_sizes(self, outputs: Sequence[Tensor], recorded: Sequence[Dims | None]) -> None:
        """Learn the sizes of symbols: where a shape has one and the recorded shape a number."""
        for tensor, sizes in zip(outputs, recorded, strict=False):
            if tensor.shape is None or sizes is None or len(tensor.shape) != len(sizes):
                continue
            for inferred, size in zip(tensor.shape, sizes, strict=True):
                self.symbols.record(inferred, size)

    def _merge(
        self,
        node: NodeDef,
        outputs: list[Tensor],
        shapes: Sequence[Dims | None],
        *,
        stated: bool = False,
    ) -> None:
        """Add shapes to what is known of outputs; what the graph states wins over the rules."""
        for index, given in enumerate(shapes):
            if index == len(outputs):
                outputs.append(Tensor(output_type(canonical(node.op), node.attr, index)))
            tensor = outputs[index]
            shape, agree = merge_dims(tensor.shape, given)
            if not agree:
                resolution = "those of the graph are used" if stated else "taken as unknown"
                self.conflicts.setdefault(resolution, []).append(node.name)
                outputs[index] = replace(tensor, shape=given if stated else shape, value=None)
            elif shape != tensor.shape:
                outputs[index] = replace(tensor, shape=shape)

    def _call(
        self, instance: Instance, position: int, inputs: tuple[Tensor, ...]
    ) -> Generator[_Request, Instance | None, list[Tensor]]:
        node = instance.body.nodes[position]
        callees = instance.body.calls[position]
        if callees and callees[0].kind == "cond":
            return (yield from self._loop(instance, position, inputs, callees))
        self._visits -= len(callees) if len(callees) > FEW_LINKS else 0
        invocations: list[Invocation] = []
        instances: dict[str, Instance | None] = {}
        branch = constant_branch(node, inputs, len(callees))
        for call in callees if branch is None else [callees[branch]]:
            body = self.library.body(call.function)
            if body is None:
                problem = f"function {call.function!r} is not in the library"
                invocations.append(Invocation(call, None, 1, problem))
                continue
            if body.name not in instances:  # branches have the same inputs
                end = call.first_input + len(body.arguments)
                instances[body.name] = yield body, inputs[call.first_input : end]
            callee = instances[body.name]
            problem = "" if callee else f"function {call.function!r} calls itself"
            invocations.append(Invocation(call, callee, 1, problem))
        instance.invocations[position] = invocations
        results = [i.instance.results if i.instance else () for i in invocations]
        distinct = {id(result): result for result in results}.values()
        return merge_branches(list(map(self._limit_outputs, distinct)))

    def _loop(
        self, instance: Instance, position: int, inputs: tuple[Tensor, ...], callees: list[Call]
    ) -> Generator[_Request, Instance | None, list[Tensor]]:
        node = instance.body.nodes[position]
        cond_call, body_call = callees
        cond_body, loop_body = (self.library.body(call.function) for call in callees)
        if cond_body is None or loop_body is None:
            missing = cond_call.function if cond_body is None else body_call.function
            problem = f"function {missing!r} is not in the library"
            instance.invocations[position] = [Invocation(body_call, None, 1, problem)]
            return []
        invariant = invariants(loop_body)
        state = initial_state(node, inputs, invariant)
        body: Instance | None = None
        for number in range(_MAX_PASSES):
            body = yield loop_body, state
            if body is None:
                break
            wider = widen_state(state, body.results, invariant, give_up=number == _MAX_PASSES - 2)
            if wider == state:
                break
            state = wider
        cond = yield cond_body, state
        problem = "" if body and cond else f"function {body_call.function!r} calls itself"
        loop = WhileLoop(cond, body, inputs) if body and cond else None
        trips = trip_count(loop) if loop else TripCount()
        count = self._trips(instance, node.name, trips)
        instance.invocations[position] = [
            Invocation(cond_call, cond, count + 1, problem),
            Invocation(body_call, body, count, problem),
        ]
        final = loop.final_values(trips.exact) if loop else {}
        return [
            replace(tensor, value=(final[index],)) if index in final else tensor
            for index, tensor in enumerate(self._limit_outputs(state))
        ]

    def _trips(self, instance: Instance, loop: str, trips: TripCount) -> Count:
        """How often a loop runs: the number, or a symbol for it."""
        if trips.exact is not None:
            return trips.exact
        return self.symbols.name_trip_count(LoopId(instance.body.name, loop), trips.upper_bound)
