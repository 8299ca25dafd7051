"""Checks of arguments of methods: a wrong type is one line that names the argument."""

from __future__ import annotations

import os
from typing import Any

from tfprof.errors import OptionError


def check_path(name: str, value: Any) -> str:
    """A path as text."""
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise OptionError(f"{name}: {value!r} is not a path; give the name of a file or folder")
    return os.fspath(value) if isinstance(value, str) else str(value)


def check_text(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise OptionError(f"{name}: {value!r} is not a text")
    return value


def check_count(name: str, value: Any, lowest: int) -> int:
    """A whole number that is not below a limit."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise OptionError(f"{name}: {value!r} is not a whole number")
    if value < lowest:
        raise OptionError(f"{name}: {value} is below {lowest}")
    return value
