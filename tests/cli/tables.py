"""The tables of docs/cli.md, made from the code; `python -m tests.cli.tables` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tfprof.cli import SWITCHES
from tfprof.cli.commands import COMMANDS
from tfprof.cli.defaults import default_text
from tfprof.cli.help import VALUES, output_form
from tfprof.cli.inputs import INPUTS
from tfprof.cli.words import Flag
from tfprof.metrics import METRICS
from tfprof.options import OPTIONS
from tfprof.outputs import OUTPUTS

__all__ = ["PAGE", "filled"]

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
_TABLE = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(page: str) -> str:
    """A page with what stands between its marks made anew."""
    return _TABLE.sub(lambda mark: f"<!-- {mark[1]} -->\n{_table(mark[1])}<!-- end -->", page)


def _table(name: str) -> str:
    head, *rows = TABLES[name]()
    lines = [head, ("---",) * len(head), *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _commands() -> Iterable[tuple[str, ...]]:
    yield "command", "what it does"
    for command in COMMANDS.values():
        place = {"both": "", "shell": " (at the prompt)", "flags": " (not at the prompt)"}
        yield f"`{f'{command.name} {command.words}'.rstrip()}`{place[command.where]}", command.help


def _flags(flags: Iterable[Flag]) -> Iterable[tuple[str, ...]]:
    yield "flag", "what it is"
    for flag in flags:
        yield f"`--{f'{flag.name}={flag.value}'.rstrip('=')}`", flag.help


def _options() -> Iterable[tuple[str, ...]]:
    yield "option", "default", "what it does"
    for option in OPTIONS.values():
        default = default_text(option.name)
        called = f"-{option.name} {VALUES[option.kind]}".rstrip()
        yield f"`{called}`", f"`{default}`" if default else "", option.help


def _metrics() -> Iterable[tuple[str, ...]]:
    yield "metric", "column", "needs"
    for name, metric in METRICS.items():
        yield f"`{name}`", metric.title or "(the values, below the row)", metric.needs


def _outputs() -> Iterable[tuple[str, ...]]:
    yield "value", "what it is"
    for name, output in OUTPUTS.items():
        yield f"`{output_form(name, output.keys)}`", output.help


TABLES = {
    "commands": _commands,
    "inputs": lambda: _flags(INPUTS.values()),
    "switches": lambda: _flags(SWITCHES.values()),
    "options": _options,
    "metrics": _metrics,
    "outputs": _outputs,
}

if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
