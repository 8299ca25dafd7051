"""The forward node of each gradient node, by its name.

TensorFlow 1 names a gradient of `y` `gradients/y_grad/…`, or `gradients_1/…` the second time.
TensorFlow 2 names it `gradient_tape/y/…`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import slice_strings, strings, value_offsets

_GRADIENTS, _GRAD, _TAPE = "gradients/", "_grad/", "gradient_tape/"


def forward_names(names: pa.Array, quirks: Quirks) -> pa.Array:
    """The name of the forward node of each gradient node; null for other nodes.

    Of a tape's gradient it is the longest of `names` that follows `gradient_tape/`.
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
    known = set(names.to_pylist())
    of_tapes = [_tape_forward_name(name, known) for name in names.filter(has_tape).to_pylist()]
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


def _tape_forward_name(name: str, known: set[str]) -> str | None:
    """The longest name of a node that follows `gradient_tape/`.

    A prefix, such as the name of a call, is that of the forward node too.
    """
    before, _, forward = name.partition(_TAPE)
    while forward:
        for candidate in (before + forward, forward):
            if candidate in known:
                return candidate
        forward = forward.rpartition("/")[0]
    return None
