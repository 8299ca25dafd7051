"""Everything a report can be rendered as: one row of `OUTPUTS` for each word of `-output`.

An `-output` value reads `type:key=value,key=value…`. A renderer is a function from a report and
`RenderSettings` to documents and messages. It opens no file and prints nothing; `files` writes what
it yields. A new output is a module here and a row in `OUTPUTS`.

    document        what renderers yield: Document, Message; RenderSettings
    files           write documents, each file complete or not at all
    supported       which outputs a view or a selection cannot have
    text            stdout, file: legend, header and rows
      tree_rows, op_rows          its rows
      node_labels, tensor_value   columns that are no numbers
    row_table       json, csv, parquet: the rows as a table
    flame           the numbers of flame graphs, for folded, speedscope and pprof
    folded, speedscope, dot
    timeline/       trace events for Perfetto and chrome://tracing
    pprof/          pprof profiles
    protobuf/       result messages, and a profile as a ProfileProto
    profile_tables  a profile as a folder of Parquet files
    notebook        a report as HTML or a data frame
    encoding/       columns to bytes, for text, JSON and protobuf

The API imports it. It imports reports and the layers beneath them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from tfprof.errors import OptionError
from tfprof.outputs.document import Chunks, Document, Message, Rendering, RenderSettings
from tfprof.outputs.files import write_documents
from tfprof.outputs.supported import why_unsupported

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = [
    "OUTPUTS",
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

Render: TypeAlias = Callable[[Any, RenderSettings], Rendering]


@dataclass(frozen=True, slots=True)
class Output:
    """A kind of output: its renderer, the keys it takes, what it is, and how its files end."""

    name: str
    render: Render
    keys: tuple[str, ...]
    help: str
    suffixes: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """The keys that must be given."""
        return ("outfile",) if "outfile" in self.keys else ()


def _lazy(module: str, function: str = "render") -> Render:
    """A renderer of a module here, which is imported when it runs.

    Help and completion list the outputs, and need not wait for NumPy and Arrow.
    """

    def render(report: Report, settings: RenderSettings) -> Rendering:
        rendering: Rendering = getattr(import_module(f"{__name__}.{module}"), function)(
            report, settings
        )
        return rendering

    return render


def _render_nothing(_report: Report, _settings: RenderSettings) -> Rendering:
    return iter(())


_OUTFILE = ("outfile",)

OUTPUTS: dict[str, Output] = {
    output.name: output
    for output in (
        Output("stdout", _lazy("text"), (), "the terminal (default)"),
        Output("file", _lazy("text"), _OUTFILE, "the same text in a file", (".txt",)),
        Output(
            "timeline",
            _lazy("timeline.writer"),
            ("outfile", "flows"),
            "a trace for Perfetto and chrome://tracing; flows=cross|all|none; "
            "several steps of graph view go to <outfile>_<step>",
            (".trace.json", ".trace.json.gz"),
        ),
        Output(
            "pprof",
            _lazy("pprof.writer"),
            _OUTFILE,
            "a profile for pprof (code and scope view)",
            (".pprof", ".pb.gz"),
        ),
        Output("json", _lazy("row_table", "render_json"), _OUTFILE, "rows as objects", (".json",)),
        Output(
            "csv", _lazy("row_table", "render_csv"), _OUTFILE, "rows for spreadsheets", (".csv",)
        ),
        Output(
            "parquet",
            _lazy("row_table", "render_parquet"),
            _OUTFILE,
            "rows for pandas, DuckDB and others",
            (".parquet",),
        ),
        Output(
            "speedscope",
            _lazy("speedscope"),
            _OUTFILE,
            "a flame graph for speedscope.app",
            (".speedscope.json",),
        ),
        Output(
            "folded",
            _lazy("folded"),
            _OUTFILE,
            "stacks for flamegraph.pl and its relatives",
            (".folded",),
        ),
        Output("dot", _lazy("dot"), _OUTFILE, "graph view for Graphviz", (".dot", ".gv")),
        Output("none", _render_nothing, (), "nothing; only the result is returned"),
    )
}


def parse_output(value: str) -> tuple[Output, dict[str, str]]:
    """The output and the keys that an `-output` value names; a file name may be enough."""
    name, _, rest = value.partition(":")
    output = OUTPUTS.get(name or "stdout")
    if output is None:
        output = _by_suffix(value)
        if output is not None:
            return output, {"outfile": value}
        raise OptionError(f"option 'output': unknown type '{name}'; known are {', '.join(OUTPUTS)}")
    keys: dict[str, str] = {}
    for item in filter(None, rest.split(",")):
        key, equals, given = item.partition("=")
        if not equals or not key:
            raise OptionError(
                f"option 'output': '{item}' is not key=value; e.g. {_example(output)}"
            )
        if key not in output.keys:
            known = ", ".join(output.keys) or "none"
            raise OptionError(
                f"option 'output': {output.name} has no key '{key}'; it takes {known}"
            )
        keys[key] = given
    for key in output.required:
        if not keys.get(key):
            raise OptionError(
                f"option 'output': {output.name} needs {key}; e.g. {_example(output)}"
            )
    return output, keys


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
    return f"{output.name}:outfile=result" if output.required else output.name


def render(report: Report, output: Output, settings: RenderSettings) -> Rendering:
    """The documents and messages of a report.

    A report with nothing to show has no file. Where the report's view or selection cannot have this
    output, it raises an OptionError; in compat the original's note is all there is.
    """
    if output.required and not report.shown:
        return iter(())
    reason = why_unsupported(report, output.name)
    if reason and not report.quirks.unsupported_is_a_message:
        raise OptionError(f"option 'output': {reason}")
    return iter((Message(reason),)) if reason else output.render(report, settings)
