"""The forward node of each gradient node, by its name.

TensorFlow 1 names a gradient of `y` `gradients/y_grad/…`, or `gradients_1/…` the second time.
TensorFlow 2 names it `gradient_tape/y/…`.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import MAX_NAME_CANDIDATES
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import slice_strings, strings, value_offsets

BACKWARD_TYPE = "_backward"
"""The type of gradient nodes whose own stack is that of their forward node."""

_GRADIENTS, _GRAD, _TAPE = "gradients/", "_grad/", "gradient_tape/"


def marked_gradients(type_node: Array, type_name: pa.Array) -> Array:
    """The nodes that have the type of gradients with a stack of their own."""
    is_marked = pc.equal(type_name, BACKWARD_TYPE).to_numpy(zero_copy_only=False)
    nodes: Array = type_node[is_marked]
    return nodes


def forward_names(names: pa.Array, quirks: Quirks) -> pa.Array:
    """The name of the forward node of each gradient node; null for other nodes.

    Of a tape's gradient it is the longest of `names` that follows `gradient_tape/`, or the longest
    scope of them, which ends in `/`.
    """
    has_grad = pc.match_substring(names, _GRAD)
    candidates = names.filter(has_grad)
    has_start = pc.match_substring(candidates, _GRADIENTS)
    first = _between(candidates.filter(has_start), loose=quirks.loose_gradient_names)
    forward = pc.replace_with_mask(pa.nulls(len(candidates), pa.string()), has_start, first)
    has_later = pc.any(pc.match_substring(candidates, "gradients_")).as_py()
    if has_later and not quirks.loose_gradient_names:
        matches = pc.extract_regex(candidates, rf"(?s)gradients_\d+/(?P<forward>.+?){_GRAD}")
        forward = pc.coalesce(forward, pc.struct_field(matches, "forward"))
    forward = pc.replace_with_mask(pa.nulls(len(names), pa.string()), has_grad, forward)
    has_tape = pc.match_substring(names, _TAPE)
    if quirks.tape_gradients_not_mapped or not pc.any(has_tape).as_py():
        return forward
    tapes = _Tapes(names.to_pylist())
    of_tapes = [tapes.forward_name(name) for name in names.filter(has_tape).to_pylist()]
    of_tapes = pc.coalesce(strings(of_tapes), forward.filter(has_tape))
    return pc.replace_with_mask(forward, has_tape, of_tapes)


def _between(names: pa.Array, *, loose: bool) -> pa.Array:
    """What is between `gradients/` and the next `_grad/`; null if that is nothing.

    The original looks for the first `_grad/` of the whole name. Where that comes before
    `gradients/`, all that follows `gradients/` is the forward name.
    """
    offsets = value_offsets(names) - value_offsets(names)[0]
    start = offsets[:-1] + _find(names, _GRADIENTS) + len(_GRADIENTS)
    if loose:
        end = offsets[:-1] + _find(names, _GRAD)
        valid = end != start
        end = np.where(end < start, offsets[1:], end)
    else:
        end = start + _find(slice_strings(names, start, offsets[1:]), _GRAD)
        valid = end > start
    forward = slice_strings(names, start, np.maximum(end, start))
    return pc.if_else(pa.array(valid), forward, pa.scalar(None, pa.string()))


def _find(names: pa.Array, pattern: str) -> Array:
    """The offset of a pattern in each name, in bytes; -1 if it is not there."""
    return pc.find_substring(names, pattern).to_numpy(zero_copy_only=False)


class _Tapes:
    """Finds the forward node of a tape's gradient among some nodes."""

    def __init__(self, names: list[str]) -> None:
        self._known = set(names)
        self._forward = sorted(name for name in names if _TAPE not in name)

    def forward_name(self, name: str) -> str | None:
        """The longest name of a node that follows `gradient_tape/`, else of a scope.

        A prefix, such as the name of a call, is that of the forward node too. In the gradient of a
        loop it is a node of the loop's body.
        """
        before, _, forward = name.partition(_TAPE)
        scope: str | None = None
        for _ in range(MAX_NAME_CANDIDATES):
            if not forward:
                break
            for candidate in (before + forward, forward):
                if candidate in self._known:
                    return scope or self._body_node(candidate, name) or candidate
                if scope is None and self._is_scope(candidate + "/"):
                    scope = candidate + "/"
            forward = forward.rpartition("/")[0]
        return scope

    def _is_scope(self, prefix: str) -> bool:
        index = bisect_left(self._forward, prefix)
        return index < len(self._forward) and self._forward[index].startswith(prefix)

    def _body_node(self, loop: str, name: str) -> str | None:
        """The node of a loop's body whose gradient has this name, if there is one."""
        forward, mark, _ = name.rpartition(_GRADIENTS)[2].partition(_GRAD)
        node = f"{loop}/body/{forward}"
        return node if mark and node in self._known else None
