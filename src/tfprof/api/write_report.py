"""A report handed to its renderer, and what that yields put where it belongs."""

from __future__ import annotations

from tfprof.api.screen import Screen
from tfprof.outputs import RenderSettings, parse_output, render, write_documents
from tfprof.reports.report import Report


def write_report(
    report: Report,
    output: str | None = None,
    *,
    legend: bool | None = None,
    banners: bool = False,
    screen: Screen | None = None,
) -> None:
    """Write a report where an `-output` value says; the options' own by default."""
    screen = screen or Screen.standard()
    kind, keys = parse_output(report.options.output if output is None else output)
    settings = RenderSettings(keys, legend=legend, banners=banners, one_line=screen.terminal)
    rendering = render(report, kind, settings)
    write_documents(rendering, stdout=screen.write_bytes, message=screen.info)
