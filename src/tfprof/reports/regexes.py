"""Regular expressions as the original reads them: RE2 syntax, matching the whole text.

RE2 runs in time linear in the text, whatever the pattern. A column is matched once per distinct
value by the engine inside Arrow.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import Quirks
from tfprof.errors import OptionError
from tfprof.profiles.schema import BoolArray


def is_everything(regexes: tuple[str, ...]) -> bool:
    """Whether a list is exactly `.*`, which even matches what has line breaks."""
    return regexes == (".*",)


def matches(regex: str, texts: pa.Array) -> BoolArray:
    """Which texts a regex matches as a whole; none if the regex is invalid."""
    pattern = _anchored(regex)
    if pattern is None:
        return np.zeros(len(texts), bool)
    mask: BoolArray = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return mask


def matches_any(regexes: tuple[str, ...], texts: pa.Array) -> BoolArray:
    """Which texts at least one regex matches as a whole."""
    mask = np.zeros(len(texts), bool)
    for regex in regexes:
        mask |= matches(regex, texts)
    return mask


def check(option: str, regexes: tuple[str, ...], quirks: Quirks) -> None:
    """Raise OptionError for an invalid regex, unless invalid regexes match nothing."""
    if quirks.invalid_regex_matches_nothing:
        return
    for regex in regexes:
        reason = _fault(regex)
        if reason:
            raise OptionError(f"option '{option}': invalid regex '{regex}': {reason}")


@lru_cache(maxsize=1024)
def _fault(regex: str) -> str:
    try:
        pc.match_substring_regex(pa.array([""]), regex)
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        return str(error).removeprefix("Invalid regular expression: ")
    return ""


@lru_cache(maxsize=1024)
def _anchored(regex: str) -> str | None:
    """The pattern that finds a regex only where it spans the whole text."""
    if _fault(regex):
        return None
    # A `\Q` without `\E` quotes all that follows, so it has to be closed first.
    for ending in ("", r"\E"):
        pattern = rf"\A(?:{regex}{ending})\z"
        if not _fault(pattern):
            return pattern
    return None
