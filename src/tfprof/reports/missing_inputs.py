"""The warning about inputs that are not nodes of the graph, as in a truncated file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.flops.missing_inputs import describe_missing_inputs
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import MISSING
from tfprof.profiles.string_columns import strings


def missing_inputs(profile: Profile) -> tuple[str, ...]:
    """One line if nodes of a graph have inputs that are no nodes of it."""
    return profile.memoize(missing_inputs, lambda: _missing_inputs(profile))


def _missing_inputs(profile: Profile) -> tuple[str, ...]:
    edges, names = profile.edges, profile.nodes.name
    # A saved profile has no names of inputs that were missing already.
    known = pa.concat_arrays([names, strings([MISSING])])
    rows = np.flatnonzero(index_in(edges.producer, known) < 0)
    if not len(rows):
        return ()
    consumer, producer = names[int(edges.consumer[rows[0]])], edges.producer[int(rows[0])]
    return (describe_missing_inputs(len(rows), str(producer), str(consumer)),)
