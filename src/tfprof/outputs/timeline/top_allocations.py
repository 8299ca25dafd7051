"""The largest holders of memory at given moments: all moments at once, one holder after another.

What is held is a row of bits for each moment, so that the next holder is found a word at a time.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tfprof.profiles.grouping import group_offsets
from tfprof.profiles.schema import Array

__all__ = ["TOP", "Histories", "find_top_allocations"]

TOP = 10
_BITS = 64
_SHIFT, _INSIDE = 6, 63  # place >> _SHIFT is its word, place & _INSIDE its bit there
_ALL = np.uint64(2**_BITS - 1)
_ONE = np.uint64(1)
_BLOCK = 1 << 20  # words of the samples that are looked at together; the last cache holds them


@dataclass(frozen=True)
class Histories:
    """What is held on some devices: samples, places and sizes are of one device after the other.

    Each device's sizes are in descending order. A change says that from a sample on something is
    held that stands at the place `now`, instead of the one at `before`; -1 is nothing. Changes are
    in the order of samples; no two of a sample name the same place. `first_sample` and
    `first_place` tell where each device's begin, and where the last one's end.
    """

    sample: Array
    before: Array
    now: Array
    sizes: Array
    first_sample: Array
    first_place: Array

    @cached_property
    def counts(self) -> Array:
        """How many places each device has."""
        return np.diff(self.first_place)

    @cached_property
    def device(self) -> Array:
        """The device of each sample."""
        lengths = np.diff(self.first_sample)
        return np.repeat(np.arange(len(lengths)), lengths)

    @cached_property
    def none(self) -> Array:
        """For each device a row of bits where nothing is held.

        Behind the last place are some of size 0 that are always held: one is always found.
        """
        width = int(self.counts.max(initial=0)) // _BITS + 2
        held = self.counts[:, None] - np.arange(width) * _BITS
        return np.where(held < _BITS, _ALL << np.clip(held, 0, _BITS - 1).astype(np.uint64), 0)

    @cached_property
    def padded(self) -> Array:
        """The sizes, and behind those of each device a 0."""
        return np.insert(self.sizes, self.first_place[1:], 0)

    @cached_property
    def _ascending(self) -> Array:
        """The sizes of each device, made negative, so that they can be searched."""
        return -self.sizes

    def fitting(self, device: Array, left: Array) -> Array:
        """For samples, one device after the other, the first place that holds no more than that."""
        found = np.empty(len(device), np.int64)
        samples = group_offsets(device, len(self.counts)).tolist()
        places = self.first_place.tolist()
        for at, (first, last) in enumerate(itertools.pairwise(samples)):
            sizes = self._ascending[places[at] : places[at + 1]]
            found[first:last] = np.searchsorted(sizes, -left[first:last])
        return found


def find_top_allocations(histories: Histories, in_use: Array) -> tuple[Array, Array]:
    """The places of the largest holders at each sample, -1 for none, and the bytes left over.

    A holder that is larger than what is left of the bytes in use is passed over.
    """
    turns = [
        (histories.sample[places >= 0], places[places >= 0])
        for places in (histories.before, histories.now)
    ]
    top, left = np.empty((len(in_use), TOP), np.int64), in_use.copy()
    width = histories.none.shape[1]
    state = np.zeros(width, np.uint64)
    rows = max(_BLOCK // width, 1)
    for begin in range(0, len(in_use), rows):
        end = min(begin + rows, len(in_use))
        words = np.zeros((end - begin, width), np.uint64)
        for when, place in turns:
            first, last = np.searchsorted(when, [begin, end])
            _turn(words, when[first:last] - begin, place[first:last])
        _accumulate(words, state, histories, begin)
        state = words[-1].copy()
        _pick(_Held(words), histories, slice(begin, end), left[begin:end], top[begin:end])
    return top, left


def _turn(words: Array, row: Array, place: Array) -> None:
    """Turn the bits of some places in their rows, each at most once: adding them is enough."""
    at = row * words.shape[1] + (place >> _SHIFT)
    np.add.at(words.reshape(-1), at, _ONE << (place & _INSIDE).astype(np.uint64))


def _accumulate(words: Array, before: Array, histories: Histories, begin: int) -> None:
    """Make rows of changes rows of what is held: by then, or by nobody where a device begins."""
    first = histories.first_sample[:-1]
    device = np.flatnonzero((first >= begin) & (first < begin + len(words)))
    # Of devices that begin at the same sample all but the last have none.
    starts, last = np.unique(first[device][::-1], return_index=True)
    if begin not in starts:
        words[0] ^= before
    words[starts - begin] ^= histories.none[device[::-1][last]]
    for part in np.split(words, starts - begin):
        np.bitwise_xor.accumulate(part, axis=0, out=part)


def _pick(held: _Held, histories: Histories, samples: slice, left: Array, top: Array) -> None:
    """Note the largest holders of each row, and take them off what is left."""
    device = histories.device[samples]
    count, begin = histories.counts[device], histories.first_place[device]
    sizes, base = histories.padded, begin + device
    row = np.arange(len(device))
    place = np.zeros(len(device), np.int64)
    for slot in range(TOP):
        usable = np.maximum(left, 0)
        large = np.flatnonzero(sizes[base + place] > usable)
        place[large] = histories.fitting(device[large], usable[large])
        place = np.minimum(held.first(row, place), count)
        left -= sizes[base + place]
        top[:, slot] = np.where(place < count, begin + place, -1)
        place = np.minimum(place + 1, count)


class _Held:
    """What is held, a bit for each place in each row; `used` has one for each word that has any.

    So has that one again, until a row is a single word: nothing is looked for word by word.
    """

    def __init__(self, words: Array) -> None:
        self.words = words.reshape(-1)
        self.width = words.shape[1]
        self.used = _Held(_flags(words)) if self.width > 1 else None

    def first(self, row: Array, place: Array) -> Array:
        """The first place that is held in each of these rows, from a given one on; there is one."""
        at = place >> _SHIFT
        begin = row * self.width
        bits = self.words[begin + at] & _from(place)
        empty = np.flatnonzero(bits == 0)
        if self.used and len(empty):
            at[empty] = self.used.first(row[empty], at[empty] + 1)
            bits[empty] = self.words[begin[empty] + at[empty]]
        return at * _BITS + _lowest(bits)


def _flags(words: Array) -> Array:
    """For each row of words the bits that tell which are not 0."""
    width = words.shape[1]
    flags = np.zeros((len(words), -(-width // _BITS) * _BITS), bool)
    np.not_equal(words, 0, out=flags[:, :width])
    found: Array = np.packbits(flags, axis=1, bitorder="little").view("<u8")
    return found


def _from(place: Array) -> Array:
    """The bits of a word from that of a place on."""
    return _ALL << (place & _INSIDE).astype(np.uint64)


def _lowest(bits: Array) -> Array:
    """Which bit is the lowest that is set; a float has its number as the exponent."""
    return ((bits & (~bits + _ONE)).astype(np.float64).view(np.int64) >> 52) - 1023
