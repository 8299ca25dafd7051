"""The diff as users have it: the rows, and every output as a method.

Outputs are imported when they are used: the command should start without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from tfprof.api.functions import load
from tfprof.api.request import Request, parse_request
from tfprof.api.screen import Screen
from tfprof.definitions.metrics import OPERATIONS
from tfprof.definitions.options import Options
from tfprof.diffs import diff as rows
from tfprof.diffs.batch_size import share_batch_size
from tfprof.diffs.default_select import default_select
from tfprof.diffs.make_diff import DiffSettings, make_diff
from tfprof.errors import OptionError
from tfprof.outputs import STDOUT, RenderSettings, parse_output, write_documents
from tfprof.outputs.diff import render_diff
from tfprof.profiles import profile as columns


class Diff(rows.Diff):
    """Rows in the order of display, the root first. Printed it is its text."""

    def __str__(self) -> str:
        return self.text().removesuffix("\n")

    @classmethod
    def from_rows(cls, other: rows.Diff) -> Diff:
        """A diff with the rows of another."""
        return cls(**{field.name: getattr(other, field.name) for field in fields(other)})

    def text(self) -> str:
        """The diff as it is printed."""
        from tfprof.outputs.diff.text import diff_text

        return diff_text(self)

    def json(self) -> str:
        """The rows as JSON, as `-output json` writes them."""
        from tfprof.outputs.diff.table import diff_table
        from tfprof.outputs.row_table import table_json

        return b"".join(table_json(diff_table(self))).decode()

    def write(self, output: str | None = None) -> None:
        """Write the diff where an `-output` value says; the options' own by default."""
        write_diff(self, output)

    def show(self) -> str:
        """Open the diff in a browser; returns the page's file."""
        import tempfile
        import webbrowser
        from pathlib import Path

        path = Path(tempfile.mkdtemp(prefix="tfprof-")) / "diff.html"
        write_diff(self, f"html:outfile={path}")
        webbrowser.open(path.as_uri())
        return str(path)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        from tfprof.definitions.data_frames import import_pandas
        from tfprof.outputs.diff.table import diff_table

        import_pandas()
        return diff_table(self).to_pandas()

    def to_polars(self) -> Any:
        """The rows as a polars DataFrame."""
        from tfprof.outputs.diff.table import diff_table
        from tfprof.outputs.notebook import table_to_polars

        return table_to_polars(diff_table(self))

    def _repr_html_(self) -> str:
        """The diff in a notebook: its totals and first rows."""
        from tfprof.outputs.diff.notebook import to_html

        return to_html(self)


def diff(
    before: Any,
    after: Any,
    by: str = "scope",
    options: Mapping[str, Any] | Options | None = None,
    *,
    strict: bool = False,
    before_step: int = -1,
    after_step: int = -1,
    min_delta: int = 1,
    **more: Any,
) -> Diff:
    """What differs between two profiles, or two of anything that `tfprof.load` reads.

    `by` is the view. Options are those of a report; by default the metrics that changed are
    selected, and rows are sorted by their change. `strict` matches names only. Steps are averaged
    unless `before_step`, `after_step` or `step` is given. Rows that change by less than `min_delta`
    are not shown.
    """
    request = parse_request(by, options, of_diff=True, **more)
    settings = DiffSettings(
        strict=strict, before_step=before_step, after_step=after_step, min_delta=min_delta
    )
    is_selected = isinstance(options, Options) or "select" in {**(options or {}), **more}
    first, second = _profile(before, "before"), _profile(after, "after")
    return diff_on(first, second, request, settings, select=not is_selected)


def diff_on(
    before: columns.Profile,
    after: columns.Profile,
    request: Request,
    settings: DiffSettings,
    *,
    select: bool = False,
) -> Diff:
    """The diff of a request; with `select` of the metrics that changed."""
    options = request.options
    notes: tuple[str, ...] = ()
    if select or set(OPERATIONS) & set(options.select):
        steps = (
            settings.before_step if settings.before_step >= 0 else options.step,
            settings.after_step if settings.after_step >= 0 else options.step,
        )
        before, after, notes = share_batch_size(before, after, steps)
    if select:
        options = options.with_values({"select": default_select(before, after, settings)})
    made = make_diff(before, after, request.view, options, settings)
    return Diff.from_rows(replace(made, messages=(*notes, *made.messages)))


def _profile(source: Any, name: str) -> columns.Profile:
    if isinstance(source, columns.Profile):
        return source
    if source is None:
        raise OptionError(f"{name}: there is no profile to compare; give one, or a path")
    return load(source)


def write_diff(diff: rows.Diff, output: str | None = None, *, screen: Screen | None = None) -> None:
    """Write a diff where an `-output` value says; the options' own by default."""
    screen = screen or Screen.standard()
    kind, keys = parse_output(diff.options.output if output is None else output)
    if keys.get("outfile") == STDOUT and screen.terminal and kind.binary:
        raise OptionError(f"option 'output': {kind.name} is binary; name a file, or pipe it")
    layout = screen.layout
    if layout is not None and kind.name == "stdout":
        from tfprof.outputs.diff.text import diff_lines

        screen.write_lines(diff_lines(diff, layout))
        return
    rendering = render_diff(diff, kind, RenderSettings(keys))
    write_documents(rendering, stdout=screen.write_bytes, message=screen.info)
