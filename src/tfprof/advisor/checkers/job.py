"""JobChecker: a name that the original accepts and that checks nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.advisor.checker import Checker, Settings
from tfprof.advisor.finding import Finding
from tfprof.profiles.profile import Profile


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:  # noqa: ARG001 - as all checkers
    """Nothing."""
    return iter(())


CHECKER = Checker("JobChecker", "nothing, as in the original", check, original=True)
