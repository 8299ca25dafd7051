"""Every error that tfprof raises on purpose.

    TfprofError
    ├── LoadError      an input cannot be read or is not what it should be
    ├── OptionError    an option, command or argument is wrong      (also a ValueError)
    └── OutputError    an answer cannot be written

The text of each is one line that names the file or option and says what to do.
"""

from __future__ import annotations

import re

from tfprof.runtime.printable import one_line

__all__ = ["LoadError", "OptionError", "OutputError", "TfprofError"]


_LONGEST, _KEPT_OF_WORD, _KEPT = 2000, 400, 5000
"""Characters of a text that stays as it is, and of the beginning and end of words and others."""
_WORD = re.compile(r"\S+")


class TfprofError(Exception):
    """The parent of all errors below."""

    def __init__(self, text: str = "") -> None:
        r"""Names in the text may hold anything; what would break the line is written as `\n`."""
        super().__init__(one_line(_cut_names(str(text))))


def _cut_names(text: str) -> str:
    """A text without the middle of names that make it too long to be read."""
    if len(text) <= _LONGEST:
        return text
    return _cut(_WORD.sub(lambda word: _cut(word[0], _KEPT_OF_WORD), text), _KEPT)


def _cut(text: str, kept: int) -> str:
    return text if len(text) <= 2 * kept else f"{text[:kept]}...{text[-kept:]}"


class LoadError(TfprofError):
    """An input cannot be read, or is not what it should be."""


class OptionError(TfprofError, ValueError):
    """An option, a command or an argument is wrong."""


class OutputError(TfprofError):
    """An answer cannot be written."""
