"""The line of source that created each node, for outputs that say so."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.profiles.columns import Ints, Stacks
from tfprof.profiles.profile import Profile
from tfprof.quirks import Quirks

__all__ = ["source_lines"]


def source_lines(profile: Profile, quirks: Quirks) -> pa.Array:
    """`file:line` of each node's innermost frame; null where it has no frames."""
    return profile.derived((source_lines, quirks), lambda: _source_lines(profile, quirks))


def _source_lines(profile: Profile, quirks: Quirks) -> pa.Array:
    parts = [_innermost(stacks, profile, quirks) for stacks in profile.stacks]
    # One more, a null, is what nodes without a stack (-1) refer to.
    lines = pa.concat_arrays([*parts, pa.nulls(1, pa.string())])
    stack = profile.nodes.stack
    return lines.take(pa.array(np.where(stack < 0, len(lines) - 1, stack)))


def _innermost(stacks: Stacks, profile: Profile, quirks: Quirks) -> pa.Array:
    last = stacks.start[1:] - 1
    known = last >= stacks.start[:-1]
    files = _files(stacks, last[known], profile, quirks)
    found = np.full(len(stacks), None, object)
    found[known] = [
        f"{file}:{line}" for file, line in zip(files, stacks.line[last[known]], strict=True)
    ]
    return pa.array(found, pa.string())


def _files(stacks: Stacks, frames: Ints, profile: Profile, quirks: Quirks) -> list[str]:
    strings = profile.strings if quirks.shared_string_ids else stacks.strings
    files = [strings.get(key, "none") for key in stacks.file_id[frames].tolist()]
    if stacks.texts is None or quirks.string_frames_ignored:
        return files
    own = stacks.texts[0].take(pa.array(frames)).to_pylist()
    return [text or file for text, file in zip(own, files, strict=True)]
