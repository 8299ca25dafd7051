"""The `tfprof` command: one answer per call, or a shell.

    argv ─read▶ Line ─perform▶ answer on stdout        errors: one line on stderr, and a status
    stdin lines ──────┘

Nothing here imports NumPy or Arrow before a file has to be read.
"""

from __future__ import annotations

import os
import sys
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

import tfprof
from tfprof.cli.commands import COMMANDS, perform
from tfprof.cli.console import Console
from tfprof.cli.inputs import INPUTS, load_profile, sources
from tfprof.cli.parser import Flag, Known, parse_command
from tfprof.cli.screen import Screen
from tfprof.definitions.options import OPTIONS
from tfprof.errors import OptionError, TfprofError

__all__ = ["FLAGS", "INTERRUPTED", "SWITCHES", "main", "status_of"]

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130

SWITCHES: dict[str, Flag] = {
    flag.name: flag
    for flag in (
        Flag("compat", "switch", "answer and default like the original, defects included"),
        Flag("legend", "switch", "explain the view and the columns before the report"),
        Flag("quiet", "switch", "no messages on stderr but errors"),
        Flag("version", "switch", "print the version"),
        Flag("help", "switch", "print a short help"),
    )
}

# The last map comes first. Options of other packages are there as soon as they are added.
FLAGS: Mapping[str, Known] = ChainMap[str, Any](
    OPTIONS,
    {flag.name: flag for command in COMMANDS.values() for flag in command.flags},
    SWITCHES,
    INPUTS,
)
"""Everything that can follow a dash on the command line."""


def main(
    argv: Sequence[str] | None = None,
    *,
    screen: Screen | None = None,
    stdin: IO[str] | None = None,
) -> int:
    """Answer a command line; the one place where errors are printed and become exit statuses."""
    screen = screen or Screen.standard()
    try:
        return _answer(sys.argv[1:] if argv is None else argv, screen, stdin or sys.stdin)
    except TfprofError as error:
        screen.error(str(error))
        return status_of(error)
    except BrokenPipeError:
        _discard(screen)
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        screen.error(f"unexpected {type(error).__name__}: {error}; please report it")
        if os.environ.get("TFPROF_DEBUG"):
            raise
        return FAILED


def status_of(error: TfprofError) -> int:
    """The exit status that an error stands for."""
    return MISUSED if isinstance(error, OptionError) else FAILED


def _answer(argv: Sequence[str], screen: Screen, stdin: IO[str] | None) -> int:
    line = parse_command(["--help" if word == "-h" else word for word in argv], FLAGS)
    if line.values.get("version"):
        screen.say(f"tfprof {tfprof.__version__}\n")
        return DONE
    wanted = sources(line.values)
    if line.values.get("help") or not (line.command or wanted):
        from tfprof.cli.help import help_text, short_help

        screen.say(help_text([line.command]) if line.command in COMMANDS else short_help())
        return DONE
    console = _console(line.values, wanted, screen)
    if line.command:
        perform(console, line)
        return DONE
    from tfprof.cli.shell import interact

    console.given = line.options
    return interact(console, stdin)


def _console(
    values: Mapping[str, Any], wanted: Mapping[str, Any] | None, screen: Screen
) -> Console:
    screen = replace(screen, quiet=bool(values.get("quiet")))
    compat = bool(values.get("compat"))
    console = Console(screen, compat=compat, legend=bool(values.get("legend")))
    if wanted is not None:
        console.read = lambda: load_profile(wanted, screen, compat=compat)
    return console


def _discard(screen: Screen) -> None:
    """Let the interpreter flush what the reader of a pipe did not wait for."""
    if screen.out is sys.stdout.buffer:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
