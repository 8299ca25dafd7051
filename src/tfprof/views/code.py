"""Code view: nodes by the Python stack that created them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import check_line_names
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.executions import executions_of
from tfprof.profiles.gradients import forward_names, marked_gradients
from tfprof.profiles.grouping import argsort_within, distinct_rows, first_rows, invert_permutation
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, Stacks
from tfprof.views.tree import Tree
from tfprof.views.view import ROOT, Frame, Frames, View, name_order, name_rank

GRADIENT = " (gradient)"
_LONGEST, _KEPT = 20, 17
_FEW_STACKS = 50
"""So many stacks are followed one by one about as fast as all at once."""
_NONE = "none"


def build(profile: Profile, quirks: Quirks) -> View:
    """A position for each frame under its callers; a node is a member of its innermost frame.

    A gradient node has the stack of its forward node, in a branch of frames marked as gradient.
    """
    frames = _frames(profile, quirks)
    order = name_order(profile)
    order = order[executions_of(profile, quirks).exists[order]]
    traced = order[frames.length[profile.nodes.stack[order]] > 0] if len(order) else order
    frames, split = _split_gradients(profile, frames, traced, quirks)
    plain = split.plain
    if not quirks.unmatched_gradients_omitted and len(split.unmatched):
        plain = order[np.isin(order, np.concatenate([plain, split.unmatched]))]
    stack = np.concatenate([profile.nodes.stack[plain], split.forward_stack])
    is_gradient = np.arange(len(stack)) >= len(plain)
    last, parent, frame = _trie_of_distinct(frames, stack, is_gradient)
    tree, trie_node = Tree.from_parents(parent)
    position = 1 + invert_permutation(trie_node)
    member_node = np.concatenate([plain, split.gradients])
    counts = np.concatenate([np.ones(len(plain), np.int64), split.gradient_counts])
    member_position = position[np.repeat(last, counts)]
    by_position = argsort_within(member_position, name_rank(profile)[member_node])
    lines = _lines(frames, frame[trie_node])
    names = pa.array([line.name for line in lines.distinct], pa.binary())
    sizes = pc.binary_length(names).to_numpy()[lines.index]
    size, files = int(sizes.sum(dtype=np.int64)), (line.file for line in lines.distinct)
    check_line_names(size, lines=len(sizes), files=files)
    return View(
        "code",
        tree,
        # A name cut inside a character is no UTF-8 any more.
        names.take(pa.array(lines.index)).cast(pa.string(), safe=False),
        np.full(len(tree), -1, np.int64),
        member_node[by_position],
        member_position[by_position],
        lines,
        _warn_of_omitted_gradients(profile, split.unmatched, quirks),
    )


def _warn_of_omitted_gradients(
    profile: Profile, unmatched: Array, quirks: Quirks
) -> tuple[str, ...]:
    """The warning about gradients without a forward node, which the original leaves out."""
    if not quirks.unmatched_gradients_omitted or not len(unmatched):
        return ()
    forward = forward_names(profile.nodes.name.take(pa.array(unmatched)), quirks)
    return (f"{pc.count_distinct(forward).as_py()} gradient nodes not accounted",)


@dataclass(frozen=True, slots=True)
class _Frames:
    """All frames of all stacks.

    Stack `i` has `length[i]` frames from `start[i]` on. `frame` is the index of each in `distinct`;
    `name_of` numbers the names of the distinct frames.
    """

    start: Array
    length: Array
    frame: Array
    name_of: Array
    distinct: list[Frame]


def _frames(profile: Profile, quirks: Quirks) -> _Frames:
    start, length, frame = [np.zeros(0, np.int64)], [], [np.zeros(0, np.int64)]
    distinct: list[Frame] = []
    base = size = 0
    for stacks in profile.stacks:
        index, frames = _distinct_frames(stacks, profile, quirks)
        start.append(stacks.start[:-1] + base)
        length.append(np.diff(stacks.start))
        frame.append(index + len(distinct))
        distinct += frames
        size += sum(len(frame.name) for frame in frames)
        check_line_names(size, lines=len(distinct), files=(frame.file for frame in distinct))
        base += len(index)
    names: dict[bytes, int] = {}
    name_of = [names.setdefault(frame.name, len(names)) for frame in distinct]
    # The last stack, without frames, is that of nodes that have none (-1).
    end = np.zeros(1, np.int64)
    return _Frames(
        np.concatenate([*start, end]),
        np.concatenate([*length, end]),
        np.concatenate(frame),
        np.array(name_of, np.int64),
        distinct,
    )


def _distinct_frames(stacks: Stacks, profile: Profile, quirks: Quirks) -> tuple[Array, list[Frame]]:
    """The index of each frame among the distinct ones, and these."""
    columns = [stacks.file_id, stacks.function_id, stacks.text_id, stacks.line]
    columns.append(stacks.function_line)
    texts = stacks.texts if not quirks.string_frames_ignored else None
    if texts:
        columns += [text.dictionary_encode().indices.to_numpy() for text in texts]
    index, first = distinct_rows(columns)
    strings = profile.strings if quirks.shared_string_ids else stacks.strings
    used = set(stacks.text_id[first].tolist())
    has_text = not quirks.source_text_hidden and (
        bool(texts) or any(strings.get(key, _NONE) != _NONE for key in used)
    )
    # A string may be long and have many frames.
    base_name, strip = cache(_base_name), cache(str.strip)
    frames, size = [], 0
    for row in first.tolist():
        fields = [strings.get(int(column[row]), _NONE) for column in columns[:3]]
        if texts:
            fields = [text[row].as_py() or fields[i] for i, text in enumerate(texts)]
        file, function, text = fields
        line = int(stacks.line[row])
        text = strip(text) if has_text else ""
        name = b"%b:%d:%b" % (base_name(file), line, _truncate(function, quirks))
        if has_text:
            name += b":" + _truncate(text, quirks)
        frames.append(Frame(name, file, function, line, int(stacks.function_line[row]), text))
        size += len(name)
        check_line_names(size, lines=len(first), files=(frame.file for frame in frames))
    return index, frames


def _base_name(file: str) -> bytes:
    return file.rpartition("/")[2].encode()


def _truncate(text: str, quirks: Quirks) -> bytes:
    if not quirks.names_cut_at_bytes:
        return (text if len(text) < _LONGEST else text[:_KEPT] + "...").encode()
    # A character has one byte at least.
    data = text[:_LONGEST].encode()
    return data if len(data) < _LONGEST else data[:_KEPT] + b"..."


def _trie_of_distinct(
    frames: _Frames, stack: Array, is_gradient: Array
) -> tuple[Array, Array, Array]:
    """The same as `_trie`, which sees each of the stacks once that many nodes share."""
    pairs = pa.array(2 * stack + is_gradient).dictionary_encode()
    distinct = pairs.dictionary.to_numpy()
    last, parent, frame = _trie(frames, distinct // 2, distinct % 2)
    return last[pairs.indices.to_numpy()], parent, frame


def _trie(frames: _Frames, stack: Array, is_gradient: Array) -> tuple[Array, Array, Array]:
    """The trie of stacks with frames: the last node of each, parent and frame of every node.

    Level by level, a node is a pair of its parent and its name. They are numbered in the order of
    first use, which is the order of siblings. Frames are doubled, plus 1 for gradients. Once few
    stacks are left, each of them is followed to its end instead, as they may be deep.
    """
    start, length = frames.start[stack], frames.length[stack]
    last = np.full(len(stack), -1, np.int64)
    parents, firsts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    count = 0
    rows = np.arange(len(stack))
    names = 2 * len(frames.distinct)
    level = 0
    while len(rows) > _FEW_STACKS:
        frame = frames.frame[start[rows] + level]
        name = 2 * frames.name_of[frame] + is_gradient[rows]
        pairs = pa.array((last[rows] + 1) * names + name).dictionary_encode()
        node = pairs.indices.to_numpy()
        first = first_rows(node, len(pairs.dictionary))
        parents.append(pairs.dictionary.to_numpy() // names - 1)
        firsts.append(2 * frame[first] + is_gradient[rows[first]])
        last[rows] = count + node
        count += len(first)
        level += 1
        rows = rows[length[rows] > level]
    name_of = frames.name_of.tolist()
    node_of: dict[tuple[int, int, int], int] = {}
    for row in rows.tolist():
        node, gradient = int(last[row]), int(is_gradient[row])
        inner = frames.frame[start[row] + level : start[row] + length[row]]
        parent_of, first_of = [], []
        for frame in inner.tolist():
            key = node, name_of[frame], gradient
            parent, node = node, node_of.setdefault(key, count)
            if node == count:
                parent_of.append(parent)
                first_of.append(2 * frame + gradient)
                count += 1
        last[row] = node
        parents.append(np.array(parent_of, np.int64))
        firsts.append(np.array(first_of, np.int64))
    return last, np.concatenate(parents), np.concatenate(firsts)


class _GradientSplit(NamedTuple):
    """Nodes that are no gradients, gradients by forward node or scope, and gradients without one.

    `forward_stack` has the stack of each forward node, sorted by name. `gradients` has those of
    each, as many as `gradient_counts` says, in any order.
    """

    plain: Array
    forward_stack: Array
    gradient_counts: Array
    gradients: Array
    unmatched: Array


def _split_gradients(
    profile: Profile, frames: _Frames, traced: Array, quirks: Quirks
) -> tuple[_Frames, _GradientSplit]:
    """The split, and the frames with the stacks that the nodes of scopes share."""
    is_marked = np.isin(traced, marked_gradients(profile.type_node, profile.type_name))
    marked, traced = traced[is_marked], traced[~is_marked]
    own, ones = profile.nodes.stack[marked], np.ones(len(marked), np.int64)
    forward = forward_names(profile.nodes.name.take(pa.array(traced)), quirks)
    rows = np.flatnonzero(forward.is_valid().to_numpy(zero_copy_only=False))
    plain = np.delete(traced, rows)
    if not len(rows):
        return frames, _GradientSplit(plain, own, ones, marked, np.zeros(0, np.int64))
    distinct = forward.drop_null().dictionary_encode()
    by_name = pc.sort_indices(distinct.dictionary)
    targets = distinct.dictionary.take(by_name)
    names, stacks = profile.nodes.name.take(pa.array(plain)), profile.nodes.stack[plain]
    index = index_in(targets, names)
    has_stack = index >= 0
    stack = np.zeros(len(targets), np.int64)
    stack[has_stack] = stacks[index[has_stack]]
    is_scope = pc.ends_with(targets, "/").to_numpy(zero_copy_only=False) & ~has_stack
    scopes = np.flatnonzero(is_scope & (not quirks.tape_gradients_not_mapped))
    if len(scopes):
        of_scopes = _stacks_of_scopes(targets.take(pa.array(scopes)), names, stacks)
        frames, stack[scopes] = _with_shared_frames(frames, of_scopes)
        has_stack[scopes] = frames.length[stack[scopes]] > 0
    target = invert_permutation(by_name.to_numpy())[distinct.indices.to_numpy()]
    gradients, has_target = traced[rows], has_stack[target]
    order = np.argsort(target[has_target])
    counts = np.bincount(target[has_target], minlength=len(targets))[has_stack]
    unmatched = gradients[~has_target]
    matched = gradients[has_target][order]
    return frames, _GradientSplit(
        plain,
        np.concatenate([stack[has_stack], own]),
        np.concatenate([counts, ones]),
        np.concatenate([matched, marked]),
        unmatched,
    )


def _stacks_of_scopes(scopes: pa.Array, names: pa.Array, stack: Array) -> list[Array]:
    """The distinct stacks of the nodes in each scope; the nodes are sorted by name."""
    sorted_names = names.to_pylist()
    after = chr(ord("/") + 1)
    return [
        np.unique(
            stack[bisect_left(sorted_names, scope) : bisect_left(sorted_names, scope[:-1] + after)]
        )
        for scope in scopes.to_pylist()
    ]


def _with_shared_frames(frames: _Frames, groups: Sequence[Array]) -> tuple[_Frames, Array]:
    """Frames with a stack for each group, of the outer frames that its stacks share; their indices.

    They are put before the last stack, which is that of nodes without one.
    """
    end = len(frames.start) - 1
    # A group without stacks has the last one.
    firsts = np.array([group[0] if len(group) else end for group in groups], np.int64)
    return replace(
        frames,
        start=np.insert(frames.start, end, frames.start[firsts]),
        length=np.insert(frames.length, end, [_count_shared(frames, group) for group in groups]),
    ), np.arange(end, end + len(groups))


def _count_shared(frames: _Frames, stacks: Array) -> int:
    """How many outer frames some stacks share."""
    starts = frames.start[stacks].tolist()
    shared = int(frames.length[stacks].min()) if starts else 0
    for start in starts[1:]:
        differs = (
            frames.frame[start : start + shared] != frames.frame[starts[0] : starts[0] + shared]
        )
        shared = int(differs.argmax()) if differs.any() else shared
    return shared


def _lines(frames: _Frames, frame: Array) -> Frames:
    """The frame of each position, the root's first; those of gradients are marked."""
    functions = {line.function for line in frames.distinct}
    gradient = {function: function + GRADIENT for function in functions}
    distinct = []
    for line in frames.distinct:
        name, function = line.name + GRADIENT.encode(), gradient[line.function]
        distinct += [line, replace(line, name=name, function=function)]
    root = Frame(ROOT.encode(), "", "", 0, 0)
    return Frames([*distinct, root], np.concatenate([[len(distinct)], frame]))
