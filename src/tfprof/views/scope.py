"""Scope view: nodes nested by name scope, like files in folders.

Slashes are counted and replaced in the bytes of all names at once, which takes 2 ms for 20,000
nodes. `pc.count_substring` and `pc.replace_substring` take 5 ms, a tenth of a whole report.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import max_scope_bytes
from tfprof.definitions.quirks import Quirks
from tfprof.errors import LoadError
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import utf8_bytes, value_offsets
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, View

_SLASH = ord("/")


def build(profile: Profile, quirks: Quirks) -> View:
    """Every node under the node or scope that its name has before the last slash."""
    ids = np.flatnonzero(executions_of(profile, quirks).exists)
    names = profile.nodes.name if len(ids) == len(profile.nodes) else profile.nodes.name.take(ids)
    scopes = _missing_scopes(names)
    node = np.concatenate([ids, np.full(len(scopes), -1, np.int64)])
    names = pa.concat_arrays([names, scopes])
    order = _preorder(names)
    names = names.take(pa.array(order))
    depth = _count_slashes(names) + 2
    return View(
        "scope",
        Tree.from_depths(np.concatenate([np.ones(1, np.int64), depth])),
        pa.concat_arrays([pa.array([ROOT]), names]),
        np.concatenate([np.full(1, -1, np.int64), node[order]]),
    )


def _missing_scopes(names: pa.Array) -> pa.Array:
    """The scopes of names that are not names of nodes."""
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
    """The part of each name before its last slash, each once."""
    parts = pc.split_pattern(names, "/", max_splits=1, reverse=True)
    has_scope = pc.equal(pc.list_value_length(parts), 2)
    return pc.list_element(parts.filter(has_scope), 0).unique()


def _preorder(names: pa.Array) -> Array:
    """The order in which every name follows its scope, and siblings are sorted by name."""
    data = utf8_bytes(names).copy()
    if not data.all():  # some name has a zero byte
        parts = [name.split("/") for name in names.to_pylist()]
        return np.array(sorted(range(len(parts)), key=parts.__getitem__), np.int64)
    # A slash must sort before every character, as the end of a name does.
    data[data == _SLASH] = 0
    offsets = value_offsets(names) - value_offsets(names)[0]
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    keys = pa.Array.from_buffers(pa.binary(), len(names), buffers)
    return pc.sort_indices(keys).to_numpy().astype(np.int64)


def _count_slashes(names: pa.Array) -> Array:
    """`pc.count_substring(names, "/")`."""
    offsets = value_offsets(names) - value_offsets(names)[0]
    return np.diff(np.searchsorted(np.flatnonzero(utf8_bytes(names) == _SLASH), offsets))
