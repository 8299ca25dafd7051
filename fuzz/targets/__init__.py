"""What is fuzzed: a function of bytes for each reader and parser, with seeds and a mutator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Target", "targets"]


@dataclass(frozen=True, slots=True)
class Target:
    """A way in: `run` may raise nothing but a TfprofError, whatever its bytes.

    It gets `share` times the time of the others. One for `words` takes what users type, which is
    quick to try: all of these together get no more inputs than readers and analyses.
    """

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    mutator: str
    share: int = 1
    words: bool = False


def targets() -> dict[str, Target]:
    """All targets by name."""
    from fuzz.targets import analyses, derived, files, formats, messages, user_input

    return {
        target.name: target
        for part in (analyses, derived, messages, files, formats, user_input)
        for target in part.TARGETS
    }
