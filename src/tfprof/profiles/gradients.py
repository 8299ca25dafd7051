"""The forward node of each gradient node, by its name.

TensorFlow 1 names a gradient of `y` `gradients/y_grad/…`, or `gradients_1/…` the second time.
TensorFlow 2 names it `gradient_tape/y/…`.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.string_columns import strings

_GRADIENTS, _GRAD, _TAPE = "gradients/", "_grad/", "gradient_tape/"


def forward_names(names: pa.Array, quirks: Quirks) -> pa.Array:
    """The name of the forward node of each gradient node; null for other nodes.

    Of a tape's gradient it is the longest of `names` that follows `gradient_tape/`.
    """
    has_grad = pc.match_substring(names, _GRAD)
    candidates = names.filter(has_grad)
    if quirks.loose_gradient_names:
        forward = _original_forward_names(candidates)
    else:
        first = _between(candidates, _GRADIENTS)
        forward = pc.coalesce(first, _between(candidates, r"gradients_\d+/"))
    forward = pc.replace_with_mask(pa.nulls(len(names), pa.string()), has_grad, forward)
    has_tape = pc.match_substring(names, _TAPE)
    if quirks.tape_gradients_not_mapped or not pc.any(has_tape).as_py():
        return forward
    known = set(names.to_pylist())
    of_tapes = [_tape_forward_name(name, known) for name in names.filter(has_tape).to_pylist()]
    of_tapes = pc.coalesce(strings(of_tapes), forward.filter(has_tape))
    return pc.replace_with_mask(forward, has_tape, of_tapes)


def _between(names: pa.Array, start: str) -> pa.Array:
    """What is between the first match of `start` and the next `_grad/`; null if that is nothing."""
    forward = pc.extract_regex(names, f"(?s){start}(?P<forward>.*?){_GRAD}").field("forward")
    return pc.if_else(pc.equal(forward, ""), None, forward)


def _original_forward_names(names: pa.Array) -> pa.Array:
    """The original looks for the first `_grad/` of the whole name.

    Where that comes before `gradients/`, all that follows `gradients/` is the forward name.
    """
    matches = pc.extract_regex(names, f"(?s){_GRADIENTS}(?P<rest>.*)")
    rest = pc.struct_field(matches, "rest")
    start = pc.add(pc.find_substring(names, _GRADIENTS), len(_GRADIENTS))
    end = pc.find_substring(names, _GRAD)
    forward = pc.if_else(pc.less(end, start), rest, _between(names, _GRADIENTS))
    return pc.if_else(pc.equal(end, start), None, forward)


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
