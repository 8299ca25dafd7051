"""The one path from what a user asks to an answer: parse, check, report, write.

    view, options ─parse_request▶ Request ─report_on▶ Report ─write_report▶ screen or files

The command, the shell and the Python API all use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tfprof.api.report import UNKNOWN_COMMAND, Report, write_report
from tfprof.api.screen import Screen
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.metrics import DELTA, default_order
from tfprof.definitions.option_builder import ProfileOptionBuilder
from tfprof.definitions.options import OPTIONS, Options
from tfprof.definitions.quirks import Quirks, quirks_for
from tfprof.errors import OptionError
from tfprof.outputs import STDOUT, parse_output
from tfprof.outputs.diff import check_output
from tfprof.outputs.files import check_target
from tfprof.outputs.supported import why_unsupported
from tfprof.profiles.profile import Profile
from tfprof.reports import regexes
from tfprof.reports.make_report import make_report
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
    of_diff: bool = False,
    **more: Any,
) -> Request:
    """Check a view, its options, their regexes and the output before anything is read.

    A request `of_diff` is for a diff, which is sorted by the change unless `order_by` is given.
    """
    _check_view(view)
    quirks = quirks_for(compat)
    given = _as_options(options)
    built = Options.build(given, quirks, **more)
    if not isinstance(given, Options) and "order_by" not in {**(given or {}), **more}:
        order = DELTA if of_diff else default_order(view, built.select, quirks)
        built = replace(built, order_by=order)
    check_options(built, quirks, of_diff=of_diff)
    return Request(view, built, quirks, legend, banners)


def check_options(options: Options, quirks: Quirks, *, of_diff: bool = False) -> None:
    """Refuse regexes, outputs and orders that could only fail later."""
    if options.order_by == DELTA and not of_diff:
        raise OptionError(f"option 'order_by': {DELTA} sorts the rows of 'tfprof diff' only")
    for option in OPTIONS.values():
        if option.kind == "regexes":
            regexes.check(option.name, options[option.name], quirks)
    output, _ = parse_output(options.output, quirks)
    if of_diff:
        check_output(output)


def refuse_output(options: Options) -> None:
    """Refuse an output where a report is only returned; `stdout` is the default of all options."""
    output, _ = parse_output(options.output)
    if output.name not in ("stdout", "none"):
        raise OptionError(
            f"option 'output': this returns a report and writes nothing; use "
            f"report.write({options.output!r})"
        )


def _check_view(view: Any) -> None:
    """Refuse what is no view."""
    if not isinstance(view, str):
        raise TypeError(f"view: a {type(view).__name__} was given; accepted are {', '.join(VIEWS)}")
    if view not in VIEWS:
        hint = did_you_mean(view, VIEWS)
        raise OptionError(f"unknown view '{view}'; known are {', '.join(VIEWS)}{hint}")


def report_on(profile: Profile, request: Request, *, built_from: Profile | None = None) -> Report:
    """The report of a request. `built_from` is an earlier profile that the view's tree shows."""
    options, quirks = request.options, request.quirks
    rows = make_report(profile, request.view, options, quirks, built_from=built_from)
    return Report.from_rows(rows)


def run_request(
    profile: Profile,
    request: Request,
    *,
    built_from: Profile | None = None,
    screen: Screen | None = None,
    command: str = UNKNOWN_COMMAND,
) -> Report:
    """Make the report of a request, print its messages, and write it where its options say.

    `command` is what was typed to load the profile, for outputs that show commands.
    """
    screen = screen or Screen.standard()
    report = report_on(profile, request, built_from=built_from)
    output, keys = parse_output(request.options.output, request.quirks)
    refused = report.shown and why_unsupported(report, output.name)
    if not refused and keys.get("outfile", STDOUT) != STDOUT:
        # Before messages, so that a failure is one line.
        check_target(keys["outfile"])
    screen.info(*(report.view.warnings if refused else report.messages))
    write_report(
        report, legend=request.legend, banners=request.banners, screen=screen, command=command
    )
    return report


def _as_options(options: OptionsLike) -> Mapping[str, Any] | Options | None:
    """Options as they are; 0 is the original's way to ask for its default."""
    if isinstance(options, int) and not isinstance(options, bool) and options == 0:
        return ProfileOptionBuilder.trainable_variables_parameter()
    if options is None or isinstance(options, (Mapping, Options)):
        return options
    kind = type(options).__name__
    raise TypeError(f"options: a {kind} was given; accepted are a dict and tfprof.Options")
