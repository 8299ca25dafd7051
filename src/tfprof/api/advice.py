"""Advice as the original's functions give it, printed and as a message; and on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tfprof.api.screen import Screen
from tfprof.profiles.profile import Profile
from tfprof.runtime.printable import one_line
from tfprof.runtime.terminal import Line, Span, Terminal

if TYPE_CHECKING:
    from tfprof.advisor import Advice

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


def advice_lines(advice: Advice, terminal: Terminal) -> Iterator[Line]:
    """What `Advice.text` says, as lines that fit a terminal."""
    for result in advice.results:
        yield []
        yield [Span(f"{result.checker}:", "title")]
        style = "" if result.findings else "cold"
        for line in "\n".join(result.lines()).split("\n"):
            indent = " " * (len(line) - len(line.lstrip(" ")))
            for part in textwrap.wrap(
                one_line(line),
                terminal.width,
                subsequent_indent=f"{indent}    ",
                break_long_words=False,
                break_on_hyphens=False,
            ):
                yield [Span(part, style)]


def _checkers(options: AdviceOptions) -> Mapping[str, Mapping[str, Any]] | None:
    if isinstance(options, Mapping):
        return dict(options)
    if options is None:
        return {}
    if isinstance(options, int) and options == 0:
        return None
    kind = type(options).__name__
    raise TypeError(f"options: a {kind} was given; accepted is a dict of checkers, or None")
