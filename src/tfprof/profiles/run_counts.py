"""How often nodes ran, those without records of their own included."""

from __future__ import annotations

import numpy as np

from tfprof.profiles.schema import Array, BoolArray, Calls

__all__ = ["executed_counts"]


def executed_counts(calls: Calls | None, ran: BoolArray, runs: Array) -> Array:
    """The runs of each node; one without records ran as often as the call it stands in.

    An optimizer may have merged it into another node of a loop's body, which ran with each
    iteration. A node outside of all calls ran once, one in a branch that was not taken never.
    """
    if calls is None or not ran.any():
        return np.where(ran, runs, 1)
    most = np.zeros(len(calls.caller), runs.dtype)
    np.maximum.at(most, calls.call_site[ran], runs[ran])
    taken = np.zeros(len(ran) + 1, bool)
    taken[calls.caller[most > 0]] = True
    most[0] = 1
    for frame in np.flatnonzero(most == 0).tolist():  # a parent comes before its frames
        # What another function of the same call ran instead of, such as the other branch.
        most[frame] = 0 if taken[calls.caller[frame]] else most[calls.parent[frame]]
    return np.where(ran, runs, most[calls.call_site])
