"""The source line that created each node."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Stacks

__all__ = ["source_lines"]

_NONE = "none"
_LIBRARY = r"(^|/)(tensorflow/(python|dtensor|compiler)|(site|dist)-packages|keras/src|tf_keras)/"


def source_lines(profile: Profile, quirks: Quirks) -> pa.Array:
    """`file:line` of each node's innermost frame outside libraries; null where it has no frames."""
    return profile.memoize((source_lines, quirks), lambda: _source_lines(profile, quirks))


def _source_lines(profile: Profile, quirks: Quirks) -> pa.Array:
    parts = [_innermost_lines(stacks, profile, quirks) for stacks in profile.stacks]
    # The last, a null, is that of nodes without a stack (-1).
    lines = pa.concat_arrays([*parts, pa.nulls(1, pa.string())])
    stack = profile.nodes.stack
    return lines.take(pa.array(np.where(stack < 0, len(lines) - 1, stack)))


def _innermost_lines(stacks: Stacks, profile: Profile, quirks: Quirks) -> pa.Array:
    known = np.flatnonzero(np.diff(stacks.start) > 0)
    if not len(known):
        return pa.nulls(len(stacks), pa.string())
    files = _files(stacks, profile, quirks)
    own = ~pc.match_substring_regex(files.dictionary, _LIBRARY).to_numpy(zero_copy_only=False)
    frames = np.arange(len(files))
    # The last frame of the user's own code, or else the last of all.
    last = np.maximum.reduceat(np.where(own[files.indices], frames, -1), stacks.start[known])
    last = np.where(last < stacks.start[known], stacks.start[known + 1] - 1, last)
    lines = pa.array(stacks.line[last]).cast(pa.string())
    texts = pc.binary_join_element_wise(files.take(pa.array(last)).cast(pa.string()), lines, ":")
    row = np.full(len(stacks), -1, np.int64)
    row[known] = np.arange(len(known))
    return texts.take(pa.array(row, mask=row < 0))


def _files(stacks: Stacks, profile: Profile, quirks: Quirks) -> pa.DictionaryArray:
    """The file of each frame."""
    strings = profile.strings if quirks.shared_string_ids else stacks.strings
    ids = pa.array(stacks.file_id).dictionary_encode()
    names = [strings.get(key, _NONE) for key in ids.dictionary.to_pylist()]
    files = pa.DictionaryArray.from_arrays(ids.indices, pa.array(names, pa.string()))
    if stacks.texts is None or quirks.string_frames_ignored:
        return files
    own = stacks.texts[0]
    return pc.if_else(pc.equal(own, ""), files.cast(pa.string()), own).dictionary_encode()
