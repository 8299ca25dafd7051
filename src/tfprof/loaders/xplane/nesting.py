"""Which intervals of a thread contain which others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from tfprof.loaders.xplane.events import TraceEvents
from tfprof.profiles.schema import Array


def find_outer(line: Array, start: Array, end: Array) -> Array:
    """The innermost other interval of the same line that contains each one, -1 for none."""
    outer = np.full(len(line), -1, np.int64)
    order = np.lexsort((-end, start, line))
    line, start, end = line[order], start[order], end[order]
    # Few intervals lie in another one, so only these are looked at one by one.
    latest = _running_maximum(line, end)
    inner = np.zeros(len(line), bool)
    inner[1:] = (line[1:] == line[:-1]) & (latest[:-1] > start[1:])
    enclosing = np.full(len(line), -1, np.int64)
    for i in np.flatnonzero(inner).tolist():
        j = i - 1
        while j >= 0 and end[j] < end[i]:
            j = int(enclosing[j])
        enclosing[i] = j
    outer[order] = np.where(enclosing >= 0, order[enclosing], -1)
    return outer


def _running_maximum(line: Array, end: Array) -> Array:
    latest = np.empty_like(end)
    for first, last in _groups(line):
        latest[first:last] = np.maximum.accumulate(end[first:last])
    return latest


def _groups(line: Array) -> Iterator[tuple[int, int]]:
    edges = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
    return pairwise(edges) if len(line) else iter(())


def find_enclosing(events: TraceEvents, rows: Array, outer: Array) -> tuple[Array, Array]:
    """For each of some events, the innermost of others that was open when it started.

    And the last of the others that started before it. Both are positions in `outer`, -1 for none.
    """
    line, start, end = events.line[outer], events.start[outer], events.end[outer]
    parent = find_outer(line, start, end)
    order = np.lexsort((-end, start, line))
    before = np.full(len(rows), -1, np.int64)
    for first, last in _groups(line[order]):
        inner = np.flatnonzero(events.line[rows] == line[order[first]])
        starts = start[order[first:last]]
        position = np.searchsorted(starts, events.start[rows[inner]], side="right") - 1
        before[inner] = np.where(position >= 0, order[first + np.maximum(position, 0)], -1)
    around = before.copy()
    while True:
        is_over = (around >= 0) & (end[around] < events.start[rows])
        if not is_over.any():
            return around, before
        around[is_over] = parent[around[is_over]]


def self_times(duration: Array, outer: Array) -> Array:
    """Durations without those of the intervals inside."""
    own = duration.copy()
    inner = np.flatnonzero(outer >= 0)
    np.subtract.at(own, outer[inner], duration[inner])
    return np.maximum(own, 0)
