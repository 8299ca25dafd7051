"""The report as users have it: the rows, and every output as a method.

Outputs are imported when they are used: the command should start without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tfprof.api.screen import Screen
from tfprof.errors import OptionError
from tfprof.outputs import STDOUT, RenderSettings, parse_output, render, write_documents
from tfprof.reports import report as rows

if TYPE_CHECKING:
    from google.protobuf.message import Message

UNKNOWN_COMMAND = "tfprof …"
"""What stands for a command that is not known."""


class Row(rows.Row):
    """A row of a report, with its own and total numbers by name."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """The row and those below it as a pandas DataFrame."""
        from tfprof.outputs import notebook

        return notebook.to_pandas(self.report, self.position)

    def _repr_html_(self) -> str:
        """The row in a notebook, and those below it to expand."""
        from tfprof.outputs import notebook

        return notebook.to_html(self.report, self.position)


class Report(rows.Report):
    """Rows in the order of display, the root first. Printed it is its text."""

    def __str__(self) -> str:
        return self.text().removesuffix("\n")

    def row(self, position: int) -> Row:
        """The row at a position, in the order of display."""
        return Row(self, position)

    @classmethod
    def from_rows(cls, other: rows.Report) -> Report:
        """A report with the rows of another."""
        return cls(**{field.name: getattr(other, field.name) for field in fields(other)})

    def text(self, *, legend: bool | None = None) -> str:
        """The report as it is printed; `legend` defaults to what the original does in compat."""
        from tfprof.outputs.text import text_bytes

        return text_bytes(self, legend=legend).decode(errors="surrogateescape")

    def json(self) -> str:
        """The rows as JSON, as `-output json` writes them."""
        from tfprof.outputs.row_table import json_bytes

        return b"".join(json_bytes(self)).decode()

    def proto(self) -> Message:
        """The result as the original returns it: GraphNodeProto or MultiGraphNodeProto."""
        from tfprof.outputs.protobuf.result_proto import report_message

        return report_message(self)

    def write(self, output: str | None = None) -> None:
        """Write the report where an `-output` value says; print it by default."""
        write_report(self, output)

    def show(self) -> str:
        """Open the report in a browser, on a page with all views; returns the page's file."""
        import tempfile
        import webbrowser
        from pathlib import Path

        path = Path(tempfile.mkdtemp(prefix="tfprof-")) / "report.html"
        write_report(self, f"html:outfile={path}")
        webbrowser.open(path.as_uri())
        return str(path)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        from tfprof.outputs import notebook

        return notebook.to_pandas(self)

    def to_polars(self) -> Any:
        """The rows as a polars DataFrame."""
        from tfprof.outputs import notebook

        return notebook.to_polars(self)

    def _repr_html_(self) -> str:
        """The report in a notebook: rows that fold."""
        from tfprof.outputs import notebook

        return notebook.to_html(self)


def _panels(report: rows.Report) -> Mapping[str, Any]:
    from tfprof.api.page_panels import page_panels

    return page_panels(report)


def page_settings(command: str, outfile: str) -> RenderSettings:
    """How a page of a whole profile is rendered."""
    return RenderSettings({"outfile": outfile}, command=command, panels=_panels)


def write_report(
    report: rows.Report,
    output: str | None = None,
    *,
    legend: bool | None = None,
    banners: bool = False,
    screen: Screen | None = None,
    command: str = UNKNOWN_COMMAND,
) -> None:
    """Write a report where an `-output` value says; the options' own by default.

    `command` is what was typed to load the profile, for outputs that show commands.
    """
    screen = screen or Screen.standard()
    wanted = report.options.output if output is None else output
    kind, keys = parse_output(wanted, report.quirks)
    if keys.get("outfile") == STDOUT and screen.terminal and kind.binary:
        raise OptionError(f"option 'output': {kind.name} is binary; name a file, or pipe it")
    layout = screen.layout
    if layout is not None and kind.name == "stdout" and not banners:
        from tfprof.outputs.terminal_report import report_lines

        screen.write_lines(report_lines(report, layout, legend=legend))
        return
    settings = RenderSettings(
        keys,
        legend=legend,
        banners=banners,
        one_line=screen.terminal,
        command=command,
        panels=_panels,
    )
    rendering = render(report, kind, settings)
    write_documents(rendering, stdout=screen.write_bytes, message=screen.info)
