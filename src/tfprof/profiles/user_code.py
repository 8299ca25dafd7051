"""The user's line of code behind each node: one definition for timelines, advice and pages.

It is the innermost frame outside installed packages and the standard library. If there is none,
as for a project in site-packages, it is the innermost one outside TensorFlow, Keras and Python, or
else the innermost of all. A gradient has the line of its forward node.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import check_line_names
from tfprof.definitions.quirks import REPAIRED
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.gradients import forward_names
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray, Stacks

_FILE, _TEXT = 0, 2
_UNKNOWN = "none"
_MAX_TEXT = 60
_MAX_NAME = 255
"""No file system has longer names of files."""
_FRAMEWORK = re.compile(
    r"(^|[/\\])(tensorflow(_core)?[/\\](python|contrib|dtensor|compiler)|tensorflow_estimator"
    r"|tf_keras|keras[/\\]src|absl)[/\\]"
    r"|__autograph_generated_file|^<frozen |^none$|[/\\]bin[/\\][^./\\]+$"
)
"""TensorFlow, Keras and what starts a program: frozen modules and scripts without a suffix."""
_INSTALLED = re.compile(r"[/\\](site|dist)-packages[/\\]")
_STANDARD = re.compile(r"(?i)[/\\]lib[/\\]python\d[\d.]*[/\\]|[/\\]python\d+[/\\]lib[/\\]")


USER = 2
"""The rank of the user's own files."""


def rank_file(file: str) -> int:
    """0 for TensorFlow, Keras and Python, 1 for other installed packages, 2 for the user's code."""
    if _FRAMEWORK.search(file):
        return 0
    if _INSTALLED.search(file):
        return 1
    return 0 if _STANDARD.search(file) else USER


def rank_files(files: Iterable[str]) -> dict[str, int]:
    """The rank of each file, which is found once: names may be long and have many frames."""
    return {file: rank_file(file) for file in set(files)}


@dataclass(frozen=True, slots=True)
class _UserFrames:
    """The frame of each node among the frames of all op logs; -1 if it has none."""

    frame: Array
    of_forward: BoolArray


def user_lines(profile: Profile) -> pa.DictionaryArray:
    """`file:line` of each node; null where it has no frames."""
    return profile.memoize(user_lines, lambda: _user_lines(profile))


def _user_lines(profile: Profile) -> pa.DictionaryArray:
    distinct, position = np.unique(_user_frames(profile).frame, return_inverse=True)
    parts = [pa.nulls(int((distinct < 0).sum()), pa.string())]
    for stacks, rows in _split(profile, distinct):
        lines = pa.array(stacks.line[rows]).cast(pa.string())
        files = _strings(stacks, _FILE, rows)
        _check_files(files)
        parts.append(pc.binary_join_element_wise(files.cast(pa.string()), lines, ":"))
    encoded = pa.concat_arrays(parts).dictionary_encode()
    # The lines that nodes have, in the order of the nodes.
    of_nodes = encoded.indices.take(pa.array(position)).dictionary_encode()
    values = encoded.dictionary.take(of_nodes.dictionary)
    return pa.DictionaryArray.from_arrays(of_nodes.indices, values)


def _check_files(files: pa.DictionaryArray) -> None:
    """Raise an error if the files of some lines have too long names to be repeated."""
    sizes = pc.binary_length(files.dictionary).to_numpy()[files.indices.to_numpy()]
    names = (name.as_py() for name in files.dictionary)
    check_line_names(int(sizes.sum(dtype=np.int64)), lines=len(files), files=names)


def frame_texts(profile: Profile) -> dict[tuple[str, int], str]:
    """The text of each line that op logs have, by file and line; that of the last frame wins."""
    texts = {}
    for stacks in profile.stacks:
        files, lines = _strings(stacks, _FILE, slice(None)), _strings(stacks, _TEXT, slice(None))
        codes = np.stack([files.indices.to_numpy(), stacks.line, lines.indices.to_numpy()])
        file_names, known = files.dictionary.to_pylist(), lines.dictionary.to_pylist()
        for file, line, text in np.unique(codes, axis=1).T.tolist():
            if known[text] != _UNKNOWN:
                texts[file_names[file], line] = known[text]
    return texts


def describe_user_line(profile: Profile, node: int) -> str:
    """`model.py:3 build: y = x @ w` of a node, or nothing if it has no frames."""
    frames = _user_frames(profile)
    for stacks, rows in _split(profile, frames.frame[node : node + 1]):
        file, function, text = (_strings(stacks, i, rows)[0].as_py() for i in range(3))
        file = _shorten(file.replace("\\", "/").rpartition("/")[2], _MAX_NAME)
        line = f"{file}:{int(stacks.line[rows[0]])} {_shorten(function, _MAX_NAME)}"
        text = "" if text == _UNKNOWN else _shorten(" ".join(text.split()), _MAX_TEXT)
        prefix = "gradient of " if frames.of_forward[node] else ""
        return f"{prefix}{line}: {text}" if text else f"{prefix}{line}"
    return ""


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def frame_columns(profile: Profile) -> pa.Table:
    """All frames of all stacks, outermost first: stack, depth, file, line, function, text."""
    parts, first = [], 0
    for stacks in profile.stacks:
        sizes = np.diff(stacks.start)
        depth = np.arange(len(stacks.line)) - np.repeat(stacks.start[:-1], sizes)
        file, function, text = (_strings(stacks, i, slice(None)) for i in range(3))
        columns = {
            "stack": first + np.repeat(np.arange(len(sizes)), sizes),
            "depth": depth,
            "file": file,
            "line": pa.array(stacks.line).cast(pa.int64()),
            "function": function,
            "text": text,
        }
        parts.append(pa.table(columns))
        first += len(stacks)
    if parts:
        return pa.concat_tables(parts)
    kinds = {name: pa.int64() for name in ("stack", "depth", "line")}
    names = ("stack", "depth", "file", "line", "function", "text")
    return pa.table({name: pa.array([], kinds.get(name, pa.string())) for name in names})


def _user_frames(profile: Profile) -> _UserFrames:
    return profile.memoize(_user_frames, lambda: _find_user_frames(profile))


def _find_user_frames(profile: Profile) -> _UserFrames:
    of_stacks, base = [], 0
    for stacks in profile.stacks:
        frames = _frame_of_stacks(stacks)
        of_stacks.append(np.where(frames < 0, -1, frames + base))
        base += len(stacks.line)
    # One more stack, without a frame, is what nodes without a stack (-1) refer to.
    frame = np.concatenate([*of_stacks, [-1]])[profile.nodes.stack]
    traced = np.flatnonzero(frame >= 0)
    names = profile.nodes.name.take(pa.array(traced))
    forward = _forward_rows(names)
    gradients = traced[forward >= 0]
    of_forward = np.zeros(len(frame), bool)
    of_forward[gradients] = True
    frame[gradients] = frame[traced[forward[forward >= 0]]]
    return _UserFrames(frame, of_forward)


def _forward_rows(names: pa.Array) -> Array:
    """The row of the forward node of each gradient, -1 for other nodes.

    Where only the scope of the forward node is known, it is the first node there.
    """
    forward = forward_names(names, REPAIRED)
    rows = index_in(forward, names)
    of_scopes = pc.fill_null(pc.ends_with(forward, "/"), False).to_numpy(zero_copy_only=False)
    if of_scopes.any():
        order = pc.sort_indices(names).to_numpy()
        by_name = names.take(pa.array(order)).to_pylist()
        for row in np.flatnonzero(of_scopes).tolist():
            first = bisect_left(by_name, forward[row].as_py())
            rows[row] = order[min(first, len(order) - 1)]
    return rows


def _frame_of_stacks(stacks: Stacks) -> Array:
    """The innermost frame of the highest rank of each stack; -1 if it is empty."""
    frame = np.full(len(stacks), -1, np.int64)
    filled = np.flatnonzero(np.diff(stacks.start) > 0)
    if len(filled):
        files = _strings(stacks, _FILE, slice(None))
        rank = np.array([rank_file(file) for file in files.dictionary.to_pylist()], np.int64)
        count = len(files)
        key = rank[files.indices.to_numpy()] * count + np.arange(count)
        frame[filled] = np.maximum.reduceat(key, stacks.start[filled]) % count
    return frame


def _split(profile: Profile, frames: Array) -> list[tuple[Stacks, Array]]:
    """Frames, in ascending order, by the op log that they belong to, as its rows."""
    parts, base = [], 0
    for stacks in profile.stacks:
        rows = frames[(frames >= base) & (frames < base + len(stacks.line))] - base
        if len(rows):
            parts.append((stacks, rows))
        base += len(stacks.line)
    return parts


def _strings(stacks: Stacks, column: int, rows: Array | slice) -> pa.DictionaryArray:
    """The files, functions or texts of some frames."""
    ids = (stacks.file_id, stacks.function_id, stacks.text_id)[column][rows]
    codes = pa.array(ids).dictionary_encode()
    known = [stacks.strings.get(key, _UNKNOWN) for key in codes.dictionary.to_pylist()]
    values = pa.DictionaryArray.from_arrays(codes.indices, pa.array(known, pa.string()))
    if stacks.texts is None:
        return values
    text = stacks.texts[column] if isinstance(rows, slice) else stacks.texts[column].take(rows)
    is_missing, texts = pc.equal(text, ""), text.dictionary_encode()
    indices = pc.if_else(is_missing, values.indices, pc.add(texts.indices, len(values.dictionary)))
    both = pa.concat_arrays([values.dictionary, texts.dictionary])
    return pa.DictionaryArray.from_arrays(indices, both)
