"""Which runs of a training job are traced and which write a file."""

from __future__ import annotations

import random
from collections.abc import Iterable

MAX_TRACED = 100
_WARM_UP = 10
_LAST_SAMPLED = 100
_ENOUGH_COVERAGE = 0.5
_DEFAULT_DUMPS = (100,)
_SEED = 111


class Schedule:
    """Requested steps, and samples while little of the model has been traced."""

    def __init__(
        self, trace_steps: Iterable[int] | None = None, dump_steps: Iterable[int] | None = None
    ) -> None:
        self._automatic = trace_steps is None
        self._trace = set(trace_steps or ())
        if len(self._trace) > MAX_TRACED:
            raise ValueError(f"Only support tracing up to {MAX_TRACED} steps.\n")
        self._dump = set(_DEFAULT_DUMPS if dump_steps is None else dump_steps)
        self._trace_next = self._dump_next = False
        self._traced = 0
        self._traced_fetches: set[str] = set()
        # The original's sequence, so that a job traces the same steps.
        self._random = random.Random(_SEED)

    def trace_next(self) -> None:
        """Trace the next run."""
        self._trace_next = True

    def dump_next(self) -> None:
        """Write a file after the next run."""
        self._dump_next = True

    def also_trace(self, steps: Iterable[int]) -> None:
        """Trace these steps as well."""
        self._trace.update(steps)

    def requested_steps(self, default: frozenset[int]) -> frozenset[int]:
        """The steps that were asked for, or a default if this was left to the schedule."""
        return frozenset(self._trace) or (default if self._automatic else frozenset())

    def dumps(self, steps: int) -> list[int]:
        """After which of so many steps a file is written."""
        return sorted(step for step in self._dump if step < steps)

    def is_idle(self, step: int) -> bool:
        """Whether nothing can happen at a step; most runs stop here."""
        sampling = self._automatic and step > _WARM_UP and self._traced <= MAX_TRACED
        requested = self._trace_next or self._dump_next
        return not (sampling or requested or step in self._trace or step in self._dump)

    def should_trace(self, step: int, fetches: str, coverage: float) -> bool:
        """Whether to trace a step; a yes is counted as done."""
        if self._traced > MAX_TRACED:
            return False
        wanted = (
            step in self._trace or self._trace_next or self._is_sampled(step, fetches, coverage)
        )
        if wanted:
            self._trace_next = False
            self._traced += 1
            self._traced_fetches.add(fetches)
        return wanted

    def should_dump(self, step: int) -> bool:
        """Whether to write a file after a step; a yes is counted as done."""
        wanted = step in self._dump or self._dump_next
        if wanted:
            self._dump_next = False
        return wanted

    def _is_sampled(self, step: int, fetches: str, coverage: float) -> bool:
        if not self._automatic or step <= _WARM_UP:
            return False
        if fetches not in self._traced_fetches:
            return True
        if coverage >= _ENOUGH_COVERAGE or step >= _LAST_SAMPLED:
            return False
        return self._random.randint(0, 10) < 2
