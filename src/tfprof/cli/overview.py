"""A view without options: the rows to look at first, and how to see the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfprof.cli.console import Console
from tfprof.cli.defaults import OVERVIEW_METRICS, options_for
from tfprof.cli.parser import ParsedCommand
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import ALL_LEVELS, format_value

if TYPE_CHECKING:
    from tfprof.api.report import Report


def show_overview(console: Console, parsed: ParsedCommand) -> None:
    """Show the most important rows of a view by the first metric that it has numbers of."""
    report = _whole_report(console, parsed.name)
    from tfprof.api.report import write_report
    from tfprof.reports.overview import make_overview

    overview = make_overview(report)
    footer = ""
    if overview.omitted:
        command = _command_for_all(report, has_runs=bool(console.profile.steps))
        footer = f"{overview.omitted}; to see all: {command}"
    console.screen.info(*report.messages)
    legend = parsed.values.get("legend", console.legend) or None
    shown = replace(overview.report, footer=footer)
    write_report(shown, legend=legend, screen=console.screen)


def _whole_report(console: Console, view: str) -> Report:
    """All rows, sorted by the first metric whose total is not zero, or by the last one."""
    has_runs = bool(console.profile.steps)
    from tfprof.api.request import parse_request, report_on
    from tfprof.reports.overview import has_numbers

    for name in OVERVIEW_METRICS[view]:
        if METRICS[name].needs == "run metadata" and not has_runs:
            continue
        given = {"select": (name,), "order_by": name, "max_depth": ALL_LEVELS}
        options = options_for(given, has_runs=has_runs, compat=False, view=view)
        report = report_on(console.profile, parse_request(view, options))
        if has_numbers(report):
            break
    return report


def _command_for_all(report: Report, *, has_runs: bool) -> str:
    """The shortest command that shows all rows of a report."""
    view, options = report.kind, report.options
    given: dict[str, Any] = {}

    def default(name: str) -> Any:
        return options_for(given, has_runs=has_runs, compat=False, view=view)[name]

    for name in ("select", "order_by"):
        if default(name) != options[name]:
            given[name] = options[name]
    if default("max_depth") < report.deepest:
        given["max_depth"] = report.deepest
    given = given or {"select": options.select}
    return " ".join([view, *(f"-{name} {format_value(value)}" for name, value in given.items())])
