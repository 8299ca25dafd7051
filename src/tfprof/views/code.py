"""Code view: nodes by the Python stack that created them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import (
    Array,
    Stacks,
    slice_strings,
    strings,
    value_offsets,
)
from tfprof.views.tree import Tree, order_within
from tfprof.views.view import ROOT, Frame, Frames, View, name_order, name_rank

__all__ = ["GRADIENT", "build"]

GRADIENT = " (gradient)"
_SUFFIX = ("", GRADIENT)
_GRADIENTS, _GRAD, _TAPE = "gradients/", "_grad/", "gradient_tape/"
_LONGEST, _KEPT = 20, 17
_NONE = "none"


def build(profile: Profile, quirks: Quirks) -> View:
    """A position per frame under the frames that called it; a node is where its stack ends.

    Gradient nodes stand where their forward node does, in a branch of frames marked so.
    """
    frames = _frames(profile, quirks)
    order = name_order(profile)
    order = order[executions_of(profile, quirks).exists[order]]
    traced = order[frames.length[profile.nodes.stack[order]] > 0] if len(order) else order
    plain, heads, sizes, gradients, unmatched = _split_gradients(profile, traced, quirks)
    if not quirks.loose_gradient_names:
        plain = np.sort(np.concatenate([plain, unmatched])) if len(unmatched) else plain
        plain = order[np.isin(order, plain)] if len(unmatched) else plain
    rows = np.concatenate([plain, heads])
    is_gradient = np.arange(len(rows)) >= len(plain)
    last, parent, frame = _trie_of_distinct(frames, profile.nodes.stack[rows], is_gradient)
    tree, at = Tree.from_parents(parent)
    position = np.empty(len(at), np.int64)
    position[at] = np.arange(1, len(at) + 1)
    member_node = np.concatenate([plain, gradients])
    sizes = np.concatenate([np.ones(len(plain), np.int64), sizes])
    member_position = position[np.repeat(last, sizes)] if len(rows) else np.zeros(0, np.int64)
    by_position = order_within(member_position, name_rank(profile)[member_node])
    lost = len(_forward(profile.nodes.name.take(pa.array(unmatched)), loose=True).unique())
    note = f"{lost} gradient nodes not accounted"
    lines = _lines(frames, frame[at])
    names = pa.array([line.name for line in lines.distinct], pa.binary())
    return View(
        "code",
        tree,
        # A name cut inside a character is no UTF-8 any more.
        names.take(pa.array(lines.at)).cast(pa.string(), safe=False),
        np.full(len(tree), -1, np.int64),
        member_node[by_position],
        member_position[by_position],
        lines,
        (note,) if lost and quirks.loose_gradient_names else (),
    )


@dataclass(frozen=True, slots=True)
class _Frames:
    """All frames of all stacks: which distinct frame each is, and which name that has."""

    start: Array
    length: Array
    frame: Array
    name_of: Array
    distinct: list[Frame]


def _frames(profile: Profile, quirks: Quirks) -> _Frames:
    start, length, frame = [np.zeros(0, np.int64)], [], [np.zeros(0, np.int64)]
    distinct: list[Frame] = []
    base = 0
    for stacks in profile.stacks:
        code, named = _named(stacks, profile, quirks)
        start.append(stacks.start[:-1] + base)
        length.append(np.diff(stacks.start))
        frame.append(code + len(distinct))
        distinct += named
        base += len(code)
    table: dict[bytes, int] = {}
    name_of = [table.setdefault(frame.name, len(table)) for frame in distinct]
    # One more stack, without frames, is what nodes that have none (-1) refer to.
    end = np.zeros(1, np.int64)
    return _Frames(
        np.concatenate([*start, end]),
        np.concatenate([*length, end]),
        np.concatenate(frame),
        np.array(name_of, np.int64),
        distinct,
    )


def _named(stacks: Stacks, profile: Profile, quirks: Quirks) -> tuple[Array, list[Frame]]:
    """Each frame's distinct number, and the distinct frames."""
    columns = [stacks.file_id, stacks.function_id, stacks.text_id, stacks.line]
    columns.append(stacks.function_line)
    texts = stacks.texts if not quirks.string_frames_ignored else None
    if texts:
        columns += [text.dictionary_encode().indices.to_numpy() for text in texts]
    code, first = _combined(columns)
    strings = profile.strings if quirks.shared_string_ids else stacks.strings
    used = set(stacks.text_id[first].tolist())
    has_text = not quirks.source_text_hidden and (
        bool(texts) or any(strings.get(key, _NONE) != _NONE for key in used)
    )
    named = []
    for row in first.tolist():
        words = [strings.get(int(column[row]), _NONE) for column in columns[:3]]
        if texts:
            words = [text[row].as_py() or word for text, word in zip(texts, words, strict=True)]
        file, function, text = words
        line = int(stacks.line[row])
        name = f"{file.rpartition('/')[2]}:{line}:".encode() + _cut(function, quirks)
        if has_text:
            name += b":" + _cut(text.strip(), quirks)
        named.append(Frame(name, file, function, line, int(stacks.function_line[row])))
    return code, named


def _combined(columns: list[Array]) -> tuple[Array, Array]:
    """A number per distinct row of several columns, and where each is met first."""
    key = np.zeros(len(columns[0]), np.int64)
    size = 1
    for column in columns:
        column, values = _small(column)
        if size * values >= 2**62:
            key, size = _small(pa.array(key).dictionary_encode().indices.to_numpy())
        key = key * values + column
        size *= values
    encoded = pa.array(key).dictionary_encode()
    code = encoded.indices.to_numpy().astype(np.int64)
    first = np.empty(len(encoded.dictionary), np.int64)
    first[code[::-1]] = np.arange(len(code) - 1, -1, -1)
    return code, first


def _small(column: Array) -> tuple[Array, int]:
    """A column that tells the same rows apart by numbers from 0, and how many these are at most."""
    if not len(column):
        return column.astype(np.int64), 1
    least, most = int(column.min()), int(column.max())
    if most - least >= 2**31:
        column = pa.array(column).dictionary_encode().indices.to_numpy()
        least, most = 0, int(column.max())
    return column.astype(np.int64) - least, most - least + 1


def _cut(text: str, quirks: Quirks) -> bytes:
    if not quirks.names_cut_at_bytes:
        return (text if len(text) < _LONGEST else text[:_KEPT] + "...").encode()
    data = text.encode()
    return data if len(data) < _LONGEST else data[:_KEPT] + b"..."


def _trie_of_distinct(
    frames: _Frames, stack: Array, is_gradient: Array
) -> tuple[Array, Array, Array]:
    """The same as `_trie`, with stacks that many nodes share looked at once."""
    pairs = pa.array(2 * stack + is_gradient).dictionary_encode()
    distinct = pairs.dictionary.to_numpy()
    last, parent, frame = _trie(frames, distinct // 2, distinct % 2)
    return last[pairs.indices.to_numpy()], parent, frame


def _trie(frames: _Frames, stack: Array, is_gradient: Array) -> tuple[Array, Array, Array]:
    """The tree of stacks: where each one ends, and parent and frame of every tree node.

    Level by level, a tree node is a pair of its parent and its name; numbers are given in the order
    of first use, which is the order of siblings. Frames are doubled, plus 1 for gradients.
    """
    start, length = frames.start[stack], frames.length[stack]
    last = np.full(len(stack), -1, np.int64)
    parents, firsts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    count = 0
    rows = np.flatnonzero(length > 0)
    names = 2 * len(frames.distinct)
    level = 0
    while len(rows):
        frame = frames.frame[start[rows] + level]
        name = 2 * frames.name_of[frame] + is_gradient[rows]
        pairs = pa.array((last[rows] + 1) * names + name).dictionary_encode()
        node = pairs.indices.to_numpy()
        first = np.empty(len(pairs.dictionary), np.int64)
        first[node[::-1]] = np.arange(len(rows) - 1, -1, -1)
        parents.append(pairs.dictionary.to_numpy() // names - 1)
        firsts.append(2 * frame[first] + is_gradient[rows[first]])
        last[rows] = count + node
        count += len(first)
        level += 1
        rows = rows[length[rows] > level]
    return last, np.concatenate(parents), np.concatenate(firsts)


def _split_gradients(
    profile: Profile, traced: Array, quirks: Quirks
) -> tuple[Array, Array, Array, Array, Array]:
    """Ordinary nodes; forward nodes, how many gradients each has, and these; unmatched gradients.

    Forward nodes are in the order of their names, gradients of one in the given order.
    """
    names = profile.nodes.name.take(pa.array(traced))
    maybe = np.flatnonzero(_found(names, _GRADIENTS) >= 0)
    marked = names.take(pa.array(maybe))
    of_nodes = _found(marked, _GRAD) >= 0
    maybe, marked = maybe[of_nodes], marked.filter(pa.array(of_nodes))
    forward = _forward(marked, loose=quirks.loose_gradient_names)
    if not quirks.tape_gradients_not_mapped:
        maybe, forward = _with_tapes(names, maybe, forward)
    found = forward.is_valid().to_numpy(zero_copy_only=False)
    rows = maybe[found]
    plain = np.delete(traced, rows)
    none = np.zeros(0, np.int64)
    if not len(rows):
        return plain, none, none, none, none
    distinct = forward.drop_null().dictionary_encode()
    by_name = pc.sort_indices(distinct.dictionary)
    targets = distinct.dictionary.take(by_name)
    rank = np.empty(len(targets), np.int64)
    rank[by_name.to_numpy()] = np.arange(len(targets))
    at = index_in(targets, profile.nodes.name.take(pa.array(plain)))
    gradients, group = traced[rows], rank[distinct.indices.to_numpy()]
    matched = at[group] >= 0
    order = np.argsort(group[matched], kind="stable")
    sizes = np.bincount(group[matched], minlength=len(targets))[at >= 0]
    return plain, plain[at[at >= 0]], sizes, gradients[matched][order], gradients[~matched]


def _with_tapes(names: pa.Array, rows: Array, forward: pa.Array) -> tuple[Array, pa.Array]:
    """Rows that are gradients, and their forward names, with those of tapes added."""
    taped = np.flatnonzero(pc.match_substring(names, _TAPE).to_numpy(zero_copy_only=False))
    if not len(taped):
        return rows, forward
    known = set(names.to_pylist())
    found = dict(zip(rows.tolist(), forward.to_pylist(), strict=True))
    for row in taped.tolist():
        found[row] = _taped_name(names[row].as_py(), known) or found.get(row)
    return np.array(sorted(found), np.int64), strings([found[row] for row in sorted(found)])


def _taped_name(name: str, known: set[str]) -> str | None:
    """The node whose name follows `gradient_tape/`, as far as a node has it.

    What stands before it, such as the names of calls, stands before the forward name too.
    """
    before, _, forward = name.partition(_TAPE)
    while forward:
        for candidate in (before + forward, forward):
            if candidate in known:
                return candidate
        forward = forward.rpartition("/")[0]
    return None


def _forward(names: pa.Array, *, loose: bool) -> pa.Array:
    """The names of the nodes that gradient nodes belong to; null for what is none.

    That is what stands between `gradients/` and `_grad/`. The original looks for the second from
    the beginning, and takes the rest of the name, even if there is none, where it comes first.
    """
    at = value_offsets(names) - value_offsets(names)[0]
    begin = at[:-1] + _found(names, _GRADIENTS) + len(_GRADIENTS)
    if loose:
        end = at[:-1] + _found(names, _GRAD)
        found = end != begin
        end = np.where(end < begin, at[1:], end)
    else:
        end = begin + _found(slice_strings(names, begin, at[1:]), _GRAD)
        found = end > begin
    forward = slice_strings(names, begin, np.maximum(end, begin))
    return pc.if_else(pa.array(found), forward, pa.scalar(None, pa.string()))


def _found(names: pa.Array, word: str) -> Array:
    """Where a word begins in each name, -1 where it does not occur."""
    return pc.find_substring(names, word).to_numpy(zero_copy_only=False)


def _lines(frames: _Frames, frame: Array) -> Frames:
    """The source line at each position, after the root's; gradients are marked."""
    distinct = [
        replace(line, name=line.name + suffix.encode(), function=line.function + suffix)
        for line in frames.distinct
        for suffix in _SUFFIX
    ]
    root = Frame(ROOT.encode(), "", "", 0, 0)
    return Frames([*distinct, root], np.concatenate([[len(distinct)], frame]))
