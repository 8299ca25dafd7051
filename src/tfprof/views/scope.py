"""Scope view: nodes by the parts of their names, like files in folders."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.columns import Ints
from tfprof.profiles.profile import Profile
from tfprof.profiles.runs import runs_of
from tfprof.quirks import Quirks
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View

__all__ = ["build"]


def build(profile: Profile, quirks: Quirks) -> View:
    """Every node under the node or scope named by what stands before its last slash."""
    ids = np.flatnonzero(runs_of(profile, quirks).exists)
    names = profile.nodes.name if len(ids) == len(profile.nodes) else profile.nodes.name.take(ids)
    scopes = _missing_scopes(names)
    node = np.concatenate([ids, np.full(len(scopes), -1, np.int64)])
    names = pa.concat_arrays([names, pa.array(scopes, pa.string())])
    order = _in_tree_order(names)
    names = names.take(pa.array(order))
    depth = pc.count_substring(names, "/").to_numpy(zero_copy_only=False).astype(np.int64) + 2
    none = np.zeros(0, np.int64)
    return View(
        "scope",
        Tree.from_depths(np.concatenate([np.ones(1, np.int64), depth])),
        pa.concat_arrays([pa.array([ROOT]), names]),
        np.concatenate([np.full(1, -1, np.int64), node[order]]),
        none,
        none,
    )


def _missing_scopes(names: pa.Array) -> list[str]:
    """The scopes above names that are no names themselves."""
    known = set(names.to_pylist())
    missing: set[str] = set()
    new = known
    while new:
        above = {name[: name.rindex("/")] for name in new if "/" in name}
        new = above - known - missing
        missing |= new
    return list(missing)


def _in_tree_order(names: pa.Array) -> Ints:
    """The order in which every name follows its scope and siblings are sorted by name."""
    if pc.any(pc.match_substring(names, "\0")).as_py():
        parts = [name.split("/") for name in names.to_pylist()]
        return np.array(sorted(range(len(parts)), key=parts.__getitem__), np.int64)
    # A slash must sort before every other character, as the end of a part does.
    keys = pc.replace_substring(names, "/", "\0")
    return pc.sort_indices(keys).to_numpy().astype(np.int64)
