"""The one path from what a user asks to an answer: parse, check, report, write.

    view, options ─parse_request▶ Request ─report_on▶ Report ─write_report▶ screen or files

The command, the shell and the Python API all use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfprof.api.report import Report, write_report
from tfprof.api.screen import Screen
from tfprof.definitions.option_builder import ProfileOptionBuilder
from tfprof.definitions.options import OPTIONS, Options, did_you_mean
from tfprof.definitions.quirks import Quirks, quirks_for
from tfprof.errors import OptionError
from tfprof.outputs import parse_output
from tfprof.profiles.profile import Profile
from tfprof.reports import regexes
from tfprof.reports.report import make_report
from tfprof.views import VIEWS

OptionsLike = Mapping[str, Any] | Options | int | None
"""What a caller may give as options; 0 stands for the parameters of trainable variables."""


@dataclass(frozen=True, slots=True)
class Request:
    """A view, its options and how the text is framed; all of it is checked."""

    view: str
    options: Options
    quirks: Quirks
    legend: bool | None = None
    banners: bool = False


def parse_request(
    view: str,
    options: OptionsLike = None,
    *,
    compat: bool = False,
    legend: bool | None = None,
    banners: bool = False,
    **more: Any,
) -> Request:
    """Check a view, its options, their regexes and the output before anything is read."""
    _check_view(view)
    quirks = quirks_for(compat)
    built = Options.build(_chosen(options), quirks, **more)
    check_options(built, quirks)
    return Request(view, built, quirks, legend, banners)


def check_options(options: Options, quirks: Quirks) -> None:
    """Refuse regexes and outputs that could only fail later."""
    for option in OPTIONS.values():
        if option.kind == "regexes":
            regexes.check(option.name, options[option.name], quirks)
    parse_output(options.output)


def _check_view(view: Any) -> None:
    """Refuse what is no view."""
    if not isinstance(view, str):
        raise TypeError(f"view: a {type(view).__name__} was given; accepted are {', '.join(VIEWS)}")
    if view not in VIEWS:
        hint = did_you_mean(view, VIEWS)
        raise OptionError(f"unknown view '{view}'; known are {', '.join(VIEWS)}{hint}")


def report_on(profile: Profile, request: Request, *, built_from: Profile | None = None) -> Report:
    """The report of a request. `built_from` is an earlier profile that the view's tree shows."""
    report = make_report(
        profile, request.view, request.options, request.quirks, built_from=built_from
    )
    return Report.of(report)


def answer(
    profile: Profile,
    request: Request,
    *,
    built_from: Profile | None = None,
    screen: Screen | None = None,
) -> Report:
    """Make the report of a request, print its messages, and write it where its options say."""
    screen = screen or Screen.standard()
    report = report_on(profile, request, built_from=built_from)
    screen.info(*report.messages)
    write_report(report, legend=request.legend, banners=request.banners, screen=screen)
    return report


def _chosen(options: OptionsLike) -> Mapping[str, Any] | Options | None:
    """Options as they are; 0 is the original's way to ask for its default."""
    if isinstance(options, int) and not isinstance(options, bool) and options == 0:
        return ProfileOptionBuilder.trainable_variables_parameter()
    if options is None or isinstance(options, (Mapping, Options)):
        return options
    kind = type(options).__name__
    raise TypeError(f"options: a {kind} was given; accepted are a dict and tfprof.Options")
