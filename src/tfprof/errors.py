"""Every error that tfprof raises on purpose.

    TfprofError
    ├── LoadError      an input cannot be read or is not what it should be
    ├── OptionError    an option, command or argument is wrong      (also a ValueError)
    └── OutputError    an answer cannot be written

The text of each is one line that names the file or option and says what to do.
"""

from __future__ import annotations

from tfprof.runtime.printable import one_line

__all__ = ["LoadError", "OptionError", "OutputError", "TfprofError"]


class TfprofError(Exception):
    """The parent of all errors below."""

    def __init__(self, text: str = "") -> None:
        r"""Names in the text may hold anything; what would break the line is written as `\n`."""
        super().__init__(one_line(str(text)))


class LoadError(TfprofError):
    """An input cannot be read, or is not what it should be."""


class OptionError(TfprofError, ValueError):
    """An option, a command or an argument is wrong."""


class OutputError(TfprofError):
    """An answer cannot be written."""
