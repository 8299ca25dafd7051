"""Which outcomes of an input are failures, and where they come from."""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path

from fuzz.targets import Target
from tfprof.errors import TfprofError

__all__ = ["failure_of", "origin_of"]


def failure_of(target: Target, data: bytes) -> BaseException | None:
    """The failure of a target on an input, or nothing.

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


def origin_of(error: BaseException) -> str:
    """Where an error was raised, by which failures are distinguished."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "tfprof" in frame.filename] or list(frames)
    where = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else "?"
    return f"{type(error).__name__} in {where}"
