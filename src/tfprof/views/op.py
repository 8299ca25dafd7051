"""Op view: nodes by op type."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View, name_order

__all__ = ["build"]


def build(profile: Profile, quirks: Quirks) -> View:
    """A position per op type, by name, with its nodes."""
    order = name_order(profile)
    order = order[executions_of(profile, quirks).exists[order]]
    types = profile.nodes.op.take(pa.array(order)).dictionary_encode()
    by_name = pc.sort_indices(types.dictionary).to_numpy()
    position = np.empty(len(by_name), np.int64)
    position[by_name] = np.arange(1, len(by_name) + 1)
    at = position[types.indices.to_numpy()]
    by_position = np.argsort(at, kind="stable")
    count = len(by_name) + 1
    parent = np.zeros(count, np.int64)
    parent[0] = -1
    depth = np.full(count, 2, np.int64)
    depth[0] = 1
    end = np.arange(1, count + 1)
    end[0] = count
    return View(
        "op",
        Tree(parent, depth, end),
        pa.concat_arrays([pa.array([ROOT]), types.dictionary.take(pa.array(by_name))]),
        np.full(count, -1, np.int64),
        order[by_position],
        at[by_position],
    )
