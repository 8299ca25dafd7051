"""The report as users have it: the rows, and every output as a method.

Outputs are imported when they are used: the command should start without them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tfprof.api.screen import Screen
from tfprof.outputs import RenderSettings, parse_output, render, write_documents
from tfprof.reports import report as rows

if TYPE_CHECKING:
    from google.protobuf.message import Message


class Report(rows.Report):
    """Rows in the order of display, the root first."""

    @classmethod
    def of(cls, other: rows.Report) -> Report:
        """A report with the rows of another."""
        return cls(**{field.name: getattr(other, field.name) for field in fields(other)})

    def text(self, *, legend: bool | None = None) -> str:
        """The report as it is printed; `legend` defaults to what the original does in compat."""
        from tfprof.outputs.text import text_bytes

        return text_bytes(self, legend=legend).decode(errors="surrogateescape")

    def proto(self) -> Message:
        """The result as the original returns it: GraphNodeProto or MultiGraphNodeProto."""
        from tfprof.outputs.protobuf.result_proto import report_message

        return report_message(self)

    def write(self, output: str | None = None) -> None:
        """Write the report where an `-output` value says; the options' own by default."""
        write_report(self, output)

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


def write_report(
    report: rows.Report,
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
