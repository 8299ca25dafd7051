"""The tables of docs/cli.md, generated from the code: `python -m tests.cli.tables` updates them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tfprof.cli.commands import COMMANDS
from tfprof.cli.defaults import ADAPTED
from tfprof.cli.flags import ENVIRONMENT, EXIT_STATUSES, SWITCHES
from tfprof.cli.inputs import INPUTS
from tfprof.cli.parser import Flag
from tfprof.loaders import LOADERS

__all__ = ["PAGE", "TABLES", "update_tables"]

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
_TABLE = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def update_tables(page: str) -> str:
    """The page with the tables between its comments generated again."""
    return _TABLE.sub(lambda found: f"<!-- {found[1]} -->\n{_table(found[1])}<!-- end -->", page)


def _table(name: str) -> str:
    head, *rows = TABLES[name]()
    lines = [head, ("---",) * len(head), *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _commands() -> Iterable[tuple[str, ...]]:
    yield "command", "what it does"
    for command in COMMANDS.values():
        where = {"both": "", "shell": " (at the prompt)", "flags": " (not at the prompt)"}
        yield (
            f"`{f'{command.name} {command.metavar}'.rstrip()}`{where[command.where]}",
            command.help,
        )


def _flags(flags: Iterable[Flag]) -> Iterable[tuple[str, ...]]:
    yield "flag", "what it is"
    for flag in flags:
        yield f"`--{f'{flag.name}={flag.metavar}'.rstrip('=')}`", flag.help


def _formats() -> Iterable[tuple[str, ...]]:
    yield "format", "what it is", "given as"
    for loader in LOADERS.values():
        yield loader.name, loader.help, f"`{loader.provides}`, `--{loader.flag}`"


def _defaults() -> Iterable[tuple[str, ...]]:
    yield "option", "default"
    for name, default in ADAPTED.items():
        yield f"`-{name}`", f"`{default}`" if " " not in default else default


def _statuses() -> Iterable[tuple[str, ...]]:
    yield "exit status", "meaning"
    yield from ((str(status), text) for status, text in EXIT_STATUSES.items())


def _environment() -> Iterable[tuple[str, ...]]:
    yield "variable", "meaning"
    for names, text in ENVIRONMENT.items():
        yield ", ".join(f"`{name}`" for name in names.split(", ")), text


TABLES = {
    "commands": _commands,
    "inputs": lambda: _flags(INPUTS.values()),
    "switches": lambda: _flags(SWITCHES.values()),
    "defaults": _defaults,
    "formats": _formats,
    "statuses": _statuses,
    "environment": _environment,
}

if __name__ == "__main__":
    PAGE.write_text(update_tables(PAGE.read_text()))
