"""The nodes of captured functions that ran as a compiled program."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from tfprof.loaders.hlo.node_table import PROGRAM_OP
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array


def compiled_callers(profile: Profile) -> Array:
    """For each node the call of the compiled function that it belongs to, -1 for none.

    The program of such a call has its name as scope.
    """
    callers = np.full(len(profile.nodes), -1, np.int64)
    calls = profile.calls
    if calls is None:
        return callers
    is_program = pc.equal(profile.nodes.op, PROGRAM_OP)
    scopes = pc.replace_substring_regex(
        profile.nodes.name.filter(is_program), f"/{PROGRAM_OP}$", ""
    )
    compiled = index_in(scopes, profile.nodes.name)
    site_caller = np.full(len(calls.caller), -1, np.int64)
    for site in range(1, len(calls.caller)):  # a parent comes before its children
        outer = site_caller[calls.parent[site]]
        caller = calls.caller[site]
        site_caller[site] = outer if outer >= 0 else (caller if caller in compiled else -1)
    # Instructions are no nodes of functions: they are at site 0.
    callers[:] = site_caller[calls.call_site]
    return callers
