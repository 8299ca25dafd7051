"""The wall time of nodes: each instant of a step is shared equally by the nodes that run then.

Shares are fractions with a power of two below, rounded together, so that the integers of all nodes
and of idle time add up to the time of a step exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfprof.profiles.executions import Executions
from tfprof.profiles.schema import Array
from tfprof.reports.time_window import TimeWindow

_NANOS = 1000
_MAX_BITS = 20
_LONGEST = 2**60
"""Longer steps (36 years, in nanoseconds) have invalid times."""


class WallTime(NamedTuple):
    """The wall time of each node, and the time in which none ran, in microseconds."""

    node_micros: Array
    idle_micros: int


def wall_time(
    executions: Executions, nodes: int, step: int | None, window: TimeWindow | None = None
) -> WallTime:
    """The wall time of a step by its position, or on average over all steps that have records.

    In a window of a step it is that of the intervals that are in it at some time.
    """
    is_timed = executions.interval_end_nanos > executions.interval_start_nanos
    if window:
        begin = executions.interval_start
        is_timed &= window.overlaps(begin, begin + executions.interval_duration)
    rows = np.flatnonzero(is_timed)
    steps = executions.interval_step[rows]
    order = np.argsort(steps, kind="stable")
    groups = np.split(rows[order], np.flatnonzero(np.diff(steps[order])) + 1) if len(rows) else []
    chosen = [g for g in groups if step is None or executions.interval_step[g[0]] == step]
    nothing = WallTime(np.zeros(nodes, np.int64), 0)
    start, end = executions.interval_start_nanos, executions.interval_end_nanos
    elapsed = sum(int(end[group].max()) - int(start[group].min()) for group in chosen)
    if not 0 < elapsed < _LONGEST:
        return nothing
    bits = min(_MAX_BITS, 62 - elapsed.bit_length())
    shares, busy = np.zeros(nodes, np.int64), 0
    for group in chosen:
        share, covered = _shares(start[group], end[group], bits)
        np.add.at(shares, executions.interval_node[group], share)
        busy += covered
    divisor = _NANOS * len(chosen)
    micros = _round_together(shares, busy << bits, divisor << bits)
    return WallTime(micros, (elapsed + divisor // 2) // divisor - int(micros.sum()))


def _shares(start: Array, end: Array, bits: int) -> tuple[Array, int]:
    """What each interval has of the time that some cover, in fractions of `1 << bits`; that time.

    Between two bounds, the intervals that cover the time have the same share.
    """
    bounds, index = np.unique(np.concatenate([start, end]), return_inverse=True)
    first, last = index[: len(start)], index[len(start) :]
    size = len(bounds)
    running = np.cumsum(np.bincount(first, minlength=size) - np.bincount(last, minlength=size))
    length = np.diff(bounds)
    each = (length << bits) // np.maximum(running[:-1], 1) * (running[:-1] > 0)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(each)])
    return before[last] - before[first], int(length[running[:-1] > 0].sum())


def _round_together(shares: Array, total: int, divisor: int) -> Array:
    """Shares divided and rounded so that they add up to the rounded total.

    What the shares lack of the total, because fractions were rounded down, goes to nodes that ran.
    """
    ran = np.flatnonzero(shares)
    if not len(ran):
        return np.zeros(len(shares), np.int64)
    lacking = total - int(shares.sum())
    sums = np.cumsum(shares[ran]) + lacking * np.arange(1, len(ran) + 1) // len(ran)
    micros = np.zeros(len(shares), np.int64)
    micros[ran] = np.diff((sums + divisor // 2) // divisor, prepend=0)
    return micros
