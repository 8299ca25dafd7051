"""An abstract run of a graph: shapes and shape arithmetic, through calls, branches and loops.

A function is run once for each different set of arguments; equal calls share the result. Calls
nest on a stack of generators, so that depth is bounded by memory only.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tfprof.flops.control_flow import (
    constant_branch,
    initial_state,
    merge_branches,
    refine_arguments,
    switch_or_merge,
    widen_state,
)
from tfprof.flops.polynomial import Count, symbol, symbol_name
from tfprof.flops.recorded_trip_counts import Loop
from tfprof.flops.shapes import canonical, infer
from tfprof.flops.shapes.dtypes import output_type
from tfprof.flops.shapes.inference_context import InferenceContext
from tfprof.flops.tensors import UNKNOWN, Dims, Tensor, dims_of, merge_dims
from tfprof.flops.trip_counts import TripCount, WhileLoop, invariants, trip_count
from tfprof.flops.v1_loops import V1Loops
from tfprof.functions.calls import LOOPS, Call, calls, is_call
from tfprof.functions.library import FunctionBody, FunctionLibrary, Ref, argument
from tfprof.protos.graph_pb2 import NodeDef

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
        index = argument(ref)
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

_Request = tuple[FunctionBody, tuple[Tensor, ...]]
_Run = Generator[_Request, Instance | None, Instance]


class Interpreter:
    """Runs the bodies of a library and keeps what it learns."""

    def __init__(
        self,
        library: FunctionLibrary,
        *,
        placeholders: Mapping[str, Dims | None] | None = None,
        run_shapes: RunShapes | None = None,
    ) -> None:
        self.library = library
        self.placeholders = placeholders or {}
        self.run_shapes = run_shapes or {}
        self.recorded_sizes: dict[str, int] = {}
        """Symbol -> its size, where the shapes of a run show it."""
        self.symbols: dict[str, str] = {}
        """Symbol -> what it stands for."""
        self.loops: dict[str, Loop] = {}
        """The loops among what symbols stand for."""
        self.equal: dict[str, str] = {}
        """Symbol -> the one it must be equal to for the graph to be valid."""
        self.conflicts: list[str] = []
        """Nodes whose shapes contradict each other."""
        self._instances: dict[_Request, Instance] = {}
        self._active: set[str] = set()

    def run(self, roots: Iterable[str] | None = None) -> Instance:
        """Run the main graph, or the part of it that the nodes named `roots` need."""
        main = self.library.main
        if roots is None:
            order = main.order()
        else:
            order = main.order([main.positions[name] for name in roots])
        return self._drive(self._body(main, (), order))

    def _drive(self, first: _Run) -> Instance:
        """Serve the requests of generators for other bodies, without recursion."""
        stack: list[tuple[_Run, _Request | None]] = [(first, None)]
        answer: Instance | None = None
        while True:
            run, request = stack[-1]
            try:
                wanted = run.send(answer)
            except StopIteration as finished:
                stack.pop()
                answer = finished.value
                if request is not None and answer is not None:
                    self._instances[request] = answer
                    self._active.discard(request[0].name)
                if not stack:
                    assert answer is not None
                    return answer
                continue
            body, arguments = wanted
            answer = self._instances.get(wanted)
            if answer is None and body.name not in self._active:
                self._active.add(body.name)
                stack.append((self._body(body, arguments, body.live()), wanted))

    def _body(self, body: FunctionBody, arguments: tuple[Tensor, ...], order: list[int]) -> _Run:
        instance = Instance(body, refine_arguments(body, arguments), order)
        frames = V1Loops(body, order) if V1Loops.any_in(body, order) else None
        for _ in range(_MAX_PASSES):
            for position in order:
                yield from self._run_node(instance, position, frames)
            if frames is None or not frames.update(instance):
                break
        if frames is not None:
            self._set_repeats(instance, frames)
        instance.results = tuple(instance.tensor(ref) for ref in body.results)
        return instance

    def _run_node(
        self, instance: Instance, position: int, frames: V1Loops | None
    ) -> Generator[_Request, Instance | None, None]:
        node = instance.body.nodes[position]
        inputs = instance.inputs(position)
        if is_call(node, self.library.functions):
            outputs = yield from self._call(instance, position, inputs)
        else:
            stack = frames.stack_output(position, inputs) if frames else None
            outputs = self._infer(node, inputs) if stack is None else stack
        outputs = self._refine(instance.body, node, outputs)
        if frames is not None:
            outputs = frames.refine(position, outputs)
        instance.outputs[position] = tuple(outputs)

    def _set_repeats(self, instance: Instance, frames: V1Loops) -> None:
        for position, around in frames.frames.items():
            times: Count = 1
            for depth in range(1, len(around) + 1):
                frame = around[:depth]
                times = times * self._trips(
                    instance, frame[-1], frames.trips.get(frame, TripCount())
                )
            instance.repeats[position] = times

    def _infer(self, node: NodeDef, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        if node.op in ("Placeholder", "PlaceholderV2", "_Arg") and node.name in self.placeholders:
            dtype = node.attr["dtype"].type if "dtype" in node.attr else 0
            return [Tensor(dtype, self.placeholders[node.name])]
        if node.op in ("Merge", "RefMerge", "Switch", "RefSwitch"):
            return switch_or_merge(node, inputs)
        context = InferenceContext(canonical(node.op), node.attr, inputs)
        outputs = infer(context)
        for one, other in context.equal:
            self._equate(one, other)
        return outputs

    def _equate(self, one: str, other: str) -> None:
        kept, dropped = self.representative(one), self.representative(other)
        if dropped == "B":
            kept, dropped = dropped, kept
        if kept != dropped:
            self.equal[dropped] = kept

    def representative(self, name: str) -> str:
        """The symbol that replaces all symbols equal to this one."""
        while name in self.equal:
            name = self.equal[name]
        return name

    def _refine(self, body: FunctionBody, node: NodeDef, outputs: Sequence[Tensor]) -> list[Tensor]:
        """Outputs with the shapes of the graph's `_output_shapes` and of the run."""
        merged = list(outputs)
        if "_output_shapes" in node.attr:
            shapes = node.attr["_output_shapes"].list.shape
            self._merge(node, merged, [dims_of(shape) for shape in shapes])
        if self.run_shapes and (body.name, node.name) in self.run_shapes:
            recorded = self.run_shapes[body.name, node.name]
            self._record_sizes(merged, recorded)
            self._merge(node, merged, recorded)
        return merged

    def _record_sizes(self, outputs: Sequence[Tensor], recorded: Sequence[Dims | None]) -> None:
        """Learn the sizes of symbols: where a shape has one and the recorded shape a number."""
        for tensor, sizes in zip(outputs, recorded, strict=False):
            if tensor.shape is None or sizes is None or len(tensor.shape) != len(sizes):
                continue
            for inferred, size in zip(tensor.shape, sizes, strict=True):
                name = symbol_name(inferred)
                if name is not None and isinstance(size, int):
                    self.recorded_sizes.setdefault(self.representative(name), size)

    def _merge(self, node: NodeDef, outputs: list[Tensor], shapes: Sequence[Dims | None]) -> None:
        for index, stated in enumerate(shapes):
            if index == len(outputs):
                outputs.append(Tensor(output_type(canonical(node.op), node.attr, index)))
            tensor = outputs[index]
            shape, agree = merge_dims(tensor.shape, stated)
            if not agree:
                self.conflicts.append(node.name)
                outputs[index] = replace(tensor, shape=shape, value=None)
            elif shape != tensor.shape:
                outputs[index] = replace(tensor, shape=shape)

    def _call(
        self, instance: Instance, position: int, inputs: tuple[Tensor, ...]
    ) -> Generator[_Request, Instance | None, list[Tensor]]:
        node = instance.body.nodes[position]
        callees = list(calls(node, self.library.functions, self.library.gradients))
        if node.op in LOOPS:
            return (yield from self._loop(instance, position, inputs, callees))
        invocations: list[Invocation] = []
        branch = constant_branch(node, inputs, len(callees))
        for call in callees if branch is None else [callees[branch]]:
            body = self.library.body(call.function)
            if body is None:
                problem = f"function {call.function!r} is not in the library"
                invocations.append(Invocation(call, None, 1, problem))
                continue
            ran = yield body, inputs[call.first_input :]
            problem = "" if ran else f"function {call.function!r} calls itself"
            invocations.append(Invocation(call, ran, 1, problem))
        instance.invocations[position] = invocations
        return merge_branches([ran.instance.results if ran.instance else () for ran in invocations])

    def _loop(
        self, instance: Instance, position: int, inputs: tuple[Tensor, ...], callees: list[Call]
    ) -> Generator[_Request, Instance | None, list[Tensor]]:
        node = instance.body.nodes[position]
        cond, body = callees
        test, step = self.library.body(cond.function), self.library.body(body.function)
        if test is None or step is None:
            absent = cond.function if test is None else body.function
            problem = f"function {absent!r} is not in the library"
            instance.invocations[position] = [Invocation(body, None, 1, problem)]
            return []
        fixed = invariants(step)
        state = initial_state(node, inputs, fixed)
        ran: Instance | None = None
        for number in range(_MAX_PASSES):
            ran = yield step, state
            if ran is None:
                break
            wider = widen_state(state, ran.results, fixed, give_up=number == _MAX_PASSES - 2)
            if wider == state:
                break
            state = wider
        tested = yield test, state
        problem = "" if ran and tested else f"function {body.function!r} calls itself"
        loop = WhileLoop(tested, ran, inputs) if ran and tested else None
        trips = trip_count(loop) if loop else TripCount()
        count = self._trips(instance, node.name, trips)
        instance.invocations[position] = [
            Invocation(cond, tested, count + 1, problem),
            Invocation(body, ran, count, problem),
        ]
        final = loop.final_values(trips.exact) if loop else {}
        return [
            replace(tensor, value=(final[index],)) if index in final else tensor
            for index, tensor in enumerate(state)
        ]

    def _trips(self, instance: Instance, loop: str, trips: TripCount) -> Count:
        """How often a loop runs: the number, or a symbol for it."""
        if trips.exact is not None:
            return trips.exact
        meaning = f"trip count of loop {loop}"
        meaning += f" in {instance.body.name}" if instance.body.name else ""
        meaning += f" (max {trips.upper_bound})" if trips.upper_bound is not None else ""
        for name, known in self.symbols.items():
            if known == meaning:
                return symbol(name)
        name = "T" if not self.symbols else f"T{len(self.symbols) + 1}"
        self.symbols[name] = meaning
        self.loops[name] = Loop(instance.body.name, loop)
        return symbol(name)
