"""Op view: nodes by op type."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.executions import executions_of
from tfprof.profiles.grouping import invert_permutation
from tfprof.profiles.profile import Profile
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View, name_order


def build(profile: Profile, quirks: Quirks) -> View:
    """A position for each op type, sorted by name; its nodes are the members."""
    order = name_order(profile)
    order = order[executions_of(profile, quirks).exists[order]]
    types = profile.nodes.op.take(pa.array(order)).dictionary_encode()
    by_name = pc.sort_indices(types.dictionary).to_numpy()
    position = 1 + invert_permutation(by_name)[types.indices.to_numpy()]
    by_position = np.argsort(position, kind="stable")
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
        position[by_position],
    )
