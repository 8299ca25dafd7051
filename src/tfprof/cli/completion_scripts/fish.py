"""The completion script for fish."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.cli.commands import COMMANDS, accepted_options
from tfprof.cli.completion_scripts.choices import (
    FILES,
    checkers,
    command_help,
    fill_template,
    flag_help,
    topics,
    values,
    views,
)
from tfprof.cli.parser import SWITCHES, OptionLike

_TEMPLATE = """\
# fish completion for tfprof, made by: tfprof completion fish
function __tfprof_command
  for word in (commandline -opc)[2..-1]
    if contains -- $word @NAMES@
      echo $word
      return
    end
  end
end
function __tfprof_is
  contains -- "$(__tfprof_command)" $argv
end
function __tfprof_outputs
  set -l token (commandline -ct)
  set -l before (string match -r '^.*outfile=' -- $token)
  if test -z "$before"
    printf '%s\\n' @OUTPUTS@
    return
  end
  for path in (__fish_complete_path (string replace -- $before '' $token))
    echo $before$path
  end
end
complete -c tfprof -n '__tfprof_is completion help advise' -f
@WORDS@
@FLAGS@
"""


def fish_script(shells: Sequence[str]) -> str:
    """The script for fish."""
    commands = command_help()
    words = [_line("''", f"-a {name} -d '{about}'") for name, about in commands.items()]
    offered = {
        "completion": shells,
        "help": topics(),
        "advise": checkers(),
        "diff": views(),
    }
    for word, choices in offered.items():
        words.append(_line(word, f"-a '{' '.join(choices)}'"))
    outputs = [value for flag, _ in flag_help() if flag.kind == "output" for value in values(flag)]
    return fill_template(
        _TEMPLATE,
        NAMES=" ".join(commands),
        OUTPUTS=" ".join(outputs),
        WORDS="\n".join(words),
        FLAGS="\n".join(_flag_line(flag, about) for flag, about in flag_help()),
    )


def _flag_line(flag: OptionLike, about: str) -> str:
    takers = [name for name in command_help() if flag.name in accepted_options(COMMANDS[name])]
    choices = " ".join(values(flag))
    line = f"-l {flag.name} -o {flag.name} -d '{about}'"
    if flag.kind == "paths":
        line += " -x -a '(__fish_complete_list , __fish_complete_path)'"
    elif flag.kind in FILES:
        line += " -r -F"
    elif flag.kind == "output":
        line += " -x -a '(__tfprof_outputs)'"
    elif flag.kind == "select":
        line += f" -x -a '(__fish_append , {choices})'"
    elif flag.kind not in SWITCHES:
        line += f" -x -a '{choices}'" if choices else " -x"
    elif choices:
        line += f" -a '{choices}'"
    return _line(" ".join(["''", *takers]), line)


def _line(commands: str, completion: str) -> str:
    """A completion that is offered after some commands; `''` is none yet."""
    return f'complete -c tfprof -n "__tfprof_is {commands}" {completion}'
