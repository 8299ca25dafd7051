"""The largest allocations at given samples: all samples at once, one allocation after another.

The definition: of all that is allocated at a sample, from the largest on, each that fits in the
rest of the bytes in use, until there are ten. A sweep over the samples with a sorted list of what
is allocated is simple, and takes 45 ms for 20,000 nodes, as long as the whole rest of a timeline.
Here each sample has a row of bits, one for each allocation by size, and NumPy finds the next one in
all rows at once: 3 ms. A row of 300,000 bits is long to search. So each row has an index, one bit
for each word of it that is not 0, and so on until a row is one word.
"""

from __future__ import annotations

import numpy as np

from tfprof.outputs.timeline.allocation_history import AllocationHistory
from tfprof.profiles.schema import Array

TOP = 10
_BITS = 64
_SHIFT, _MASK = 6, 63  # the word of bit i is i >> _SHIFT, in which it is bit i & _MASK
_ALL = np.uint64(2**_BITS - 1)
_ONE = np.uint64(1)
_BLOCK = 1 << 20  # words of the samples that are looked at together; the last cache holds them


def find_top_allocations(history: AllocationHistory, in_use: Array) -> tuple[Array, Array]:
    """Indices into `sizes` of the largest allocations at each sample, and the rest of the bytes.

    -1 is none. An allocation that is larger than the rest of the bytes in use is skipped.
    """
    changes = [(history.sample[bits >= 0], bits[bits >= 0]) for bits in (history.old, history.new)]
    top, rest = np.empty((len(in_use), TOP), np.int64), in_use.copy()
    empty_rows = _empty_rows(history.counts)
    width = empty_rows.shape[1]
    state = np.zeros(width, np.uint64)
    rows = max(_BLOCK // width, 1)
    for begin in range(0, len(in_use), rows):
        end = min(begin + rows, len(in_use))
        words = np.zeros((end - begin, width), np.uint64)
        for sample, bits in changes:
            first, last = np.searchsorted(sample, [begin, end])
            _toggle(words, sample[first:last] - begin, bits[first:last])
        _accumulate(words, state, empty_rows, history.sample_offsets[:-1] - begin)
        state = words[-1].copy()
        _pick(_BitRows(words), history, slice(begin, end), rest[begin:end], top[begin:end])
    return top, rest


def _empty_rows(counts: Array) -> Array:
    """For each device a row of bits without allocations, from how many it has.

    After the last allocation some bits of size 0 are always set, so that a search ends there.
    """
    width = int(counts.max(initial=0)) // _BITS + 2
    unset = counts[:, None] - np.arange(width) * _BITS
    return np.where(unset < _BITS, _ALL << np.clip(unset, 0, _BITS - 1).astype(np.uint64), 0)


def _toggle(words: Array, row: Array, bit: Array) -> None:
    """Toggle bits in their rows, each at most once, so that adding is enough."""
    index = row * words.shape[1] + (bit >> _SHIFT)
    np.add.at(words.reshape(-1), index, _ONE << (bit & _MASK).astype(np.uint64))


def _accumulate(words: Array, state: Array, empty_rows: Array, first: Array) -> None:
    """Turn rows of changes into rows of what is allocated.

    They go on from a state, and for each device from its empty row at its `first` sample on.
    """
    device = np.flatnonzero((first >= 0) & (first < len(words)))
    # Of devices that begin at the same sample all but the last have none.
    starts, last = np.unique(first[device][::-1], return_index=True)
    if 0 not in starts:
        words[0] ^= state
    words[starts] ^= empty_rows[device[::-1][last]]
    for part in np.split(words, starts):
        np.bitwise_xor.accumulate(part, axis=0, out=part)


def _pick(
    allocated: _BitRows, history: AllocationHistory, samples: slice, rest: Array, top: Array
) -> None:
    """Fill in the largest allocations of each row, and subtract them from the rest."""
    device = history.device[samples]
    count, offset = history.counts[device], history.size_offsets[device]
    sizes, padded_offset = history.padded_sizes, offset + device
    row = np.arange(len(device))
    bit = np.zeros(len(device), np.int64)
    for slot in range(TOP):
        limit = np.maximum(rest, 0)
        large = np.flatnonzero(sizes[padded_offset + bit] > limit)
        bit[large] = history.first_fitting(device[large], limit[large])
        bit = np.minimum(allocated.next_set(row, bit), count)
        rest -= sizes[padded_offset + bit]
        top[:, slot] = np.where(bit < count, offset + bit, -1)
        bit = np.minimum(bit + 1, count)


class _BitRows:
    """Rows of bits, in which the next set bit is found without looking at every word.

    `index` has a bit for each word, which is set if the word is not 0; it has an index as well,
    until a row is one word.
    """

    def __init__(self, words: Array) -> None:
        self.words = words.reshape(-1)
        self.width = words.shape[1]
        self.index = _BitRows(_nonzero_bits(words)) if self.width > 1 else None

    def next_set(self, row: Array, bit: Array) -> Array:
        """The first set bit of each row from a given one on; there must be one."""
        word = bit >> _SHIFT
        begin = row * self.width
        bits = self.words[begin + word] & (_ALL << (bit & _MASK).astype(np.uint64))
        empty = np.flatnonzero(bits == 0)
        if self.index and len(empty):
            word[empty] = self.index.next_set(row[empty], word[empty] + 1)
            bits[empty] = self.words[begin[empty] + word[empty]]
        lowest = bits & (~bits + _ONE)
        return word * _BITS + np.frexp(lowest)[1] - 1  # 2**i is half of 2**(i + 1)


def _nonzero_bits(words: Array) -> Array:
    """For each row of words the bits of those that are not 0."""
    width = words.shape[1]
    flags = np.zeros((len(words), -(-width // _BITS) * _BITS), bool)
    np.not_equal(words, 0, out=flags[:, :width])
    bits: Array = np.packbits(flags, axis=1, bitorder="little").view("<u8")
    return bits
