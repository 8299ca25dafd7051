"""Every error that tfprof raises on purpose.

    TfprofError
    ├── LoadError      an input cannot be read or is not what it should be
    ├── OptionError    an option, command or argument is wrong      (also a ValueError)
    └── OutputError    an answer cannot be written

The text of each is one line that names the file or option and says what to do.
"""

from __future__ import annotations

__all__ = ["LoadError", "OptionError", "OutputError", "TfprofError"]


class TfprofError(Exception):
    """The parent of all errors below."""


class LoadError(TfprofError):
    """An input cannot be read, or is not what it should be."""


class OptionError(TfprofError, ValueError):
    """An option, a command or an argument is wrong."""


class OutputError(TfprofError):
    """An answer cannot be written."""
