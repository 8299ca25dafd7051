"""The `tfprof` command: one answer per call, or a shell.

    argv ─parse_command_line▶ ParsedCommand ─perform▶ answer on stdout
    lines ─────parse_command───────┘                  errors: one line on stderr, and an exit status

    commands, model_commands      COMMANDS, one row each
    flags, inputs, defaults       what can be given, and what holds if it is not
    parser                        the grammar of flags and shell lines
    console, shell                what commands work with; the prompt
    completion, name_index, completion_scripts, help

Nothing here imports NumPy or Arrow before a file has to be read. Nothing may import it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import tfprof
from tfprof.api.screen import Screen
from tfprof.cli.commands import COMMANDS, perform
from tfprof.cli.console import Console
from tfprof.cli.flags import DONE, FAILED, FLAGS, INTERRUPTED, exit_status
from tfprof.cli.inputs import INPUTS, load_arguments, load_profile
from tfprof.cli.parser import ParsedCommand, parse_command_line
from tfprof.definitions.options import did_you_mean
from tfprof.errors import OptionError, TfprofError

if TYPE_CHECKING:
    from tfprof.api.profile import Profile


def main(
    argv: Sequence[str] | None = None, *, screen: Screen | None = None, stdin: IO[str] | None = None
) -> int:
    """Answer a command line; the one place where errors are printed and become exit statuses."""
    screen = screen or Screen.standard()
    try:
        return _run(sys.argv[1:] if argv is None else argv, screen, stdin or sys.stdin)
    except TfprofError as error:
        screen.error(str(error))
        return exit_status(error)
    except BrokenPipeError:
        _discard_output(screen)
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        screen.error(f"unexpected {type(error).__name__}: {error}; please report it")
        if os.environ.get("TFPROF_DEBUG"):
            raise
        return FAILED


def _run(argv: Sequence[str], screen: Screen, stdin: IO[str] | None) -> int:
    takes_arguments = {name: bool(command.metavar) for name, command in COMMANDS.items()}
    words = ["--help" if word == "-h" else word for word in argv]
    parsed = parse_command_line(words, FLAGS, takes_arguments)
    if parsed.values.get("version"):
        screen.write(f"tfprof {tfprof.__version__}\n")
        return DONE
    _check_paths(parsed.paths)
    if parsed.values.get("help"):
        return _print_help(parsed.name, screen)
    if not (parsed.name or parsed.paths or any(parsed.values.get(name) for name in INPUTS)):
        return _print_help("", screen)
    console = _make_console(parsed, screen)
    if parsed.name:
        perform(console, parsed)
        return DONE
    from tfprof.cli.shell import interact

    console.given = parsed.options
    return interact(console, stdin)


def _check_paths(paths: Sequence[str]) -> None:
    """Refuse a mistyped command, which looks like the name of a file that is not there."""
    known = [name for name, command in COMMANDS.items() if command.where != "shell"]
    for path in paths:
        if path.isidentifier() and not any(Path().glob(f"{path}*")):
            hint = did_you_mean(path, known) or f"; commands are {', '.join(known)}"
            raise OptionError(f"'{path}' is neither a command nor a file{hint}")


def _print_help(command: str, screen: Screen) -> int:
    from tfprof.cli.help import help_text, short_help

    screen.write(help_text([command]) if command else short_help())
    return DONE


def _make_console(parsed: ParsedCommand, screen: Screen) -> Console:
    screen = replace(screen, quiet=bool(parsed.values.get("quiet")))
    compat = bool(parsed.values.get("compat"))

    def read() -> Profile:
        arguments = load_arguments(parsed.values, parsed.paths)
        if arguments is None:
            raise OptionError("no input: name a file or a folder, or try --demo")
        return load_profile(arguments, screen, compat=compat)

    return Console(screen, read, compat=compat, legend=bool(parsed.values.get("legend")))


def _discard_output(screen: Screen) -> None:
    """Let the interpreter flush what the reader of a pipe did not wait for."""
    if screen.out is sys.stdout.buffer:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
