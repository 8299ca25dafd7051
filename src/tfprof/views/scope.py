"""Scope view: nodes by the parts of their names, like files in folders."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import max_scope_bytes
from tfprof.definitions.quirks import Quirks
from tfprof.errors import LoadError
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import (
    Array,
    slice_strings,
    utf8_bytes,
    value_offsets,
)
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View

__all__ = ["build"]


def build(profile: Profile, quirks: Quirks) -> View:
    """Every node under the node or scope named by what stands before its last slash."""
    ids = np.flatnonzero(executions_of(profile, quirks).exists)
    names = profile.nodes.name if len(ids) == len(profile.nodes) else profile.nodes.name.take(ids)
    scopes = _missing_scopes(names)
    node = np.concatenate([ids, np.full(len(scopes), -1, np.int64)])
    names = pa.concat_arrays([names, scopes])
    at, slash = _slashes(names)
    order = _in_tree_order(names, slash)
    depth = np.diff(np.searchsorted(slash, at))[order] + 2
    names = names.take(pa.array(order))
    none = np.zeros(0, np.int64)
    return View(
        "scope",
        Tree.from_depths(np.concatenate([np.ones(1, np.int64), depth])),
        pa.concat_arrays([pa.array([ROOT]), names]),
        np.concatenate([np.full(1, -1, np.int64), node[order]]),
        none,
        none,
    )


def _missing_scopes(names: pa.Array) -> pa.Array:
    """The scopes above names that are no names themselves."""
    levels = [_scopes_of(names)]
    room = max_scope_bytes(names.nbytes)
    while len(levels[-1]):
        room -= levels[-1].nbytes
        if room < 0:
            raise LoadError(
                "scope view: names have too many parts, and their scopes take too much memory; "
                "use op, graph or code view"
            )
        levels.append(_scopes_of(levels[-1]))
    scopes = pa.concat_arrays(levels).unique()
    # There are far fewer scopes than names: they are the set to look in.
    present = names.filter(pc.is_in(names, value_set=scopes))
    return scopes.filter(pc.invert(pc.is_in(scopes, value_set=present)))


def _scopes_of(names: pa.Array) -> pa.Array:
    """What stands before the last slash of names, each once."""
    at, slash = _slashes(names)
    slash = np.concatenate([[-1], slash])
    last = slash[np.searchsorted(slash, at[1:]) - 1]
    scoped = np.flatnonzero(last >= at[:-1])
    return slice_strings(names, at[scoped], last[scoped]).unique()


def _slashes(names: pa.Array) -> tuple[Array, Array]:
    """Where names start and the last one ends, and where slashes are, in the bytes of all names."""
    at = value_offsets(names)
    return at - at[0], np.flatnonzero(utf8_bytes(names) == ord("/"))


def _in_tree_order(names: pa.Array, slash: Array) -> Array:
    """The order in which every name follows its scope and siblings are sorted by name."""
    text = utf8_bytes(names).copy()
    if (text == 0).any():
        parts = [name.split("/") for name in names.to_pylist()]
        return np.array(sorted(range(len(parts)), key=parts.__getitem__), np.int64)
    # A slash must sort before every other character, as the end of a part does.
    text[slash] = 0
    bounds = value_offsets(names) - value_offsets(names)[0]
    keys = [None, pa.py_buffer(bounds), pa.py_buffer(text)]
    column = pa.Array.from_buffers(pa.binary(), len(names), keys)
    return pc.sort_indices(column).to_numpy().astype(np.int64)
