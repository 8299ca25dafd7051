"""How much memory a step needs at given sizes, what holds it, and whether it fits.

From a traced step whose blocks are scaled by symbolic shapes, or from the graph alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf
from typing import Any, Literal

import numpy as np

from tfprof.definitions.limits import MAX_RANK
from tfprof.definitions.options import VARIABLE_OP_TYPES
from tfprof.definitions.quirks import REPAIRED
from tfprof.definitions.units import parse_memory
from tfprof.errors import OptionError
from tfprof.flops.polynomial import Count, bind, symbols
from tfprof.flops.tensors import TYPE_SIZES
from tfprof.memory.compiled_buffers import argument_bytes
from tfprof.memory.fed_inputs import fed_bytes
from tfprof.memory.live_memory import bytes_by_node
from tfprof.memory.peaks import step_memory
from tfprof.memory.recorded_sizes import sizes_from_outputs
from tfprof.memory.scaled_trace import ScaledTrace, scale_trace
from tfprof.memory.static_step import StaticStep, static_step
from tfprof.memory.symbolic_tensors import (
    BeyondMemoryError,
    SymbolicTensors,
    check_bytes,
    require_sizes,
    symbolic_tensors,
    tensor_bytes,
)
from tfprof.profiles.profile import Profile
from tfprof.profiles.user_code import describe_user_line
from tfprof.protos.graph_pb2 import AttrValue
from tfprof.resolve import resolve

Method = Literal["trace", "graph"]
Answer = Literal["yes", "no", "too close"]
MARGINS: Mapping[Method, float] = {"trace": 0.05, "graph": 0.2}
"""More than predictions were off for five models at four batch sizes (docs/memory.md)."""
OUTSIDE_ALLOCATOR = 8_000_000
"""Twice what kernels allocated outside at most, with one intra-op thread: packed matrices."""
_OUTSIDE_ALLOCATOR_NOTE = (
    "memory that kernels allocate without the allocator, beyond the margin: with several intra-op "
    "threads it can be much"
)
_NEVER_COUNTED = (
    _OUTSIDE_ALLOCATOR_NOTE,
    "what the allocator wastes or holds in reserve",
    "the program itself and its input pipeline",
)
_LARGEST = 2**40
_TOP = 10


@dataclass(frozen=True, slots=True)
class MemoryHolder:
    """A node whose memory is live at the predicted peak."""

    node: str
    op: str
    bytes: int
    source: str
    """The line of user code that created the node."""


@dataclass(frozen=True, slots=True)
class MemoryPrediction:
    """The memory of a step at given sizes.

    `bytes` is the peak of the step, what it is fed, and the variables, which stay in memory; of a
    compiled program its arguments are in place of variables. What it needs is from `lowest` to
    `highest`, which is None if the peak is only a lower bound; `not_counted` says what
    none of these numbers include.
    """

    sizes: Mapping[str, int]
    method: Method
    traced_sizes: Mapping[str, int]
    bytes: int
    step_bytes: int
    variable_bytes: int
    input_bytes: int
    temporary_bytes: int
    margin: float
    lowest: int
    highest: int | None
    holders: tuple[MemoryHolder, ...]
    not_counted: tuple[str, ...]
    _model: MemoryModel = field(repr=False)

    def fits(self, memory: int | str) -> Answer:
        """Whether it fits in so many bytes, or in `16GB`; too close to tell within the margin."""
        limit = memory_limit(memory)
        if self.lowest > limit:
            return "no"
        return "yes" if self.highest is not None and self.highest <= limit else "too close"

    def largest(self, symbol: str, memory: int | str) -> int | None:
        """The largest size of a symbol that surely fits, the others as they are; None if none."""
        if not isinstance(symbol, str):
            raise OptionError(f"option 'largest': {symbol!r} is not the name of a size such as B")
        return self._model.largest(symbol, memory_limit(memory), self.sizes)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        skipped = ("_model", "holders", "not_counted")
        numbers = {k: getattr(self, k) for k in self.__slots__ if k not in skipped}
        return {
            **{k: dict(v) if isinstance(v, Mapping) else v for k, v in numbers.items()},
            "holders": [asdict(holder) for holder in self.holders],
            "not_counted": list(self.not_counted),
        }

    def json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.to_dict(), indent=2)


def memory_limit(memory: int | str) -> int:
    """Bytes from a number or a text such as `16GB`."""
    limit = parse_memory(memory) if isinstance(memory, str) else memory
    if not isinstance(limit, int) or isinstance(limit, bool) or limit <= 0:
        raise OptionError(f"option 'memory': {memory!r} is not a size such as 16GB or 800MiB")
    return limit


class MemoryModel:
    """The memory of the step of a profile as a function of the sizes of its symbols."""

    def __init__(self, profile: Profile) -> None:
        self._profile = resolve(profile, REPAIRED)
        self._tensors = _traced_tensors(self._profile)
        self._variables = sum(variable_bytes(self._profile).values())
        self._traces = self._find_traces()
        self._trace = self._traces[0] if self._traces else None
        self._step: StaticStep | None = None
        if self._trace is None:
            self._step = static_step(self._profile, self._tensors)
        self._inputs = fed_bytes(self._profile, self._tensors, self._nodes_that_run())

    def _nodes_that_run(self) -> Collection[int]:
        if self._step is not None:
            return self._step.tensors.keys()
        executions = step_memory(self._profile, REPAIRED).executions
        nodes: list[int] = np.unique(executions.record_node).tolist()
        return nodes

    def _find_traces(self) -> list[ScaledTrace]:
        """The steps of the pool with the highest recorded peak, that peak first.

        None if the sizes in the trace are not known.
        """
        memory = step_memory(self._profile, REPAIRED)
        peaks = [peak.memory for peak in memory.peaks() if peak.memory and not peak.partial]
        if not peaks or not self._open_symbols() <= self._tensors.recorded.keys():
            return []
        highest = max(peaks, key=lambda live: live.peak)
        self._variables += argument_bytes(self._profile, highest)
        others = [live for live in memory.pools if live.pool == highest.pool]
        steps = [highest, *(live for live in others if live.step != highest.step)]
        return [scale_trace(self._profile, live, self._tensors) for live in steps]

    def _open_symbols(self) -> set[str]:
        """The symbols in the shapes of tensors."""
        names: set[str] = set()
        for node in self._tensors.nodes.values():
            for tensor in node.outputs:
                names |= symbols(tensor_bytes(tensor) or 0)
        values = self._tensors.sizes({})
        return {name for name in names if not isinstance(values.get(name), int)} | (
            names & self._tensors.recorded.keys()
        )

    def predict(self, given: Mapping[str, int]) -> MemoryPrediction:
        """The memory with these sizes; those of the trace where none are given."""
        values = self._values(given)
        find = self._from_graph if self._trace is None else self._from_trace
        step_bytes, temporary, holders = find(values)
        margin, lowest, highest = self._range(values)
        return MemoryPrediction(
            sizes=self._tensors.named_sizes(given),
            method="graph" if self._trace is None else "trace",
            traced_sizes={} if self._trace is None else self._tensors.named_sizes({}),
            bytes=step_bytes + self._variables + self._input_bytes(values),
            step_bytes=step_bytes,
            variable_bytes=self._variables,
            input_bytes=self._input_bytes(values),
            temporary_bytes=temporary,
            margin=margin,
            lowest=lowest,
            highest=highest,
            holders=tuple(holders),
            not_counted=tuple(self._not_counted()),
            _model=self,
        )

    def _input_bytes(self, values: dict[str, Count]) -> int:
        sizes = (bind(size, values) for size in self._inputs)
        return sum(check_bytes(size) for size in sizes if isinstance(size, int))

    def _values(self, given: Mapping[str, int]) -> dict[str, Count]:
        values = self._tensors.sizes(given)
        if self._step is not None:
            if self._step.tensors and not any(True for _ in self._step.counts()):
                raise OptionError(
                    "memory: no size of any tensor of the graph is known; ops that Python runs one "
                    "by one have none: put the step into a tf.function"
                )
            counts = (bind(count, values) for count in self._step.counts())
            missing = set().union(*map(symbols, counts))
            require_sizes(sorted(missing), self._tensors.meanings)
        return values

    def _range(self, values: dict[str, Count]) -> tuple[float, int, int | None]:
        """The margin, and what is needed at least and at most."""
        if self._trace is not None:
            # Steps differ: nodes that are ready at the same time run in any order.
            peaks = [trace.scale(values).peak for trace in self._traces]
            margin = MARGINS["trace"]
            if values != self._tensors.sizes({}):
                margin += self._trace.assumed_share(self._trace.scale(values))
            bounds = min(peaks), max(peaks)
        else:
            assert self._step is not None
            margin, bounds = MARGINS["graph"], self._step.bounds(values)
        fixed = self._variables + self._input_bytes(values)
        lowest = max(int(bounds[0] * (1 - margin)), 0) + fixed
        if self._step is not None and self._step.bound_reason:
            return margin, lowest, None
        return margin, lowest, int(bounds[1] * (1 + margin)) + fixed + OUTSIDE_ALLOCATOR

    def _from_trace(self, values: dict[str, Count]) -> tuple[int, int, list[MemoryHolder]]:
        assert self._trace is not None
        memory = self._trace.scale(values)
        rows, blocks = memory.rows_at(memory.peak_time), memory.blocks
        node_bytes = bytes_by_node(blocks, rows, len(self._profile.nodes))
        temporary = int(blocks.size[rows][blocks.temporary[rows]].sum())
        return memory.peak, temporary, self._holders(dict(enumerate(node_bytes.tolist())))

    def _from_graph(self, values: dict[str, Count]) -> tuple[int, int, list[MemoryHolder]]:
        assert self._step is not None
        peak = self._step.peak(values)
        node_bytes: dict[int, int] = {}
        for holder in peak.holders:
            node_bytes[holder.node] = node_bytes.get(holder.node, 0) + holder.bytes
        return peak.bytes, peak.scratch, self._holders(node_bytes)

    def _holders(self, node_bytes: Mapping[int, int]) -> list[MemoryHolder]:
        nodes = self._profile.nodes
        largest = sorted(node_bytes.items(), key=lambda item: (-item[1], item[0]))[:_TOP]
        return [
            MemoryHolder(
                nodes.name[node].as_py(),
                nodes.op[node].as_py(),
                size,
                describe_user_line(self._profile, node),
            )
            for node, size in largest
            if size
        ]

    def _not_counted(self) -> Sequence[str]:
        texts = [*_NEVER_COUNTED]
        if self._step is None:
            return texts
        texts.append("scratch memory of kernels, but for convolutions and poolings on a CPU")
        if self._step.unknown:
            texts.append(f"{self._step.unknown} nodes with outputs of unknown shape")
        if self._step.loops:
            texts.append("what loops keep of each iteration: their bodies count once")
        if not self._step.trains:
            texts.append("gradients and optimizer: the graph has no training step")
        return texts

    def largest(self, symbol: str, limit: int, given: Mapping[str, int]) -> int | None:
        """The largest size of a symbol that surely fits into a limit; None if even 1 does not."""
        others = self._tensors.other_sizes(given, symbol)

        def need(size: int) -> float:
            """The most bytes that are needed."""
            try:
                *_, highest = self._range(self._values({**others, symbol: size}))
            except BeyondMemoryError:
                return inf
            if highest is None:
                reason = self._step.bound_reason if self._step else ""
                raise OptionError(
                    f"option 'largest': {reason}; give a traced step (--run_meta_path)"
                )
            return highest

        low, high = 1, 2
        needs = [need(low), need(high)]
        if needs[0] > limit:
            return None
        while needs[1] <= limit:
            if high >= _LARGEST:
                raise OptionError(
                    f"option 'largest': {symbol} = {high:,} fits, if memory depends on {symbol}"
                    " at all; use --bind to see the memory of a size"
                )
            low, high = high, 2 * high
            needs = [needs[1], need(high)]
        is_guess = True
        while high - low > 1:
            middle = (low + high) // 2
            if is_guess and needs[1] < inf:
                # Memory mostly grows evenly: the next two sizes are then the last.
                share = (limit - needs[0]) / (needs[1] - needs[0])
                middle = min(max(low + int((high - low) * share), low + 1), high - 1)
            width, needed = high - low, need(middle)
            if needed <= limit:
                low, needs[0] = middle, needed
            else:
                high, needs[1] = middle, needed
            is_guess = 2 * (high - low) <= width
        return low


def _traced_tensors(profile: Profile) -> SymbolicTensors:
    """The tensors of a profile, with the sizes in its run also where no shapes were saved."""
    tensors = symbolic_tensors(profile)
    if profile.records:
        return tensors
    executions = step_memory(profile, REPAIRED).executions
    return replace(tensors, recorded=sizes_from_outputs(profile, executions, tensors.nodes))


def variable_bytes(profile: Profile) -> dict[int, int]:
    """The memory of each variable of the graph by its node, those of optimizers included."""
    bytes_of: dict[int, int] = {}
    ops = profile.nodes.op.to_pylist()
    for node in np.flatnonzero(profile.nodes.in_graph).tolist():
        if ops[node] not in VARIABLE_OP_TYPES:
            continue
        attrs = {entry["key"]: entry["value"] for entry in profile.nodes.attrs[node].as_py()}
        if "shape" not in attrs or "dtype" not in attrs:
            continue
        shape = AttrValue.FromString(attrs["shape"]).shape
        sizes = [dim.size for dim in shape.dim]
        if shape.unknown_rank or len(sizes) > MAX_RANK or any(size < 0 for size in sizes):
            continue
        item = TYPE_SIZES.get(AttrValue.FromString(attrs["dtype"]).type, 0)
        bytes_of[node] = check_bytes(int(np.prod(sizes, dtype=object)) * item)
    return bytes_of


def predict_memory(profile: Profile, given: Mapping[str, int] | None = None) -> MemoryPrediction:
    """The memory of the step of a profile at given sizes of symbols such as `B`."""
    return MemoryModel(profile).predict(profile.bind if given is None else given)
