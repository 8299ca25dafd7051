"""What a diff compares unless it is asked for something: what a change of the model shows in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.definitions.metrics import METRICS
from tfprof.definitions.quirks import REPAIRED
from tfprof.flops.flop_columns import to_comparable
from tfprof.profiles.profile import Profile
from tfprof.reports.measures import measures
from tfprof.resolve import resolve

if TYPE_CHECKING:
    from tfprof.diffs.make_diff import DiffSettings

_OF_MODEL = ("params", "float_ops")
_OF_RUN = ("micros",)


def default_select(before: Profile, after: Profile, settings: DiffSettings) -> tuple[str, ...]:
    """The metrics of the model that differ, then the time if both have steps.

    Numbers of the model come first: they have no noise.
    """
    of_run = _OF_RUN if before.steps and after.steps else ()
    if before is after:
        return of_run or _OF_MODEL
    changed = tuple(name for name in _OF_MODEL if _differs(before, after, name, settings))
    return (changed + of_run) or _OF_MODEL


def _differs(before: Profile, after: Profile, name: str, settings: DiffSettings) -> bool:
    """Whether the numbers of nodes add up to something else."""
    steps = (settings.before_step, settings.after_step)
    sums = []
    for profile, step in zip((before, after), steps, strict=True):
        known_step = step if step in profile.steps else -1
        numbers = measures(resolve(profile, REPAIRED), REPAIRED, known_step)
        sums.append(to_comparable(numbers.column(METRICS[name].measure)).sum())
    return bool(sums[0] != sums[1])
