"""Which lane of its device each interval is drawn in, and places that are met one from another."""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from tfprof.profiles.schema import Array

__all__ = ["assign_lanes", "follow_chain"]

_FEW = 50


def assign_lanes(device: Array, start: Array, end: Array) -> Array:
    """For intervals by device and start the first lane of the device that is free by then.

    The first lane takes every interval that starts when its last one has ended; what it leaves,
    the second one takes likewise. Once lanes take but few, the rest are placed one by one.
    """
    lane = np.zeros(len(start), np.int64)
    left = np.arange(len(start))
    following = _following(device, start, end)
    number = 0
    while len(left):
        takes = follow_chain(following, 0)
        lane[left.take(takes)] = number
        stays = np.ones(len(following), bool)
        stays[takes] = False
        kept = np.flatnonzero(stays)
        left = left.take(kept[:-1])
        number += 1
        if len(stays) > _FEW * len(takes):
            lane[left] = number + _one_by_one(device[left], start[left], end[left])
            break
        # Where each interval stands among those that are left, so that nothing is searched again.
        before = np.zeros(len(stays) + 1, np.int64)
        np.cumsum(stays, out=before[1:])
        following = before.take(following.take(kept))
    return lane


def follow_chain(following: Array, first: int) -> Array:
    """The places met from a first one on, each of which tells the next; in any order.

    The last place is the end, which leads to itself and is not among them. Only every fourth is
    looked up by itself: those between them follow from these all at once.
    """
    second = following.take(following)
    fourth = second.take(second).data
    found, at, end = [], first, len(following) - 1
    while at < end:
        found.append(at)
        at = fourth[at]
    places = np.array(found, np.int64)
    for step in (second, following):
        places = np.concatenate([places, step.take(places)])
    return places[places < end]


def _following(device: Array, start: Array, end: Array) -> Array:
    """The first interval that a lane can take after each; past a device, the next one's first."""
    count = len(start)
    found = np.arange(1, count + 2)
    found[-1] = count
    first = np.flatnonzero(np.diff(device, prepend=-1))
    for begin, stop in itertools.pairwise([*first.tolist(), count]):
        inside = slice(begin, stop)
        after = np.searchsorted(start[inside], end[inside]) + begin
        found[inside] = np.maximum(found[inside], after)
    return found


def _one_by_one(device: Array, start: Array, end: Array) -> Array:
    assign_lanes = []
    current, opened = -1, 0
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    for place, begin, finish in zip(device.tolist(), start.tolist(), end.tolist(), strict=True):
        if place != current:
            current, opened, busy, free = place, 0, [], []
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            lane = heapq.heappop(free)
        else:
            lane, opened = opened, opened + 1
        heapq.heappush(busy, (finish, lane))
        assign_lanes.append(lane)
    return np.array(assign_lanes, np.int64)
