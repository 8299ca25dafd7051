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

DONE, FAILED, MISUSED, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 130
EXIT_STATUSES = {
    DONE: "success, also if the reader of a pipe exits",
    FAILED: "an input cannot be read or an output cannot be written; of gate: a limit is exceeded",
    MISUSED: "an unknown command, option or value; of gate: any bad input",
    INCONCLUSIVE: "of gate: time or memory cannot be judged",
    INTERRUPTED: "interrupted",
}

ENVIRONMENT = {
    "TFPROF_PAGER, PAGER": "the pager for long answers on a terminal; less by default",
    "NO_COLOR": "if it is set, answers have no colours",
    "TERM": "if it is dumb, there are no colours, no pager and no progress",
    "XDG_STATE_HOME": "where the history of the prompt is, by default ~/.local/state",
    "TFPROF_DEBUG": "if it is set, unexpected errors show where they come from, and .keras files "
    "what TensorFlow logs",
}
"""The variables that the command reads."""

SWITCHES: dict[str, Flag] = {
    flag.name: flag
    for flag in (
        Flag("compat", "switch", "answer and default like the original, defects included"),
        Flag("legend", "switch", "explain the view and the columns before the report"),
        Flag("no_pager", "switch", "no pager for long answers on a terminal"),
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
