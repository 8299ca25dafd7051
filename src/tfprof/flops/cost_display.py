"""How costs are shown: printed, in a notebook, and as a data frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from tfprof.definitions.data_frames import import_pandas
from tfprof.flops.polynomial import Polynomial, pretty

_STYLE = (
    "<style>.tfprof-cost{font-family:monospace;font-size:13px}"
    ".tfprof-cost td,.tfprof-cost th{padding:1px 8px;text-align:right}"
    ".tfprof-cost .text{text-align:left}</style>"
)


class CostDisplay:
    """A table of costs. Printed it is its text; its `repr` is a short summary."""

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """The table as the command prints it."""

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The rows of the table, each by column."""

    @abstractmethod
    def summary(self) -> str:
        """A few words."""

    def __str__(self) -> str:
        return self.text().removesuffix("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame; counts with symbols in them are objects."""
        return import_pandas().DataFrame.from_records(list(self.records()))

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        records = self.records()
        titles = "".join(f"<th>{escape(title)}</th>" for title in records[0]) if records else ""
        rows = "".join(
            f"<tr>{''.join(_cell(value) for value in record.values())}</tr>" for record in records
        )
        table = f"<table><tr>{titles}</tr>{rows}</table>"
        return f'{_STYLE}<div class="tfprof-cost">{table}<p>{escape(self.summary())}</p></div>'


def _cell(value: Any) -> str:
    kind = ' class="text"' if isinstance(value, str) else ""
    return f"<td{kind}>{escape(_text(value))}</td>"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.1%}"
    if isinstance(value, Polynomial):
        return pretty(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
