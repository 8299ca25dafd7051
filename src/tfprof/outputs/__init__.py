"""Everything a report can be written as, by the word that `-output` takes.

An `-output` value reads `type:key=value,key=value…`. Each type has a row in `OUTPUTS` that says
which keys it takes; a new one is a file in this folder and a row here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tfprof.errors import OptionError, OutputError
from tfprof.outputs import text
from tfprof.outputs.files import replaced
from tfprof.runtime.printable import printable

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["OUTPUTS", "Output", "parse", "print_bytes", "to_terminal", "write"]


@dataclass(frozen=True, slots=True)
class Output:
    """A kind of output: how it is written, what it needs, what it is, and how its files end."""

    name: str
    write: Callable[[Any, Mapping[str, str]], Any]
    keys: tuple[str, ...]
    help: str
    suffixes: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """The keys that must be given."""
        return ("outfile",) if "outfile" in self.keys else ()


def to_terminal() -> bool:
    """Whether what is printed goes to a terminal, which could be upset by names."""
    return sys.stdout is not None and sys.stdout.isatty()


def print_bytes(data: bytes) -> None:
    """Write text to standard output: as it is, but for what a terminal would obey."""
    if sys.stdout is None:
        raise OutputError("standard output is closed; nothing can be printed")
    if to_terminal():
        text = printable(data.decode(errors="backslashreplace"))
        data = text.encode(errors="backslashreplace")
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data.decode(errors="replace"))


def _to_stdout(report: Report, _keys: Mapping[str, str]) -> None:
    print_bytes(text.encoded(report, one_line=to_terminal()))


def _to_file(report: Report, keys: Mapping[str, str]) -> None:
    with replaced(keys["outfile"]) as stream:
        stream.writelines(text.blocks(report))


def _to_nowhere(_report: Report, _keys: Mapping[str, str]) -> None:
    """Only the message is wanted."""


def _by(module: str, function: str = "write") -> Callable[[Any, Mapping[str, str]], Any]:
    """A writer in a module of this folder, which is imported when it is needed."""

    def write(report: Report, keys: Mapping[str, str]) -> Any:
        return getattr(import_module(f"{__name__}.{module}"), function)(report, keys)

    return write


_OUTFILE = ("outfile",)

OUTPUTS: dict[str, Output] = {
    output.name: output
    for output in (
        Output("stdout", _to_stdout, (), "the terminal (default)"),
        Output("file", _to_file, _OUTFILE, "the same text in a file", (".txt",)),
        Output(
            "timeline",
            _by("timeline.writer"),
            ("outfile", "flows"),
            "a trace for Perfetto and chrome://tracing; flows=cross|all|none; "
            "several steps of graph view go to <outfile>_<step>",
            (".trace.json", ".trace.json.gz"),
        ),
        Output(
            "pprof",
            _by("pprof.writer"),
            _OUTFILE,
            "a profile for pprof (code and scope view)",
            (".pprof", ".pb.gz"),
        ),
        Output("json", _by("row_table", "write_json"), _OUTFILE, "rows as objects", (".json",)),
        Output("csv", _by("row_table", "write_csv"), _OUTFILE, "rows for spreadsheets", (".csv",)),
        Output(
            "parquet",
            _by("row_table", "write_parquet"),
            _OUTFILE,
            "rows for pandas, DuckDB and others",
            (".parquet",),
        ),
        Output(
            "speedscope",
            _by("speedscope"),
            _OUTFILE,
            "a flame graph for speedscope.app",
            (".speedscope.json",),
        ),
        Output(
            "folded",
            _by("folded"),
            _OUTFILE,
            "stacks for flamegraph.pl and its relatives",
            (".folded",),
        ),
        Output("dot", _by("dot"), _OUTFILE, "graph view for Graphviz", (".dot", ".gv")),
        Output("none", _to_nowhere, (), "nothing; only the result is returned"),
    )
}


def parse(value: str) -> tuple[Output, dict[str, str]]:
    """The kind of output and the keys that an `-output` value names; a file name may be enough."""
    name, _, rest = value.partition(":")
    output = OUTPUTS.get(name or "stdout")
    if output is None:
        output = _by_name(value)
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


def _by_name(path: str) -> Output | None:
    """The output that a file name tells; of several the one with the longest ending."""
    fitting = [
        (len(suffix), output)
        for output in OUTPUTS.values()
        for suffix in output.suffixes
        if path.lower().endswith(suffix)
    ]
    return max(fitting, key=lambda found: found[0])[1] if fitting else None


def _example(output: Output) -> str:
    return f"{output.name}:outfile=result" if output.required else output.name


def write(report: Report, value: str | None = None) -> Any:
    """Write a report where an `-output` value says."""
    output, keys = parse(report.options.output if value is None else value)
    return output.write(report, keys) if report.shown else None
