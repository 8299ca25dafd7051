"""Advice as the original's functions give it: printed, and returned as a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfprof.api.screen import Screen
from tfprof.profiles.profile import Profile

AdviceOptions = Mapping[str, Mapping[str, Any]] | int | None
"""A dict of settings for each checker to run; 0 runs all, None runs none."""


def print_advice(
    profile: Profile,
    options: AdviceOptions,
    *,
    compat: bool,
    views: Mapping[str, Profile] | None = None,
) -> Any:
    """Print the advice on a profile, and return its AdviceProto."""
    from tfprof.advisor import advise

    advice = advise(profile, _checkers(options), compat=compat, views=views)
    screen = Screen.standard()
    screen.info(*advice.messages)
    screen.write(advice.text())
    return advice.proto()


def _checkers(options: AdviceOptions) -> Mapping[str, Mapping[str, Any]] | None:
    if isinstance(options, Mapping):
        return dict(options)
    if options is None:
        return {}
    if isinstance(options, int) and options == 0:
        return None
    kind = type(options).__name__
    raise TypeError(f"options: a {kind} was given; accepted is a dict of checkers, or None")
