"""Regular expressions as the original reads them: RE2 syntax, matching the whole text.

RE2 runs in time linear in the text, whatever the pattern. A column is matched once per distinct
value by the engine inside Arrow.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import MAX_REGEXES
from tfprof.definitions.quirks import Quirks
from tfprof.errors import OptionError
from tfprof.profiles.schema import BoolArray

_SPECIAL = re.compile(r"[.+*?()\[\]{}|^$\\,]")


def is_everything(regexes: tuple[str, ...]) -> bool:
    """Whether a list is exactly `.*`, which even matches what has line breaks."""
    return regexes == (".*",)


def matches(regex: str, texts: pa.Array) -> BoolArray:
    """Which texts a regex matches as a whole; none if the regex is invalid."""
    pattern = _anchor(regex)
    if pattern is None:
        return np.zeros(len(texts), bool)
    mask: BoolArray = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return mask


def matches_any(regexes: tuple[str, ...], texts: pa.Array) -> BoolArray:
    """Which texts at least one regex matches as a whole."""
    mask = np.zeros(len(texts), bool)
    for regex in dict.fromkeys(regexes):
        mask |= matches(regex, texts)
    return mask


def search(regex: str, texts: pa.Array) -> BoolArray:
    """Which texts a regex matches anywhere; an OptionError if it is invalid."""
    reason = _syntax_error(regex)
    if reason:
        raise OptionError(f"invalid regex '{regex}': {reason}")
    mask: BoolArray = pc.match_substring_regex(texts, regex).to_numpy(zero_copy_only=False)
    return mask


@lru_cache(maxsize=4096)
def match_exactly(name: str) -> str:
    """A regex that matches just this name, in a list too."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], name)


def check(option: str, regexes: tuple[str, ...], quirks: Quirks) -> None:
    """Raise OptionError for too many regexes, or an invalid one that does not match nothing."""
    if len(regexes) > MAX_REGEXES:
        raise OptionError(
            f"option '{option}': has {len(regexes):,} regexes, at most {MAX_REGEXES:,} are allowed;"
            " join them with |"
        )
    if quirks.invalid_regex_matches_nothing:
        return
    for regex in regexes:
        reason = _syntax_error(regex)
        if reason:
            raise OptionError(f"option '{option}': invalid regex '{regex}': {reason}")


@lru_cache(maxsize=1024)
def _syntax_error(regex: str) -> str:
    try:
        pc.match_substring_regex(pa.array([""]), regex)
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        return str(error).removeprefix("Invalid regular expression: ")
    return ""


@lru_cache(maxsize=1024)
def _anchor(regex: str) -> str | None:
    """The pattern that finds a regex only where it spans the whole text."""
    if _syntax_error(regex):
        return None
    # A `\Q` without `\E` quotes all that follows, so it has to be closed first.
    for ending in ("", r"\E"):
        pattern = rf"\A(?:{regex}{ending})\z"
        if not _syntax_error(pattern):
            return pattern
    return None
