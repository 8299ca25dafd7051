"""The rules that map a runtime name to a node of the graph.

TensorFlow inlines functions under their callers' names, puts counters into the names of loop bodies
and branches, lowers control flow to helpers, and Grappler adds nodes of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import MAX_NAME_CANDIDATES


class MatchKind(IntEnum):
    """In which way a record belongs to a node, the closest first."""

    SAME = 0
    """It is a run of the node."""
    REWRITE = 1
    """It is a run of something that an optimizer replaced the node by."""
    HELPER = 2
    """It is a run of something that the node needs, such as a switch of a loop or an argument."""


# `while/body/_31/x`: the counter is the runtime's.
COUNTED = r"/(body|cond|then|else|branch\d+)(?:/_\d+)+/"
_COUNTED = re.compile(COUNTED)
_ARGUMENT = re.compile(r"_(?:arg|retval)_(.+)_\d+_\d+")
_FOLDED = re.compile(r"__cf__\d+$")
_COPIED = re.compile(r"/_\d+$")
_REWRITTEN = re.compile(
    r"Optimizer|ConstantFolding|AutoMixedPrecision|unary_ops_composition|-(?:folded|matshapes)-"
)
_OPTIMIZER = re.compile(r"\w*Optimizer|ConstantFolding(?:Ctrl)?|unary_ops_composition")
_INLINED = "Func/"


def strip_counters(name: str) -> str:
    """A runtime name without its counters, as `tfprof.functions.expand` writes it."""
    previous = None
    while name != previous:
        # A body whose first node is a branch shares a slash with it.
        previous, name = name, _COUNTED.sub(r"/\1/", name)
    return name


def strip_counters_column(names: pa.Array) -> pa.Array:
    """The same for a column of names."""
    counted = pc.match_substring_regex(names, COUNTED)
    stripped = [strip_counters(name) for name in names.filter(counted).to_pylist()]
    return pc.replace_with_mask(names, counted, pa.array(stripped, pa.string()))


def find_origin(
    name: str, is_node: Callable[[str], bool], is_caller: Callable[[str], bool]
) -> tuple[str, MatchKind] | None:
    """The node that a runtime name belongs to, and in which way; None if no rule finds one."""
    argument = _ARGUMENT.fullmatch(name)
    if argument and is_node(argument[1]):
        return argument[1], MatchKind.HELPER
    plain = strip_counters(name)
    if is_node(plain):
        return plain, MatchKind.SAME
    for candidate in islice(_original_names(plain), MAX_NAME_CANDIDATES):
        if is_node(candidate):
            return candidate, MatchKind.REWRITE
    for caller in islice(_scopes(plain.removeprefix(_INLINED)), MAX_NAME_CANDIDATES):
        if is_caller(caller):
            return caller, MatchKind.HELPER
    return None


def _scopes(name: str) -> Iterator[str]:
    """The scopes that a name is in, the innermost first."""
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def _original_names(name: str) -> Iterator[str]:
    """The names that an optimizer may have made a name from, the longest first."""
    name = _FOLDED.sub("", name)
    yield name
    name = _COPIED.sub("", name)
    yield name
    if not _REWRITTEN.search(name):
        return
    parts = [part for part in name.split("/") if not _OPTIMIZER.fullmatch(part)]
    if not parts:
        return
    *scope, last = parts
    above = "".join(f"{part}/" for part in scope)
    # `AddOpsRewrite_Leaf_0_add`, `add-folded-0`, `div_recip`
    for suffix in _suffixes(last):
        for part in _prefixes(suffix):
            yield above + part
    if scope:
        yield "/".join(scope)


def _suffixes(word: str) -> Iterator[str]:
    while word:
        yield word
        word = word.partition("_")[2]


def _prefixes(word: str) -> Iterator[str]:
    while word:
        yield word
        word = word[: max(word.rfind("_"), word.rfind("-"), 0)]
