"""What a command is: a row of COMMANDS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tfprof.cli.console import Console
from tfprof.cli.inputs import INPUTS
from tfprof.cli.parser import Flag, ParsedCommand

_INPUT_HELP = {name: flag.help for name, flag in INPUTS.items()}


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does in one line, how it is done, and what it can be given.

    `where` is `both`, or the only place where it makes sense: `shell` or `flags`. `metavar` is what
    help calls its arguments; without one it takes none. `options` says whether it takes those of a
    report; `inputs` and `switches` are the flags that it takes beside its own, inputs with help.
    What `run` returns is the exit status, nothing is 0. One that `runs_program` leaves the terminal
    to a program of the user.
    """

    name: str
    help: str
    run: Callable[[Console, ParsedCommand], int | None]
    where: str = "both"
    metavar: str = ""
    options: bool = False
    flags: tuple[Flag, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=lambda: _INPUT_HELP)
    switches: tuple[str, ...] = ("compat",)
    examples: str = ""
    runs_program: bool = False
