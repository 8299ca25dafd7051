"""Everything a report can be rendered as: one row of `OUTPUTS` for each word of `-output`.

An `-output` value reads `type:key=value,key=value…`; the file `-` is standard output. A renderer is
a function from a report and `RenderSettings` to documents and messages. It opens no file and prints
nothing; `files` writes what it yields. A new output is a module here and a row in `OUTPUTS`.

    document        renderers, and what they yield: Document, Message; RenderSettings
    files           write documents, each file complete or not at all
    supported       which outputs a view or a selection cannot have
    text            stdout, file: legend, header and rows
      tree_rows, op_rows          its rows
      node_labels, tensor_value   columns that are no numbers
    terminal_report, terminal_table   the same rows as a table that fits a terminal
    terminal_model  the tables of `tfprof model` and `tfprof cost` on a terminal
    row_table       json, csv, parquet: the rows as a table
    flame           the numbers of flame graphs, for folded, speedscope and pprof
    folded, speedscope, dot
    timeline/       trace events for Perfetto and chrome://tracing
    pprof/          pprof profiles
    diff/           all outputs of a diff
    html/           a page for browsers
    protobuf/       result messages, and a profile as a ProfileProto
    profile_tables  a profile as a folder of Parquet files
    notebook        a report as HTML or a data frame
    encoding/       columns to bytes, for text, JSON and protobuf

`sql` and everything above may import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.errors import OptionError
from tfprof.outputs.document import (
    STDOUT,
    Chunks,
    Document,
    Message,
    Render,
    Rendering,
    RenderSettings,
    lazy_renderer,
    redirect_dash,
)
from tfprof.outputs.files import write_documents
from tfprof.outputs.supported import why_unsupported

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = [
    "OUTPUTS",
    "STDOUT",
    "Chunks",
    "Document",
    "Message",
    "Output",
    "RenderSettings",
    "Rendering",
    "parse_output",
    "render",
    "write_documents",
]


@dataclass(frozen=True, slots=True)
class Output:
    """A kind of output: its renderer, the keys it takes, what it is, and how its files end.

    One that `streams` goes to standard output unless a file is named. One that is `binary` goes
    there only if it is not a terminal.
    """

    name: str
    render: Render
    keys: tuple[str, ...]
    help: str
    suffixes: tuple[str, ...] = ()
    streams: bool = False
    binary: bool = False
    extension: bool = True
    """Whether the original does not have it: compat does not know it."""

    @property
    def required(self) -> tuple[str, ...]:
        """The keys that must be given."""
        return ("outfile",) if "outfile" in self.keys and not self.streams else ()


_lazy = partial(lazy_renderer, __name__)


def _render_nothing(_report: Report, _settings: RenderSettings) -> Rendering:
    return iter(())


_OUTFILE = ("outfile",)

OUTPUTS: dict[str, Output] = {
    output.name: output
    for output in (
        Output("stdout", _lazy("text"), (), "the terminal (default)", extension=False),
        Output(
            "file",
            _lazy("text"),
            _OUTFILE,
            "the same text in a file",
            (".txt",),
            extension=False,
        ),
        Output(
            "timeline",
            _lazy("timeline.writer"),
            ("outfile", "flows"),
            "a trace for Perfetto and chrome://tracing; flows=cross|all|none; "
            "several steps of graph view go to x_0.json, x_1.json…",
            (".trace.json", ".trace.json.gz"),
            extension=False,
        ),
        Output(
            "pprof",
            _lazy("pprof.writer"),
            _OUTFILE,
            "a profile for pprof (code and scope view)",
            (".pprof", ".pb.gz"),
            binary=True,
            extension=False,
        ),
        Output(
            "json",
            _lazy("row_table", "render_json"),
            _OUTFILE,
            "rows as objects",
            (".json",),
            streams=True,
        ),
        Output(
            "csv",
            _lazy("row_table", "render_csv"),
            ("outfile", "safe"),
            "rows for spreadsheets; safe=1 puts ' before names that are formulas",
            (".csv",),
            streams=True,
        ),
        Output(
            "parquet",
            _lazy("row_table", "render_parquet"),
            _OUTFILE,
            "rows for pandas, DuckDB and others",
            (".parquet",),
            binary=True,
        ),
        Output(
            "speedscope",
            _lazy("speedscope"),
            _OUTFILE,
            "a flame graph for speedscope.app",
            (".speedscope.json",),
            streams=True,
        ),
        Output(
            "folded",
            _lazy("folded"),
            _OUTFILE,
            "stacks for flamegraph.pl and its relatives",
            (".folded",),
            streams=True,
        ),
        Output(
            "dot",
            _lazy("dot"),
            _OUTFILE,
            "graph view for Graphviz",
            (".dot", ".gv"),
            streams=True,
        ),
        Output(
            "html",
            _lazy("html.writer"),
            _OUTFILE,
            "a page for browsers with all views, works offline",
            (".html",),
        ),
        Output(
            "none", _render_nothing, (), "nothing; only the result is returned", extension=False
        ),
    )
}


def parse_output(value: str, quirks: Quirks = REPAIRED) -> tuple[Output, dict[str, str]]:
    """The output and the keys that an `-output` value names; a file name may be enough."""
    name, _, rest = value.partition(":")
    known = known_outputs(quirks)
    output = known.get(name or "stdout")
    if output is None:
        output = None if quirks.original_outputs_only else _by_suffix(value)
        if output is not None and not rest.startswith("outfile="):
            return output, {"outfile": value}
        where = " in compat" if name in OUTPUTS else ""
        raise OptionError(
            f"option 'output': unknown type '{name}'{where}; known are {', '.join(known)}"
        )
    keys: dict[str, str] = {}
    for item in filter(None, rest.split(",")):
        key, equals, given = item.partition("=")
        if not equals or not key:
            raise OptionError(
                f"option 'output': '{item}' is not key=value; e.g. {_example(output)}"
            )
        if key not in output.keys:
            accepted = ", ".join(output.keys) or "none"
            raise OptionError(
                f"option 'output': {output.name} has no key '{key}'; it takes {accepted}"
            )
        keys[key] = given
    if output.streams:
        keys.setdefault("outfile", STDOUT)
    for key in output.keys:
        if key == "outfile" and not keys.get(key):
            raise OptionError(
                f"option 'output': {output.name} needs {key}; e.g. {_example(output)}"
            )
    return output, keys


def known_outputs(quirks: Quirks) -> dict[str, Output]:
    """The outputs that a request may name; those that were registered later, too."""
    if not quirks.original_outputs_only:
        return OUTPUTS
    return {name: output for name, output in OUTPUTS.items() if not output.extension}


def _by_suffix(path: str) -> Output | None:
    """The output with the longest suffix that a file name has."""
    candidates = [
        (len(suffix), output)
        for output in OUTPUTS.values()
        for suffix in output.suffixes
        if path.lower().endswith(suffix)
    ]
    return max(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


def _example(output: Output) -> str:
    return f"{output.name}:outfile=result" if "outfile" in output.keys else output.name


def render(report: Report, output: Output, settings: RenderSettings) -> Rendering:
    """The documents and messages of a report.

    A report with nothing to show has no file. Where the report's view or selection cannot have this
    output, it raises an OptionError; in compat the original's note is all there is.
    """
    if "outfile" in output.keys and not report.shown:
        return iter(())
    reason = why_unsupported(report, output.name)
    if reason and not report.quirks.unsupported_is_a_message:
        raise OptionError(f"option 'output': {reason}")
    if reason:
        return iter((Message(reason),))
    rendering = output.render(report, settings)
    return rendering if report.quirks.dash_is_a_file else redirect_dash(rendering)
