"""The commands of the prompt (`set`, `reset`, `exit`), and `help` and `completion`."""

from __future__ import annotations

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console, options_block
from tfprof.cli.parser import ParsedCommand


def _set(console: Console, parsed: ParsedCommand) -> None:
    if not parsed.values and not console.compat:
        show_options(console)
        return
    console.legend = parsed.values.get("legend", console.legend)
    console.check({**console.given, **parsed.options})
    console.given.update(parsed.options)


def _reset(console: Console, _parsed: ParsedCommand) -> None:
    console.given.clear()


def show_options(console: Console) -> None:
    """Print the current options, as an empty line does."""
    console.screen.write(options_block(console.options(), compat=console.compat))


def _help(console: Console, parsed: ParsedCommand) -> None:
    from tfprof.cli.help import help_text

    console.screen.write(help_text(parsed.arguments, in_shell=console.is_shell))


def _completion(console: Console, parsed: ParsedCommand) -> None:
    from tfprof.cli.completion_scripts import script

    console.screen.write(script(parsed.arguments))


def _leave(_console: Console, _parsed: ParsedCommand) -> None:
    # As if the input had ended.
    raise EOFError


PROMPT_COMMANDS = (
    Command(
        "set",
        "keep options for the following commands",
        _set,
        where="shell",
        options=True,
        inputs={},
        switches=("legend",),
        examples="""\
Options of any other command hold for that command alone. `set` by itself shows
all options, as an empty line does.

  set -account_type_regexes _trainable_variables
  scope -select params""",
    ),
    Command(
        "reset",
        "forget the options that were set",
        _reset,
        where="shell",
        inputs={},
        switches=(),
    ),
)

HELP_COMMANDS = (
    Command(
        "completion",
        "print a completion script for bash, zsh or fish",
        _completion,
        where="flags",
        metavar="SHELL",
        inputs={},
        switches=("no_pager",),
        examples="""\
  bash:  tfprof completion bash > ~/.local/share/bash-completion/completions/tfprof
  zsh:   tfprof completion zsh > a folder of $fpath, as _tfprof
  fish:  tfprof completion fish > ~/.config/fish/completions/tfprof.fish""",
    ),
    Command(
        "help",
        "explain a command or an option",
        _help,
        metavar="[COMMAND or -OPTION]",
        inputs={},
        switches=("no_pager",),
        examples="  help scope\n  help -select",
    ),
    Command(
        "exit",
        "leave (so does Ctrl-D)",
        _leave,
        where="shell",
        inputs={},
        switches=(),
    ),
    Command("quit", "leave", _leave, where="shell", inputs={}, switches=()),
)
