"""Everything that can follow a dash on the command line, and the exit statuses."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from tfprof.cli.commands import COMMANDS
from tfprof.cli.inputs import INPUTS
from tfprof.cli.parser import Flag, OptionLike
from tfprof.definitions.options import OPTIONS
from tfprof.errors import OptionError, TfprofError

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
FLAGS: Mapping[str, OptionLike] = ChainMap[str, Any](
    OPTIONS,
    {flag.name: flag for command in COMMANDS.values() for flag in command.flags},
    SWITCHES,
    INPUTS,
)


def exit_status(error: TfprofError) -> int:
    """The exit status that an error stands for."""
    return MISUSED if isinstance(error, OptionError) else FAILED
