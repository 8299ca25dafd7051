"""The memory of a traced step at other sizes: each recorded block grows with its tensor's shape.

The order of allocations and releases is that of the trace.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import mul

import numpy as np

from tfprof.flops.polynomial import Count, bind, symbol, symbols
from tfprof.flops.tensors import Tensor, elements
from tfprof.memory.kernel_scratch import FIXED
from tfprof.memory.live_memory import LiveMemory, live_memory
from tfprof.memory.symbolic_tensors import (
    BeyondMemoryError,
    NodeTensors,
    SymbolicTensors,
    tensor_bytes,
)
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.protos.graph_pb2 import DataType

_MAX_BYTES = 2**62
_WIDTHS = (1, 2, 4, 8, 12, 16)
"""Bytes per element that a temporary of a tensor's shape may have."""
_NO_TENSORS = NodeTensors("", (), ())


@dataclass(frozen=True, eq=False)
class ScaledTrace:
    """The blocks of a pool in a step, with their sizes as polynomials.

    `index` is the size of each block in `sizes`; `assumed` says which sizes no shape explains.
    """

    memory: LiveMemory
    sizes: tuple[Count, ...]
    index: Array
    assumed: Array

    def scale(self, values: dict[str, Count]) -> LiveMemory:
        """The live bytes with these sizes of symbols, all of which must be known."""
        bytes_of_size = [_number(bind(size, values)) for size in self.sizes]
        counts = np.bincount(self.index, minlength=len(self.sizes)).tolist()
        if sum(map(mul, bytes_of_size, counts)) > _MAX_BYTES:
            raise BeyondMemoryError(
                "option 'bind': these sizes need more memory than 64 bits can count"
            )
        numbers = np.array(bytes_of_size, np.int64)
        blocks = self.memory.blocks
        size = blocks.size.copy()
        size[self.memory.rows] = numbers[self.index]
        scaled = replace(blocks, size=size)
        return live_memory(scaled, self.memory.rows)

    def assumed_share(self, memory: LiveMemory) -> float:
        """The share of the peak whose growth is assumed, not known from shapes."""
        rows = memory.rows_at(memory.peak_time)
        is_assumed = np.zeros(len(memory.blocks), bool)
        is_assumed[self.memory.rows[self.assumed[self.index]]] = True
        sizes = memory.blocks.size[rows]
        return float(sizes[is_assumed[rows]].sum()) / max(int(sizes.sum()), 1)


def scale_trace(profile: Profile, memory: LiveMemory, tensors: SymbolicTensors) -> ScaledTrace:
    """The blocks of a pool with sizes that grow with the symbols of the graph."""
    blocks, rows = memory.blocks, memory.rows
    names = profile.nodes.name
    sizing = _Sizing(tensors)
    keys: dict[tuple[int, int, bool], int] = {}
    counts: list[tuple[Count, bool]] = []
    index = np.empty(len(rows), np.int64)
    columns = (blocks.node[rows], blocks.size[rows], blocks.temporary[rows])
    for i, key in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        if key not in keys:
            keys[key] = len(counts)
            node, size, temporary = key
            counts.append(sizing.size(names[node].as_py(), size, temporary=temporary))
        index[i] = keys[key]
    sizes = tuple(size for size, _ in counts)
    return ScaledTrace(memory, sizes, index, np.array([not known for _, known in counts], bool))


class _Sizing:
    """Finds the polynomial that a recorded size is a value of."""

    def __init__(self, tensors: SymbolicTensors) -> None:
        self._tensors = tensors
        self._recorded = tensors.sizes({})

    def size(self, name: str, size: int, *, temporary: bool) -> tuple[Count, bool]:
        """The bytes of a block as a polynomial, and whether a shape explains it."""
        node = self._tensors.nodes.get(name, _NO_TENSORS)
        if temporary and node.op in FIXED:
            return size, True
        outputs = () if temporary else map(tensor_bytes, node.outputs)
        for count in outputs:
            if count is not None and self._value(count) == size:
                return count, True
        tensors = [*node.outputs, *node.inputs]
        tensors += [tensor.element for tensor in tensors if tensor.element is not None]
        for tensor in tensors:
            count = elements(tensor.shape)
            if count is None or not symbols(count):
                continue
            value = self._value(count)
            if value and size % value == 0 and size // value in _WIDTHS:
                return count * (size // value), True
        counts = [_content(tensor) for tensor in tensors]
        if tensors and all(count is not None and not symbols(count) for count in counts):
            return size, True
        return self._by_size.get(size) or self._assume(size)

    @cached_property
    def _by_size(self) -> dict[int, tuple[Count, bool]]:
        """Sizes that all tensors which have them share as one polynomial."""
        counts_of_size: dict[int, set[Count]] = {}
        for node in self._tensors.nodes.values():
            for count in map(tensor_bytes, node.outputs):
                if count is not None and self._value(count):
                    counts_of_size.setdefault(self._value(count), set()).add(count)
        return {
            size: (counts.pop(), True)
            for size, counts in counts_of_size.items()
            if len(counts) == 1
        }

    def _assume(self, size: int) -> tuple[Count, bool]:
        """A size that no shape explains: linear in the batch size if that divides it."""
        for name, value in self._tensors.recorded.items():
            if value > 1 and size % value == 0:
                return symbol(name) * (size // value), False
        return size, False

    def _value(self, count: Count) -> int:
        return _number(bind(count, self._recorded))


def _content(tensor: Tensor) -> Count | None:
    """The elements of a tensor; None of a variant, whose shape does not say what it holds."""
    return None if tensor.dtype == DataType.DT_VARIANT else elements(tensor.shape)


def _number(count: Count) -> int:
    return count if isinstance(count, int) else 0
