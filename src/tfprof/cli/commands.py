"""The commands, one row each: flags, shell, help and completion derive from this table.

A new command is a function and a row; what it needs of the engine it imports when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tfprof.cli.console import Console, missing_inputs, options_block
from tfprof.cli.inputs import path_of
from tfprof.cli.model_commands import COST_FLAGS, MODEL_FLAGS, show_cost, show_model
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.definitions.options import did_you_mean
from tfprof.errors import OptionError


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does in one line, how it is done, and what it can be given.

    `where` is `both`, or the only place where it makes sense: `shell` or `flags`. `metavar` is what
    help calls its arguments; without one it takes none.
    """

    name: str
    help: str
    run: Callable[[Console, ParsedCommand], None]
    where: str = "both"
    metavar: str = ""
    options: bool = False
    flags: tuple[Flag, ...] = ()
    examples: str = ""


def perform(console: Console, parsed: ParsedCommand) -> None:
    """Run a command that was read from flags or in the shell."""
    here = "shell" if console.is_shell else "flags"
    command = COMMANDS.get(parsed.name)
    if command is None:
        known = [name for name, found in COMMANDS.items() if found.where in ("both", here)]
        near = did_you_mean(parsed.name, known) or f"; known are {', '.join(known)}"
        raise OptionError(f"unknown command '{parsed.name}'{near}")
    if command.where not in ("both", here):
        place = "at the prompt" if command.where == "shell" else "on the command line"
        raise OptionError(f"'{command.name}' works only {place}")
    if parsed.arguments and not command.metavar:
        hint = "; options begin with a dash" if command.options else ""
        raise OptionError(f"'{command.name}' takes no '{parsed.arguments[0]}'{hint}")
    _refuse_foreign_flags(command, parsed)
    command.run(console, parsed)


def _refuse_foreign_flags(command: Command, parsed: ParsedCommand) -> None:
    own = {flag.name for flag in command.flags}
    for other in COMMANDS.values():
        for flag in other.flags:
            if flag.name in parsed.values and flag.name not in own:
                raise OptionError(f"option '--{flag.name}' belongs to '{other.name}'")


def _view(console: Console, parsed: ParsedCommand) -> None:
    options = console.options(parsed.options)
    from tfprof.api.request import answer, parse_request

    legend = parsed.values.get("legend", console.legend) or None
    request = parse_request(parsed.name, options, compat=console.compat, legend=legend)
    if not console.compat:
        console.screen.info(*missing_inputs(console.profile, options.select))
    answer(console.profile, request, screen=console.screen)


def _advise(console: Console, parsed: ParsedCommand) -> None:
    advice = console.profile.advise(parsed.arguments or None, compat=console.compat)
    console.screen.info(*advice.messages)
    console.screen.write(f"{advice.json()}\n" if parsed.values.get("json") else advice.text())


def _tables(console: Console, parsed: ParsedCommand) -> None:
    folder = parsed.values.get("out")
    if not folder:
        raise OptionError("'tables' needs --out: a folder to write to")
    console.profile.save_tables(path_of(folder))


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

    console.screen.write(help_text(parsed.arguments))


def _completion(console: Console, parsed: ParsedCommand) -> None:
    from tfprof.cli.completion_scripts import script

    console.screen.write(script(parsed.arguments))


def _leave(_console: Console, _parsed: ParsedCommand) -> None:
    # As if the input had ended.
    raise EOFError


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command(
            "scope",
            "cost by name scope",
            _view,
            options=True,
            examples="""\
Nodes are nested by name scope, as files are in folders. The best view for
parameters, and for time if scopes are well named.

  scope -select params -max_depth 4 -account_type_regexes _trainable_variables
  scope -select micros -min_micros 10000 -order_by micros -max_depth 30""",
        ),
        Command(
            "graph",
            "cost by data flow: each node and its inputs",
            _view,
            options=True,
            examples="""\
A node's children are its inputs. It answers what the loss depends on, and makes
the most detailed timeline.

  graph -start_name_regexes cost.* -max_depth 100 -min_micros 10000 -select micros""",
        ),
        Command(
            "op",
            "cost by op type",
            _view,
            options=True,
            examples="""\
Nodes of one op type, such as Conv2D, are summed. The two percentages are the
share of this row and all rows after it, and of this row alone.

  op -select micros,bytes,occurrence -order_by micros
  op -select float_ops -min_float_ops 1 -order_by float_ops""",
        ),
        Command(
            "code",
            "cost by line of Python code (needs an op log)",
            _view,
            options=True,
            examples="""\
Nodes are grouped by the Python call stack that created them. It needs code
traces: an op log, or a profile that has them.

  code -max_depth 20 -show_name_regexes .*resnet.* -select micros -order_by micros""",
        ),
        Command(
            "advise",
            "check for known problems and say what to do",
            _advise,
            metavar="[CHECKER]…",
            flags=(Flag("json", "switch", "print JSON"),),
            examples="""\
All checkers run unless some are named.

  advise
  advise ExpensiveOperationChecker --json""",
        ),
        Command(
            "model",
            "cost by layer of a SavedModel, .pb or .keras file",
            show_model,
            metavar="PATH",
            where="flags",
            flags=MODEL_FLAGS,
            examples="""\
Layers in execution order with output shape, parameters and float operations per
example, then totals and what was not counted. B is an unknown batch size.
--run_meta_path resolves the trip counts of loops.

  tfprof model my_saved_model
  tfprof model my_saved_model --bind B=8 --json""",
        ),
        Command(
            "cost",
            "float operations of a model by op type, with formulas",
            show_cost,
            metavar="PATH",
            where="flags",
            flags=COST_FLAGS,
            examples="""\
Float operations by op type, two per multiply-add, with functions and loops
expanded.

  tfprof cost my_saved_model
  tfprof cost my_saved_model --explain MatMul
  tfprof cost graph.pb --run_meta_path run_meta""",
        ),
        Command(
            "set",
            "keep options for the following commands",
            _set,
            where="shell",
            options=True,
            examples="""\
Options of any other command hold for that command alone. `set` by itself shows
all options, as an empty line does.

  set -account_type_regexes _trainable_variables
  scope -select params""",
        ),
        Command("reset", "forget the options that were set", _reset, where="shell"),
        Command(
            "tables",
            "write the whole profile as Parquet tables",
            _tables,
            where="flags",
            flags=(Flag("out", "text", "the folder to write to", "DIR"),),
            examples="""\
One file per table, for pandas, DuckDB and others.

  tfprof --demo tables --out=profile_tables""",
        ),
        Command(
            "completion",
            "print a completion script for bash, zsh or fish",
            _completion,
            where="flags",
            metavar="SHELL",
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
            examples="  help scope\n  help -select",
        ),
        Command("exit", "leave (so does Ctrl-D)", _leave, where="shell"),
        Command("quit", "leave", _leave, where="shell"),
    )
}
