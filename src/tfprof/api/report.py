"""The report as users have it: the rows, and every output as a method."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tfprof.api.write_report import write_report
from tfprof.outputs import notebook, text
from tfprof.outputs.protobuf import result_proto
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
        return text.text_bytes(self, legend=legend).decode(errors="surrogateescape")

    def proto(self) -> Message:
        """The result as the original returns it: GraphNodeProto or MultiGraphNodeProto."""
        return result_proto.report_message(self)

    def write(self, output: str | None = None) -> None:
        """Write the report where an `-output` value says; the options' own by default."""
        write_report(self, output)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return notebook.to_pandas(self)

    def to_polars(self) -> Any:
        """The rows as a polars DataFrame."""
        return notebook.to_polars(self)

    def _repr_html_(self) -> str:
        """The report in a notebook: rows that fold."""
        return notebook.to_html(self)
