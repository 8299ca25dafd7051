"""An abstract run of a graph: shapes and shape arithmetic, through calls, branches and loops.

A function is run once for each different set of arguments; equal calls share the result. Calls
nest on a stack of generators, so that depth is bounded by memory only.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tfprof.flops.control_flow import (
    annotated,
    branch_taken,
    joined,
    loop_shapes,
    old_control,
    widened,
)
from tfprof.flops.polynomial import Count, Polynomial, symbol, symbols
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
    """A body run with given arguments."""

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
        if index is not None:
            return self.arguments[index] if index < len(self.arguments) else UNKNOWN
        found = self.outputs.get(ref[0], ())
        return found[ref[1]] if ref[1] < len(found) else UNKNOWN

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
        """Symbols that were taken to be the same, because the graph is not valid otherwise."""
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
        instance = Instance(body, annotated(body, arguments), order)
        frames = V1Loops(body, order) if V1Loops.any_in(body, order) else None
        for _ in range(_MAX_PASSES):
            for position in order:
                yield from self._position(instance, position, frames)
            if frames is None or not frames.learn(instance):
                break
        if frames is not None:
            self._repeat(instance, frames)
        instance.results = tuple(instance.tensor(ref) for ref in body.results)
        return instance

    def _position(
        self, instance: Instance, position: int, frames: V1Loops | None
    ) -> Generator[_Request, Instance | None, None]:
        node = instance.body.nodes[position]
        inputs = instance.inputs(position)
        if is_call(node, self.library.functions):
            outputs = yield from self._call(instance, position, inputs)
        else:
            popped = frames.stack(position, inputs) if frames else None
            outputs = self._node(node, inputs) if popped is None else popped
        outputs = self._stated(instance.body, node, outputs)
        if frames is not None:
            outputs = frames.adjusted(position, outputs)
        instance.outputs[position] = tuple(outputs)

    def _repeat(self, instance: Instance, frames: V1Loops) -> None:
        for position, around in frames.frames.items():
            times: Count = 1
            for depth in range(1, len(around) + 1):
                frame = around[:depth]
                times = times * self._trips(
                    instance, frame[-1], frames.trips.get(frame, TripCount())
                )
            instance.repeats[position] = times

    def _node(self, node: NodeDef, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        if node.op in ("Placeholder", "PlaceholderV2", "_Arg") and node.name in self.placeholders:
            dtype = node.attr["dtype"].type if "dtype" in node.attr else 0
            return [Tensor(dtype, self.placeholders[node.name])]
        if node.op in ("Merge", "RefMerge", "Switch", "RefSwitch"):
            return old_control(node, inputs)
        site = InferenceContext(canonical(node.op), node.attr, inputs)
        outputs = infer(site)
        for one, other in site.equal:
            self._equate(one, other)
        return outputs

    def _equate(self, one: str, other: str) -> None:
        kept, dropped = self.representative(one), self.representative(other)
        if dropped == "B":
            kept, dropped = dropped, kept
        if kept != dropped:
            self.equal[dropped] = kept

    def representative(self, name: str) -> str:
        """The one of all symbols taken to be equal to a symbol that stands for them."""
        while name in self.equal:
            name = self.equal[name]
        return name

    def _stated(self, body: FunctionBody, node: NodeDef, outputs: Sequence[Tensor]) -> list[Tensor]:
        """Outputs with what the graph and the run state about them."""
        merged = list(outputs)
        if "_output_shapes" in node.attr:
            stated = [dims_of(shape) for shape in node.attr["_output_shapes"].list.shape]
            self._merge(node, merged, stated)
        if self.run_shapes and (body.name, node.name) in self.run_shapes:
            recorded = self.run_shapes[body.name, node.name]
            self._record_sizes(merged, recorded)
            self._merge(node, merged, recorded)
        return merged

    def _record_sizes(self, outputs: Sequence[Tensor], recorded: Sequence[Dims | None]) -> None:
        """Learn the sizes of symbols: where a shape has one and the recorded shape a number."""
        for tensor, fact in zip(outputs, recorded, strict=False):
            if tensor.shape is None or fact is None or len(tensor.shape) != len(fact):
                continue
            for ours, size in zip(tensor.shape, fact, strict=True):
                if isinstance(ours, Polynomial) and isinstance(size, int):
                    for name in symbols(ours):
                        if ours == symbol(name):
                            self.recorded_sizes.setdefault(self.representative(name), size)

    def _merge(self, node: NodeDef, outputs: list[Tensor], facts: Sequence[Dims | None]) -> None:
        for index, fact in enumerate(facts):
            if index == len(outputs):
                outputs.append(Tensor(output_type(canonical(node.op), node.attr, index)))
            ours = outputs[index]
            shape, agree = merge_dims(ours.shape, fact)
            if not agree:
                self.conflicts.append(node.name)
                outputs[index] = replace(ours, shape=shape, value=None)
            elif shape != ours.shape:
                outputs[index] = replace(ours, shape=shape)

    def _call(
        self, instance: Instance, position: int, inputs: tuple[Tensor, ...]
    ) -> Generator[_Request, Instance | None, list[Tensor]]:
        node = instance.body.nodes[position]
        made = list(calls(node, self.library.functions, self.library.gradients))
        if node.op in LOOPS:
            return (yield from self._loop(instance, position, inputs, made))
        invocations: list[Invocation] = []
        chosen = branch_taken(node, inputs, len(made))
        for index, call in enumerate(made):
            if chosen is not None and index != chosen:
                continue
            body = self.library.body(call.function)
            if body is None:
                problem = f"function {call.function!r} is not in the library"
                invocations.append(Invocation(call, None, 1, problem))
                continue
            ran = yield body, inputs[call.first_input :]
            problem = "" if ran else f"function {call.function!r} calls itself"
            invocations.append(Invocation(call, ran, 1, problem))
        instance.invocations[position] = invocations
        return joined([ran.instance.results if ran.instance else () for ran in invocations])

    def _loop(
        self, instance: Instance, position: int, inputs: tuple[Tensor, ...], made: list[Call]
    ) -> Generator[_Request, Instance | None, list[Tensor]]:
        node = instance.body.nodes[position]
        cond, body = made
        test, step = self.library.body(cond.function), self.library.body(body.function)
        if test is None or step is None:
            absent = cond.function if test is None else body.function
            problem = f"function {absent!r} is not in the library"
            instance.invocations[position] = [Invocation(body, None, 1, problem)]
            return []
        fixed = invariants(step)
        state = tuple(
            tensor if index in fixed else replace(tensor, value=None)
            for index, tensor in enumerate(inputs)
        )
        state = loop_shapes(node, state)
        ran: Instance | None = None
        for turn in range(_MAX_PASSES):
            ran = yield step, state
            if ran is None:
                break
            wider = widened(state, ran.results, fixed, give_up=turn == _MAX_PASSES - 2)
            if wider == state:
                break
            state = wider
        tested = yield test, state
        problem = "" if ran and tested else f"function {body.function!r} calls itself"
        loop = WhileLoop(tested, ran, inputs) if ran and tested else None
        trips = trip_count(loop) if loop else TripCount()
        known = self._trips(instance, node.name, trips)
        instance.invocations[position] = [
            Invocation(cond, tested, known + 1, problem),
            Invocation(body, ran, known, problem),
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
        where = f"trip count of loop {loop}"
        where += f" in {instance.body.name}" if instance.body.name else ""
        where += f" (max {trips.most})" if trips.most is not None else ""
        for name, meaning in self.symbols.items():
            if meaning == where:
                return symbol(name)
        name = "T" if not self.symbols else f"T{len(self.symbols) + 1}"
        self.symbols[name] = where
        self.loops[name] = Loop(instance.body.name, loop)
        return symbol(name)
