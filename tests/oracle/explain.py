"""Why the repaired program answers differently: the quirks that give the original's answer.

Starting from all quirks, which answers like the original, they are turned off, many at once, unless
the answer changes. What stays on explains the difference; that nothing does is a difference of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any

from tfprof.api.profile import Profile
from tfprof.api.report import Report
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import ORIGINAL, Quirks
from tfprof.errors import TfprofError
from tfprof.reports.make_report import make_report

__all__ = ["explanation"]

Judge = Callable[[Report], bool]
Test = Callable[[Quirks], bool]


def explanation(
    profile: Profile, cmd: str, options: dict[str, Any], same: Judge
) -> tuple[str, ...] | None:
    """The quirks that are needed for the same answer as the original's, or nothing if none do."""

    @cache
    def answers_the_same(quirks: Quirks) -> bool:
        try:
            report = make_report(profile, cmd, Options.build(options, quirks), quirks)
        except (TfprofError, TypeError):
            return False
        return same(Report.from_rows(report))

    if not answers_the_same(ORIGINAL):
        return None
    names = tuple(item.name for item in fields(Quirks))
    needed = without_needless(ORIGINAL, names, answers_the_same)
    return tuple(name for name in names if getattr(needed, name))


def without_needless(quirks: Quirks, names: tuple[str, ...], same: Test) -> Quirks:
    """The quirks with those of `names` turned off that the same answer does not need."""
    without = replace(quirks, **dict.fromkeys(names, False))
    if same(without):
        return without
    if len(names) == 1:
        return quirks
    half = len(names) // 2
    return without_needless(without_needless(quirks, names[:half], same), names[half:], same)
