"""COMMANDS, one row each: flags, shell, help and completion derive from this table.

    command        what a row is
    views          summary, scope, graph, op, code, advise
    diff           diff
    models, fit    model, cost, fit
    gate           gate
    run            run
    files          tables, report, ui
    fleet          fleet
    sql            sql
    prompt         set, reset, help, completion, exit, quit

A new command is a function and a row; what it needs of the engine it imports when it runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from tfprof.api.screen import Screen
from tfprof.cli.commands.command import Command
from tfprof.cli.commands.diff import DIFF
from tfprof.cli.commands.files import FILE_COMMANDS
from tfprof.cli.commands.fit import FIT
from tfprof.cli.commands.fleet import FLEET
from tfprof.cli.commands.gate import GATE
from tfprof.cli.commands.models import MODEL_COMMANDS
from tfprof.cli.commands.prompt import HELP_COMMANDS, PROMPT_COMMANDS
from tfprof.cli.commands.run import RUN
from tfprof.cli.commands.sql import SQL
from tfprof.cli.commands.views import ADVISE, SUMMARY, VIEW_COMMANDS
from tfprof.cli.console import Console
from tfprof.cli.parser import ParsedCommand
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.options import OPTIONS
from tfprof.errors import OptionError

_SCREEN = ("quiet", "no_pager")
"""The switches that every command takes, because they are about how it prints."""

COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        SUMMARY,
        *VIEW_COMMANDS,
        ADVISE,
        DIFF,
        FIT,
        *MODEL_COMMANDS,
        GATE,
        *PROMPT_COMMANDS,
        RUN,
        *FILE_COMMANDS,
        SQL,
        FLEET,
        *HELP_COMMANDS,
    )
}


def accepted_options(command: Command) -> dict[str, str]:
    """Every option that a command takes, by name, with its dashes."""
    own = {flag.name: f"--{flag.name}" for flag in command.flags}
    shared = {name: f"--{name}" for name in (*command.inputs, *command.switches, *_SCREEN)}
    options = {name: f"-{name}" for name in OPTIONS} if command.options else {}
    return {**own, **shared, **options}


def perform(console: Console, parsed: ParsedCommand) -> int:
    """Run a command that was read from flags or in the shell; returns its exit status."""
    available = ("both", "shell" if console.is_shell else "flags")
    command = COMMANDS.get(parsed.name)
    if command is None:
        names = [name for name, row in COMMANDS.items() if row.where in available]
        hint = did_you_mean(parsed.name, names) or f"; known are {', '.join(names)}"
        raise OptionError(f"unknown command '{parsed.name}'{hint}")
    if command.where not in available:
        where = "at the prompt" if command.where == "shell" else "on the command line"
        raise OptionError(f"'{command.name}' works only {where}")
    if parsed.arguments and not command.metavar:
        hint = "; options begin with a dash" if command.options else ""
        raise OptionError(f"'{command.name}' takes no '{parsed.arguments[0]}'{hint}")
    _refuse_options(command, parsed)
    with nullcontext() if command.runs_program else _reporting(console.screen, command.name):
        return command.run(console, parsed) or 0


@contextmanager
def _reporting(screen: Screen, name: str) -> Iterator[None]:
    """Show that a command takes long, and what Python warns of as messages of one line."""
    with screen.working(name), warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: screen.info(" ".join(str(message).split()))
        yield


def _refuse_options(command: Command, parsed: ParsedCommand) -> None:
    """Refuse options and files that a command would ignore."""
    accepted = accepted_options(command)
    if parsed.paths and not command.inputs:
        raise OptionError(f"'{command.name}' takes no file; leave out {parsed.paths[0]}")
    for name in parsed.values:
        if name in accepted:
            continue
        hint = f"; it takes {', '.join(accepted.values())}" if accepted else ""
        if command.options:
            hint = f"; it belongs to {', '.join(map(repr, _owners(name)))}" if _owners(name) else ""
        dashes = "-" if name in OPTIONS else "--"
        raise OptionError(f"'{command.name}' takes no option '{dashes}{name}'{hint}")


def _owners(flag: str) -> list[str]:
    """The commands that have a flag of their own."""
    return [name for name, c in COMMANDS.items() if any(own.name == flag for own in c.flags)]


def refuse_command_flags(parsed: ParsedCommand) -> None:
    """Refuse flags of commands where no command is named."""
    for name in parsed.values:
        if _owners(name):
            raise OptionError(f"option '--{name}' needs a command: {', '.join(_owners(name))}")
