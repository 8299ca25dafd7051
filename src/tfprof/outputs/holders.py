"""The largest holders of memory at given moments: many moments at once, one holder after another.

What is held is a row of bits for each moment, so that the next holder is found a word at a time.
"""

from __future__ import annotations

import numpy as np

from tfprof.profiles.columns import Ints

__all__ = ["TOP", "swept"]

TOP = 10
_BITS = 64
_ALL = np.uint64(2**_BITS - 1)
_ONE = np.uint64(1)
_BLOCK = 1 << 19  # words of the samples that are looked at together: about what a cache holds


def swept(sample: Ints, before: Ints, now: Ints, sizes: Ints, in_use: Ints) -> tuple[Ints, Ints]:
    """The places of the largest holders at each sample, -1 for none, and the bytes left over.

    `sizes` are in descending order. A change says that from a sample on something is held that
    stands at the place `now`, instead of the one at `before`; -1 is nothing. Changes are in the
    order of samples. A holder that is larger than what is left of the bytes in use is passed over.
    """
    count = len(sizes)
    # Behind the last place are some of size 0 that are always held: one is always found.
    state = np.zeros(count // _BITS + 2, np.uint64)
    state[-2:] = _ALL << np.uint64(count % _BITS), _ALL
    turns = [(sample[places >= 0], places[places >= 0]) for places in (before, now)]
    top, left = np.empty((len(in_use), TOP), np.int64), in_use.copy()
    rows = max(_BLOCK // len(state), 1)
    for begin in range(0, len(in_use), rows):
        block = slice(begin, begin + rows)
        words = np.zeros((len(left[block]), len(state)), np.uint64)
        words[0] = state
        for when, place in turns:
            first, last = np.searchsorted(when, [begin, begin + rows])
            _turn(words, when[first:last] - begin, place[first:last])
        np.bitwise_xor.accumulate(words, axis=0, out=words)
        state = words[-1].copy()
        _pick(_Held(words), sizes, left[block], top[block])
    top[top >= count] = -1
    return top, left


def _turn(words: Ints, row: Ints, place: Ints) -> None:
    """Turn the bits of some places in their rows."""
    at = row * words.shape[1] + place // _BITS
    np.bitwise_xor.at(words.reshape(-1), at, _ONE << (place % _BITS).astype(np.uint64))


def _pick(held: _Held, sizes: Ints, left: Ints, top: Ints) -> None:
    """Note the largest holders of each row, and take them off what is left."""
    count = len(sizes)
    padded, ascending = np.append(sizes, 0), -sizes
    row = np.arange(len(left))
    place = np.zeros(len(left), np.int64)
    for slot in range(TOP):
        place = held.first(row, place)
        large = np.flatnonzero(padded[np.minimum(place, count)] > np.maximum(left, 0))
        fitting = np.searchsorted(ascending, -np.maximum(left[large], 0))
        place[large] = held.first(large, fitting)
        place = np.minimum(place, count)
        left -= padded[place]
        top[:, slot] = place
        place = np.minimum(place + 1, count)


class _Held:
    """What is held, a bit for each place in each row, and which words have any."""

    def __init__(self, words: Ints) -> None:
        self.words = words
        flags = np.packbits(words != 0, axis=1, bitorder="little")
        padding = -flags.shape[1] % (_BITS // 8)
        self.used = np.pad(flags, ((0, 0), (0, padding))).view("<u8")

    def first(self, row: Ints, place: Ints) -> Ints:
        """The first place that is held in each of these rows, from a given one on."""
        at = place // _BITS
        bits = self.words[row, at] & _from(place)
        empty = np.flatnonzero(bits == 0)
        if len(empty):
            at[empty] = _scanned(self.used, row[empty], at[empty] + 1)
            bits[empty] = self.words[row[empty], at[empty]]
        return at * _BITS + _lowest(bits)


def _scanned(words: Ints, row: Ints, place: Ints) -> Ints:
    """The same of words that are looked at one after the other."""
    at = place // _BITS
    bits = words[row, at] & _from(place)
    empty = np.flatnonzero(bits == 0)
    while len(empty):
        at[empty] += 1
        bits[empty] = words[row[empty], at[empty]]
        empty = empty[bits[empty] == 0]
    return at * _BITS + _lowest(bits)


def _from(place: Ints) -> Ints:
    """The bits of a word from that of a place on."""
    return _ALL << (place % _BITS).astype(np.uint64)


def _lowest(bits: Ints) -> Ints:
    """Which bit is the lowest that is set; a float has its number as the exponent."""
    return np.frexp((bits & (~bits + _ONE)).astype(np.float64))[1] - 1
