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
    tree = Tree.flat(len(by_name) + 1)
    return View(
        "op",
        tree,
        pa.concat_arrays([pa.array([ROOT]), types.dictionary.take(pa.array(by_name))]),
        np.full(len(tree), -1, np.int64),
        order[by_position],
        position[by_position],
    )
