"""What is fuzzed: a function of bytes for each reader and parser, with seeds and a mutator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fuzz.mutate import Mutator

__all__ = ["Target", "targets"]


@dataclass(frozen=True, slots=True)
class Target:
    """A way in: `run` may raise nothing but a TfprofError, whatever its bytes.

    It gets `share` times the time of the others. Its inputs stand for `size` bytes, which bound the
    time and memory that they may take. One that `is_part` takes less than an input of
    tfprof: what users type, or one value that readers and analyses work on. Those are quick to try:
    all of them together get no more inputs than readers and analyses.
    """

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    mutator: Mutator
    share: float = 1
    is_part: bool = False
    size: Callable[[bytes], int] = len


def targets() -> dict[str, Target]:
    """All targets by name."""
    from fuzz.targets import (
        analyses,
        derived,
        files,
        formats,
        messages,
        programs,
        questions,
        user_input,
    )

    return {
        target.name: target
        for part in (analyses, derived, messages, files, programs, formats, questions, user_input)
        for target in part.TARGETS
    }
