"""The largest holders of memory at given moments, in one sweep over all changes."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from tfprof.profiles.columns import Ints

__all__ = ["TOP", "swept"]

TOP = 10


def swept(sample: Ints, before: Ints, now: Ints, sizes: Ints, in_use: Ints) -> tuple[Ints, Ints]:
    """The places of the largest holders at each sample, -1 for none, and the bytes left over.

    `sizes` are in descending order. A change says that from a sample on something is held that
    stands at the place `now`, instead of the one at `before`; -1 is nothing. Changes are in the
    order of samples. A holder that is larger than what is left of the bytes in use is passed over.
    """
    bounds = np.searchsorted(sample, np.arange(len(in_use) + 1)).tolist()
    # A byte for each place, which is searched faster than any tree. The first is for nothing.
    held = bytearray(len(sizes) + 1)
    flags = np.frombuffer(held, np.uint8)
    before, now = before + 1, now + 1
    size_list, ascending = [0, *sizes.tolist()], (-sizes).tolist()
    following = held.find
    top: list[int] = []
    rest: list[int] = []
    for at, left in enumerate(in_use.tolist()):
        first, last = bounds[at], bounds[at + 1]
        if first < last:
            flags[before[first:last]] = 0
            flags[now[first:last]] = 1
        wanted = TOP
        place = following(1, 1)
        while place > 0 and wanted:
            size = size_list[place]
            if size <= left:
                top.append(place)
                left -= size
                wanted -= 1
                place = following(1, place + 1)
            else:
                place = following(1, bisect_left(ascending, -left) + 1)
        top += [0] * wanted
        rest.append(left)
    return np.array(top, np.int64).reshape(-1, TOP) - 1, np.array(rest, np.int64)
