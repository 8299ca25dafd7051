"""Completion scripts, made from the tables of commands, options, metrics and checkers.

choices           what can follow on a command line
bash, zsh, fish   a script for each shell
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfprof.cli.completion_scripts.bash import bash_script
from tfprof.cli.completion_scripts.fish import fish_script
from tfprof.cli.completion_scripts.zsh import zsh_script
from tfprof.definitions.lookup import did_you_mean
from tfprof.errors import OptionError

SCRIPTS: dict[str, Callable[[Sequence[str]], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}
"""A writer for each shell; it is given the names of all shells."""


def script(choices: Sequence[str]) -> str:
    """The script of the shell that is named."""
    if len(choices) != 1 or choices[0] not in SCRIPTS:
        hint = did_you_mean(choices[0], SCRIPTS) if choices else ""
        raise OptionError(f"'completion' needs a shell: {', '.join(SCRIPTS)}{hint}")
    return SCRIPTS[choices[0]](tuple(SCRIPTS))
