"""The memory of a step from the graph alone.

Tensors live from the node that makes them to their last consumer, in the order in which an executor
runs the graph.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from tfprof.flops.polynomial import Count, bind
from tfprof.flops.tensors import Tensor
from tfprof.memory.kernel_scratch import SCRATCH, scratch_bytes
from tfprof.memory.symbolic_tensors import (
    NodeTensors,
    SymbolicTensors,
    check_bytes,
    tensor_bytes,
)
from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import CONTROL, Array, BoolArray
from tfprof.runtime.lazy import cached_property
from tfprof.views.graph import producers

_FED = re.compile(r"Placeholder.*|_Arg")
_INPUT = re.compile(r"Placeholder.*|_Arg|.*IteratorGetNext.*|.*Dequeue.*")
_UPDATE = re.compile(
    r"(Resource)?(Sparse)?Apply.+|(Resource)?Scatter(Sub|Add|Update)|Assign(Sub|Add).*"
)
_RESIDENT = re.compile(r"Const|Variable(V2)?|VarHandleOp|ReadVariableOp|_VarHandlesOp|HashTable.*")
_ALIAS = re.compile(
    r"Identity|IdentityN|Reshape|Squeeze|ExpandDims|StopGradient|PreventGradient|Switch|Merge|Enter"
    r"|Exit|NextIteration|RefSwitch|RefMerge|RefEnter|Assign.*|.*Apply.*|Bitcast|_Retval|_Arg"
    r"|(Resource)?Scatter(Sub|Add|Update)"
    r"|(Stateful)?PartitionedCall|(Stateless)?If|(Stateless)?While|(Stateless)?Case|CheckNumerics"
)
_NO_MEMORY = re.compile(f"NoOp|{_RESIDENT.pattern}|{_FED.pattern}|{_ALIAS.pattern}")
"""Ops whose outputs are not allocated by the step."""
_IN_PLACE = re.compile(
    r"Add(V2|N)?|Sub|Mul|(Real)?Div(NoNan)?|Maximum|Minimum|BiasAdd|Relu6?|LeakyRelu|Elu|Selu"
    r"|(Relu6?|LeakyRelu|Elu|Selu|Sigmoid|Tanh|Softplus|Rsqrt|Sqrt|Inv)Grad|Sigmoid|Tanh|Neg|Exp|Log"
    r"|Sqrt|Rsqrt|Square|SquaredDifference|Pow|Abs|Erf|Softmax|LogSoftmax|Softplus|Inv|Reciprocal"
    r"|Floor|Round|Cast|Select(V2)?|FusedBatchNorm(V2|V3)?"
)
_SHAPE_ONLY = re.compile(r"Shape(N)?|Size|Rank")
"""Ops that read no values: they run as soon as a tensor is there and do not keep it."""
_REDUCTION = re.compile(r"Sum|Mean|Max|Min|Prod")
_LOOPS = frozenset(("Enter", "RefEnter", "While", "StatelessWhile"))
_FEW_UNKNOWN = 0.05
"""The share of nodes of unknown shape that hardly matters: reserved and sparse outputs."""
_LOOP_EDGES = ("NextIteration", "RefNextIteration")


@dataclass(frozen=True, slots=True)
class Holder:
    """A tensor, or the scratch memory of an op, that is live at the peak."""

    node: int
    bytes: int
    scratch: bool = False


@dataclass(frozen=True, slots=True)
class StaticPeak:
    """The most memory that the nodes of a step hold, and what holds it."""

    bytes: int
    scratch: int
    holders: tuple[Holder, ...]


@dataclass(frozen=True, eq=False)
class StaticStep:
    """The nodes of a step in the orders in which they may run, with their tensors.

    `unknown` counts the nodes with an output of unknown shape; `loops` says whether some nodes run
    more than once, which count once here.
    """

    orders: Sequence[Sequence[int]]
    tensors: Mapping[int, NodeTensors]
    inputs: Mapping[int, Sequence[tuple[int, int]]]
    """Node -> the nodes and outputs that it reads."""
    trains: bool
    unknown: int
    loops: bool

    @property
    def bound_reason(self) -> str:
        """Why it is only a lower bound; empty if it is more."""
        if self.loops:
            return "the graph has loops, whose memory only a traced step shows"
        if self.unknown > _FEW_UNKNOWN * len(self.tensors):
            return f"the outputs of {self.unknown} of {len(self.tensors)} nodes have unknown shapes"
        return ""

    @cached_property
    def output_sizes(self) -> tuple[Mapping[int, Sequence[int]], Sequence[Count | None]]:
        """Node -> the bytes of its outputs, as indices in all different polynomials.

        A node without known outputs has one of unknown size.
        """
        index: dict[Count | None, int] = {}
        sizes = {
            node: [
                index.setdefault(tensor_bytes(tensor), len(index))
                for tensor in tensors.outputs or (Tensor(),)
            ]
            for node, tensors in self.tensors.items()
        }
        return sizes, list(index)

    @cached_property
    def kinds(self) -> Mapping[int, _Kind]:
        """Node -> where its outputs are."""
        kind_of_op = {op: _kind(op) for op in {tensors.op for tensors in self.tensors.values()}}
        return {node: kind_of_op[tensors.op] for node, tensors in self.tensors.items()}

    @cached_property
    def readers(self) -> Mapping[tuple[int, int], int]:
        """Node and output -> how many inputs read it."""
        return Counter(source for sources in self.inputs.values() for source in sources)

    def counts(self) -> Iterator[Count]:
        """All different sizes, as polynomials."""
        yield from (size for size in self.output_sizes[1] if size is not None)

    def peak(self, values: Mapping[str, Count]) -> StaticPeak:
        """The peak with these sizes of symbols, all of which must be known, in the first order."""
        order, sizes = self.orders[0], _Sizes(self, values)
        _, position = _Run(self, order, sizes).peak()
        if position < 0:
            return StaticPeak(0, 0, ())
        return _Run(self, order, sizes).stop_at(position)

    def bounds(self, values: Mapping[str, Count]) -> tuple[int, int]:
        """The lowest and the highest peak, by the order in which nodes run."""
        sizes = _Sizes(self, values)
        peaks = [_Run(self, order, sizes).peak()[0] for order in self.orders]
        return min(peaks), max(peaks)


def static_step(profile: Profile, symbolic: SymbolicTensors) -> StaticStep:
    """The step that the graph of a resolved profile describes.

    Of a training graph it is what the updates of variables need, else what the inputs lead to.
    A node that others only wait for, without reading its outputs, does nothing: TensorFlow removes
    such work.
    """
    names, ops = profile.nodes.name.to_pylist(), profile.nodes.op.to_pylist()
    consumer, producer = profile.edges.consumer, producers(profile)
    known = producer >= 0
    known &= ~np.isin(producer, [i for i, op in enumerate(ops) if op in _LOOP_EDGES])
    consumer, producer, output = consumer[known], producer[known], profile.edges.output[known]
    targets, trains = _targets(profile, ops, consumer, producer)
    wanted, is_data = _reach(targets, consumer, producer), output != CONTROL
    is_read = _reach(targets, consumer[is_data], producer[is_data])
    tensors = {
        node: symbolic.nodes.get(names[node], NodeTensors(ops[node], (), ()))
        if is_read[node]
        else NodeTensors("NoOp", (), ())
        for node in np.flatnonzero(wanted).tolist()
    }
    orders = tuple(_run_order(wanted, consumer, producer, stack=stack) for stack in (False, True))
    reads = np.array([not _SHAPE_ONLY.fullmatch(op) for op in ops], bool) & is_read
    inputs: dict[int, list[tuple[int, int]]] = {}
    for edge in np.flatnonzero(is_data & reads[consumer]).tolist():
        inputs.setdefault(int(consumer[edge]), []).append((int(producer[edge]), int(output[edge])))
    is_source = {source for sources in inputs.values() for source, _ in sources}
    unknown = sum(
        any(tensor_bytes(tensor) is None for tensor in node_tensors.outputs)
        or (
            node in is_source
            and not node_tensors.outputs
            and not _NO_MEMORY.fullmatch(node_tensors.op)
        )
        for node, node_tensors in tensors.items()
    )
    loops = any(node_tensors.op in _LOOPS for node_tensors in tensors.values())
    return StaticStep(orders, tensors, inputs, trains, unknown, loops)


def _targets(
    profile: Profile, ops: Sequence[str], consumer: Array, producer: Array
) -> tuple[BoolArray, bool]:
    """The nodes that a step is run for, and whether it trains."""
    in_graph = profile.nodes.in_graph
    is_input = np.array([bool(_INPUT.fullmatch(op)) for op in ops], bool) & in_graph
    after_inputs = _reach(is_input, producer, consumer) if is_input.any() else in_graph.copy()
    updates = np.array([bool(_UPDATE.fullmatch(op)) for op in ops], bool) & after_inputs
    if updates.any():
        return updates, True
    if profile.roots:
        roots = set(profile.roots)
        return np.array([name in roots for name in profile.nodes.name.to_pylist()], bool), False
    return after_inputs, False


def _reach(start: BoolArray, source: Array, target: Array) -> BoolArray:
    """The nodes that edges lead to from some nodes, those included."""
    reached = start.copy()
    order = np.argsort(source, kind="stable")
    offsets = group_offsets(source, len(start)).tolist()
    targets = target[order].tolist()
    pending = np.flatnonzero(start).tolist()
    while pending:
        node = pending.pop()
        for other in targets[offsets[node] : offsets[node + 1]]:
            if not reached[other]:
                reached[other] = True
                pending.append(other)
    return reached


def _run_order(wanted: BoolArray, consumer: Array, producer: Array, *, stack: bool) -> list[int]:
    """The nodes in an order in which an executor may run them.

    What becomes ready first runs first; or with `stack` the first of what became ready last.
    """
    edges = wanted[consumer] & wanted[producer]
    consumer, producer = consumer[edges], producer[edges]
    missing = np.bincount(consumer, minlength=len(wanted)).tolist()
    by_producer = np.argsort(producer, kind="stable")
    offsets = group_offsets(producer, len(wanted)).tolist()
    consumers = consumer[by_producer].tolist()
    ready = deque(node for node in np.flatnonzero(wanted).tolist() if not missing[node])
    order = []
    while ready:
        node = ready.popleft()
        order.append(node)
        now_ready = []
        for other in consumers[offsets[node] : offsets[node + 1]]:
            missing[other] -= 1
            if not missing[other]:
                now_ready.append(other)
        if stack:
            ready.extendleft(reversed(now_ready))
        else:
            ready.extend(now_ready)
    return order


class _Kind(Enum):
    """Where the outputs of an op are."""

    RESIDENT = auto()
    ALIAS = auto()
    REDUCTION = auto()
    IN_PLACE = auto()
    NEW = auto()


_KINDS = {
    re.compile(f"{_RESIDENT.pattern}|{_FED.pattern}"): _Kind.RESIDENT,
    _ALIAS: _Kind.ALIAS,
    _REDUCTION: _Kind.REDUCTION,
    _IN_PLACE: _Kind.IN_PLACE,
}


def _kind(op: str) -> _Kind:
    return next((kind for pattern, kind in _KINDS.items() if pattern.fullmatch(op)), _Kind.NEW)


@dataclass(slots=True, eq=False)
class _Buffer:
    """A block of memory and how many inputs still read it."""

    node: int
    bytes: int
    readers: int = 0


class _Sizes:
    """The bytes of the outputs of all nodes, and of the scratch memory of ops, at given sizes."""

    def __init__(self, step: StaticStep, values: Mapping[str, Count]) -> None:
        self.values = values
        nodes, sizes = step.output_sizes
        numbers = [self._number(size) for size in sizes]
        self.outputs = {node: [numbers[i] for i in index] for node, index in nodes.items()}
        self.scratch = {
            node: self._scratch(tensors)
            for node, tensors in step.tensors.items()
            if tensors.op in SCRATCH
        }

    def _scratch(self, node: NodeTensors) -> int:
        inputs, outputs = (
            [self._shape(tensor) for tensor in tensors] for tensors in (node.inputs, node.outputs)
        )
        dtype = node.outputs[0].dtype if node.outputs else 0
        return check_bytes(scratch_bytes(node.op, dtype, inputs, outputs))

    def _shape(self, tensor: Tensor) -> list[int]:
        return [self._number(size) for size in tensor.shape or ()]

    def _number(self, count: Count | None) -> int:
        value = 0 if count is None else bind(count, self.values)
        return check_bytes(value) if isinstance(value, int) else 0


class _Run:
    """One run of a step, with sizes in place of tensors."""

    def __init__(self, step: StaticStep, order: Sequence[int], sizes: _Sizes) -> None:
        self.order, self.sizes = order, sizes
        self.inputs, self.kinds, self.readers = step.inputs, step.kinds, step.readers
        self.live = 0
        self.buffers: dict[tuple[int, int], _Buffer] = {}

    def peak(self) -> tuple[int, int]:
        """The most bytes that are live, and the position of the node that runs then."""
        best = (0, -1)
        for position, node in enumerate(self.order):
            scratch = self._allocate(node)
            if self.live + scratch > best[0]:
                best = (self.live + scratch, position)
            self._release(node)
        return best

    def stop_at(self, position: int) -> StaticPeak:
        """What is live while the node at a position runs."""
        for node in self.order[:position]:
            self._allocate(node)
            self._release(node)
        node = self.order[position]
        scratch = self._allocate(node)
        unique = {id(buffer): buffer for buffer in self.buffers.values() if buffer.bytes}
        held = [Holder(buffer.node, buffer.bytes) for buffer in unique.values()]
        held += [Holder(node, scratch, scratch=True)] if scratch else []
        return StaticPeak(self.live + scratch, scratch, tuple(held))

    def _allocate(self, node: int) -> int:
        """Allocate the outputs of a node; its scratch memory."""
        kind = self.kinds[node]
        if kind != _Kind.RESIDENT:
            sources = self.inputs.get(node, ())
            read = [self.buffers[source] for source in sources if source in self.buffers]
            for index, size in enumerate(self.sizes.outputs[node]):
                buffer = self._output(node, kind, size, read)
                if buffer is not None:
                    buffer.readers += self.readers.get((node, index), 0)
                    self.buffers[node, index] = buffer
        return self.sizes.scratch.get(node, 0)

    def _release(self, node: int) -> None:
        """Release what no node reads any more."""
        read = [source for source in self.inputs.get(node, ()) if source in self.buffers]
        for source in read:
            self.buffers[source].readers -= 1
        made = [(node, i) for i in range(len(self.sizes.outputs[node]))]
        for key in (*read, *made):
            buffer = self.buffers.get(key)
            if buffer is not None and buffer.readers <= 0:
                self.live -= buffer.bytes
                buffer.bytes = 0
                del self.buffers[key]

    def _output(self, node: int, kind: _Kind, size: int, read: Sequence[_Buffer]) -> _Buffer | None:
        """The buffer of an output: an input's, or a new one; None if it is resident anyway."""
        if kind == _Kind.ALIAS:
            return read[0] if read else None
        if kind == _Kind.REDUCTION and read and read[0].bytes == size:
            return read[0]  # it reduces nothing
        if kind == _Kind.IN_PLACE:
            for buffer in read:
                if buffer.readers == 1 and buffer.bytes == size:
                    return buffer
        self.live += size
        return _Buffer(node, size)
