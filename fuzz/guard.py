"""What counts as a failure of an input, and how it is told."""

from __future__ import annotations

import hashlib
import traceback
import warnings
from pathlib import Path

from fuzz.targets import Target
from tfprof.errors import TfprofError

__all__ = ["failure_of", "name_of", "place_of"]


def failure_of(target: Target, data: bytes) -> BaseException | None:
    """What is wrong with how a target takes its input, or nothing.

    A TfprofError of one line is right; any other exception and any warning is not.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            target.run(data)
    except TfprofError as error:
        lines = str(error).splitlines()
        return (
            AssertionError(f"an error of {len(lines)} lines: {lines}") if len(lines) > 1 else None
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error
    return None


def place_of(error: BaseException) -> str:
    """Where an error came from, to tell failures apart."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "tfprof" in frame.filename] or list(frames)
    where = f"{Path(own[-1].filename).name}:{own[-1].name}" if own else "?"
    return f"{type(error).__name__} in {where}"


def name_of(data: bytes) -> str:
    """The name of a crasher's file."""
    return hashlib.sha256(data).hexdigest()[:16]
