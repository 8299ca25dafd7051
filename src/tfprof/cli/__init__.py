"""The `tfprof` command: one answer per call, or a shell.

    argv ─parse_command_line▶ ParsedCommand ─perform▶ answer on stdout
    lines ─────parse_command───────┘                  errors: one line on stderr, and an exit status

    commands                      COMMANDS, one row each
    overview                      what a view shows without options
    flags, inputs, defaults       what can be given, and what holds if it is not
    parser                        the grammar of flags and shell lines
    console, shell                what commands work with; the prompt
    completion, name_index, completion_scripts, help
    start_arrow                   import Arrow without pandas

Nothing here imports NumPy or Arrow before a file has to be read. Nothing may import it.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import tfprof
from tfprof.api.screen import Screen
from tfprof.cli.commands import COMMANDS, perform, refuse_command_flags
from tfprof.cli.console import Console
from tfprof.cli.flags import DONE, FAILED, FLAGS, INTERRUPTED, exit_status
from tfprof.cli.inputs import INPUTS, load_arguments, load_profile
from tfprof.cli.parser import ParsedCommand, parse_command_line
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.options import format_value
from tfprof.errors import OptionError, TfprofError
from tfprof.runtime.out_of_memory import describe_memory_error

if TYPE_CHECKING:
    from tfprof.api.profile import Profile

_LONG_COMMAND = 60


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
    except MemoryError as error:
        screen.error(describe_memory_error(error))
        return FAILED
    except Exception as error:
        screen.error(f"unexpected {type(error).__name__}: {error}; please report it")
        if os.environ.get("TFPROF_DEBUG"):
            raise
        return FAILED


def _run(argv: Sequence[str], screen: Screen, stdin: IO[str] | None) -> int:
    takes_arguments = {name: bool(command.metavar) for name, command in COMMANDS.items()}
    argv, script_arguments = _split_at_dashes(argv)
    tokens = ["--help" if token == "-h" else token for token in argv]
    parsed = parse_command_line(tokens, FLAGS, takes_arguments)
    parsed = replace(parsed, arguments=(*parsed.arguments, *script_arguments))
    screen = _for_user(screen, parsed)
    if parsed.values.get("version"):
        screen.write(f"tfprof {tfprof.__version__}\n")
        return DONE
    _check_paths(parsed.paths)
    if parsed.values.get("help"):
        return _print_help(parsed.name, screen)
    if not (parsed.name or parsed.paths or any(parsed.values.get(name) for name in INPUTS)):
        return _print_help("", screen)
    console = _make_console(parsed, screen)
    console.stdin = stdin
    if parsed.name:
        return perform(console, parsed)
    from tfprof.cli.shell import interact

    refuse_command_flags(parsed)
    console.given = parsed.options
    return interact(console, stdin)


def _split_at_dashes(argv: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What stands before `--`, and after it."""
    index = list(argv).index("--") if "--" in argv else len(argv)
    return argv[:index], argv[index + 1 :]


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


def _for_user(screen: Screen, parsed: ParsedCommand) -> Screen:
    """The screen as the switches ask for it; compat prints what the original prints."""
    compat = bool(parsed.values.get("compat"))
    is_shell = not parsed.name
    return screen.for_user(
        quiet=bool(parsed.values.get("quiet")),
        presents=not compat,
        paged=not parsed.values.get("no_pager") and (is_shell or not compat),
    )


def _make_console(parsed: ParsedCommand, screen: Screen) -> Console:
    compat = bool(parsed.values.get("compat"))

    def read() -> Profile:
        arguments = load_arguments(parsed.values, parsed.paths)
        if arguments is None:
            where = f" before '{parsed.name}'" if parsed.arguments else ""
            raise OptionError(f"no input: name a file or a folder{where}, or try --demo")
        return load_profile(arguments, screen, compat=compat)

    legend = bool(parsed.values.get("legend"))
    return Console(screen, read, compat=compat, legend=legend, opened_with=_opened_with(parsed))


def _opened_with(parsed: ParsedCommand) -> str:
    """The command line without its command; a long one is left to the reader."""
    words = []
    for name in INPUTS:
        value = parsed.values.get(name)
        if value:
            words.append(f"--{name}" if value is True else f"--{name}={format_value(value)}")
    paths = [f"./{path}" if path in COMMANDS else path for path in parsed.paths]
    text = shlex.join(["tfprof", *paths, *words])
    return text if len(text) <= _LONG_COMMAND else "tfprof …"


def _discard_output(screen: Screen) -> None:
    """Let the interpreter flush what the reader of a pipe did not wait for."""
    if screen.out is sys.stdout.buffer:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
