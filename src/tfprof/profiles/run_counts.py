"""How often nodes ran, including those without records."""

from __future__ import annotations

import numpy as np

from tfprof.profiles.schema import Array, BoolArray, Calls


def executed_counts(calls: Calls | None, ran: BoolArray, runs: Array) -> Array:
    """The runs of each node; one without records ran as often as the call it belongs to.

    An optimizer may have merged it into another node of a loop's body, which ran in each
    iteration. A node outside of all calls ran once, one in a branch that was not taken never.
    """
    if calls is None or not ran.any():
        return np.where(ran, runs, 1)
    site_runs = np.zeros(len(calls.caller), runs.dtype)
    np.maximum.at(site_runs, calls.call_site[ran], runs[ran])
    has_run = np.zeros(len(ran) + 1, bool)
    has_run[calls.caller[site_runs > 0]] = True
    site_runs[0] = 1
    for site in np.flatnonzero(site_runs == 0).tolist():  # a parent comes before its children
        # Another function of the same caller ran instead, such as the other branch.
        skipped = has_run[calls.caller[site]]
        site_runs[site] = 0 if skipped else site_runs[calls.parent[site]]
    return np.where(ran, runs, site_runs[calls.call_site])
