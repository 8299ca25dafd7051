"""A diff rendered: text, rows as JSON, CSV and Parquet, a pprof profile with signs, and a page.

    text     totals, what was matched, and rows, for terminals and files
    table    json, csv, parquet: the rows as a table
    pprof    a pprof profile whose samples are changes
    notebook totals and first rows as HTML
    page     a page for browsers: `page.html`, which `web/` makes, and the rows

`DIFF_OUTPUTS` has the renderer of each word of `-output` that a diff can have. `api` imports it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tfprof.errors import OptionError
from tfprof.outputs import Output
from tfprof.outputs.document import Render, Rendering, RenderSettings, lazy_renderer, redirect_dash

if TYPE_CHECKING:
    from tfprof.diffs.diff import Diff

_lazy = partial(lazy_renderer, __name__)

DIFF_OUTPUTS: dict[str, Render] = {
    "stdout": _lazy("text"),
    "file": _lazy("text"),
    "json": _lazy("table", "render_json"),
    "csv": _lazy("table", "render_csv"),
    "parquet": _lazy("table", "render_parquet"),
    "pprof": _lazy("pprof"),
    "html": _lazy("page"),
    "none": lambda _diff, _settings: iter(()),
}


def check_output(output: Output) -> None:
    """Refuse an output that a diff cannot have."""
    if output.name not in DIFF_OUTPUTS:
        raise OptionError(
            f"option 'output': {output.name} shows one profile; a diff can be "
            f"{', '.join(DIFF_OUTPUTS)}"
        )


def render_diff(diff: Diff, output: Output, settings: RenderSettings) -> Rendering:
    """The documents and messages of a diff."""
    check_output(output)
    return redirect_dash(DIFF_OUTPUTS[output.name](diff, settings))
