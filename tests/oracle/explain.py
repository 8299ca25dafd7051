"""Why the repaired program answers differently: the quirks that give the original's answer.

Starting from all quirks, which answers like the original, each one is turned off unless the answer
changes. What stays on explains the difference; that nothing does is a difference of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from tests.oracle.original import Answer
from tfprof.api.profile import Profile
from tfprof.api.report import Report
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import ORIGINAL, Quirks
from tfprof.errors import TfprofError
from tfprof.reports.report import make_report

__all__ = ["explanation"]

Judge = Callable[[Answer], bool]


def explanation(
    profile: Profile, cmd: str, options: dict[str, Any], same: Judge
) -> tuple[str, ...] | None:
    """The quirks that are needed for the same answer as the original's, or nothing if none do."""

    def answers_the_same(quirks: Quirks) -> bool:
        return same(answer(profile, cmd, options, quirks))

    quirks = ORIGINAL
    if not answers_the_same(quirks):
        return None
    for item in fields(Quirks):
        without = replace(quirks, **{item.name: False})
        if answers_the_same(without):
            quirks = without
    return tuple(item.name for item in fields(Quirks) if getattr(quirks, item.name))


def answer(profile: Profile, cmd: str, options: dict[str, Any], quirks: Quirks) -> Answer:
    """A report with any mixture of quirks."""
    try:
        report = Report.of(make_report(profile, cmd, Options.build(options, quirks), quirks))
    except (TfprofError, TypeError) as error:
        return Answer(error=f"{type(error).__name__}: {error}")
    text = report.text(legend=True) if options["output"] == "file" else ""
    files = (("", text.encode("utf-8", "surrogateescape")),) if text else ()
    return Answer(report.proto().SerializeToString(), files)
