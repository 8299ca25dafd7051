"""The commands, one row each: flags, shell, help and completion derive from this table.

A new command is a function and a row; what it needs of the engine it imports when it runs.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfprof.cli.console import Console, checked, missing_inputs, options_block
from tfprof.cli.inputs import path_of
from tfprof.cli.model_commands import (
    COST_FLAGS,
    MODEL_FLAGS,
    show_cost,
    show_model,
)
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.definitions.options import did_you_mean
from tfprof.errors import OptionError

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["COMMANDS", "Command", "perform"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does in one line, how it is done, and what it can be told.

    `where` is `both`, or the only place it makes sense in: `shell` or `flags`. `words` is what help
    calls the plain words after it. `teach` explains it with an example for the demo.
    """

    name: str
    help: str
    run: Callable[[Console, ParsedCommand], None]
    where: str = "both"
    words: str = ""
    options: bool = False
    flags: tuple[Flag, ...] = ()
    examples: str = ""


def perform(console: Console, line: ParsedCommand) -> None:
    """Run a command that was read from flags or in the shell."""
    here = "shell" if console.is_shell else "flags"
    command = COMMANDS.get(line.command)
    if command is None:
        known = [name for name, found in COMMANDS.items() if found.where in ("both", here)]
        near = did_you_mean(line.command, known) or f"; known are {', '.join(known)}"
        raise OptionError(f"unknown command '{line.command}'{near}")
    if command.where not in ("both", here):
        place = "at the prompt" if command.where == "shell" else "on the command line"
        raise OptionError(f"'{command.name}' works only {place}")
    if line.words and not command.words:
        hint = "; options begin with a dash" if command.options else ""
        raise OptionError(f"'{command.name}' takes no '{line.words[0]}'{hint}")
    _refuse_foreign_flags(command, line)
    command.run(console, line)


def _refuse_foreign_flags(command: Command, line: ParsedCommand) -> None:
    own = {flag.name for flag in command.flags}
    for other in COMMANDS.values():
        for flag in other.flags:
            if flag.name in line.values and flag.name not in own:
                raise OptionError(f"option '--{flag.name}' belongs to '{other.name}'")


def _view(console: Console, line: ParsedCommand) -> None:
    from tfprof import outputs
    from tfprof.outputs import text
    from tfprof.outputs.files import replaced

    # Wrong options are told before a large file is read.
    checked({**console.given, **line.options}, console.quirks)
    options = console.options(line.options)
    report = console.profile.report(line.command, options, compat=console.compat)
    hints = [] if console.compat else missing_inputs(console.profile, options.select)
    for message in (*report.messages, *hints):
        console.screen.note(message)
    legend = line.values.get("legend", console.legend) or None
    output, keys = outputs.parse(options.output)
    if output.name == "stdout":
        one_line = console.screen.terminal
        console.screen.answer(text.text_bytes(report, legend=legend, one_line=one_line))
    elif output.name == "file" and legend:
        with replaced(keys["outfile"]) as stream:
            stream.writelines(text.text_chunks(report, legend=legend))
    else:
        _write(console, report)


def _write(console: Console, report: Report) -> None:
    """Write a report to a file; what its writer prints is a message, or the original's answer."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        report.write()
    if console.compat:
        console.screen.say(printed.getvalue())
    elif printed.getvalue():
        console.screen.note(printed.getvalue())


def _advise(console: Console, line: ParsedCommand) -> None:
    from tfprof import advisor

    advice = advisor.advise(console.profile, line.words or None, compat=console.compat)
    for message in advice.messages:
        console.screen.note(message)
    console.screen.say(f"{advice.json()}\n" if line.values.get("json") else advice.text())


def _tables(console: Console, line: ParsedCommand) -> None:
    folder = line.values.get("out")
    if not folder:
        raise OptionError("'tables' needs --out: a folder to write to")
    from tfprof.outputs.profile_tables import save_tables

    save_tables(console.profile, path_of(folder))


def _set(console: Console, line: ParsedCommand) -> None:
    if not line.values and not console.compat:
        show_options(console)
        return
    console.legend = line.values.get("legend", console.legend)
    checked({**console.given, **line.options}, console.quirks)
    console.given.update(line.options)


def _reset(console: Console, _line: ParsedCommand) -> None:
    console.given.clear()


def show_options(console: Console) -> None:
    """Print the current options, as an empty line does."""
    console.screen.say(options_block(console.options(), compat=console.compat))


def _help(console: Console, line: ParsedCommand) -> None:
    from tfprof.cli.help import help_text

    console.screen.say(help_text(line.words))


def _completion(console: Console, line: ParsedCommand) -> None:
    from tfprof.cli.completion_scripts import script

    console.screen.say(script(line.words))


def _leave(_console: Console, _line: ParsedCommand) -> None:
    # As if the input had ended.
    raise EOFError


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command(
            "scope",
            "what each name scope costs",
            _view,
            options=True,
            examples="Nodes stand below the nodes and scopes that their names begin with, as files\n"
            "do in folders. The best view for parameters, and for time if scopes are well\n"
            "named.\n\n"
            "  scope -select params -max_depth 4 -account_type_regexes _trainable_variables\n"
            "  scope -select micros -min_micros 10000 -order_by micros -max_depth 30",
        ),
        Command(
            "graph",
            "what the inputs of a node cost",
            _view,
            options=True,
            examples="Nodes stand below the nodes that consume what they produce. It answers what\n"
            "the loss depends on, and makes the best timeline.\n\n"
            "  graph -start_name_regexes cost.* -max_depth 100 -min_micros 10000 -select micros",
        ),
        Command(
            "op",
            "what each operation type costs",
            _view,
            options=True,
            examples="Nodes of one type, such as Conv2D, are added up. The percentages are the share\n"
            "of this row and all that follow, and of this row alone.\n\n"
            "  op -select micros,bytes,occurrence -order_by micros\n"
            "  op -select float_ops -min_float_ops 1 -order_by float_ops",
        ),
        Command(
            "code",
            "what each line of Python costs (needs an op log)",
            _view,
            options=True,
            examples="Nodes stand where the Python code created them, line below calling line. It\n"
            "needs code traces: an op log, or a profile that has them.\n\n"
            "  code -max_depth 20 -show_name_regexes .*resnet.* -select micros -order_by micros",
        ),
        Command(
            "advise",
            "look for known problems and say what to do",
            _advise,
            words="[CHECKER]…",
            flags=(Flag("json", "switch", "findings with their numbers, for programs"),),
            examples="All checkers run unless some are named.\n\n"
            "  advise\n  advise ExpensiveOperationChecker --json",
        ),
        Command(
            "model",
            "what each layer of a SavedModel, .pb or .keras file costs",
            show_model,
            words="PATH",
            where="flags",
            flags=MODEL_FLAGS,
            examples="Layers in the order in which they run, with output shape, parameters and float\n"
            "operations for one example; then the totals and what was not counted. An unknown\n"
            "batch size is B. --run_meta_path tells how often loops ran.\n\n"
            "  tfprof model my_saved_model\n"
            "  tfprof model my_saved_model --bind B=8 --json",
        ),
        Command(
            "cost",
            "what each operation of a model costs, and why",
            show_cost,
            words="PATH",
            where="flags",
            flags=COST_FLAGS,
            examples="Float operations by type, two per multiply-add, with functions and loops\n"
            "written out.\n\n"
            "  tfprof cost my_saved_model\n"
            "  tfprof cost my_saved_model --explain MatMul\n"
            "  tfprof cost graph.pb --run_meta_path run_meta",
        ),
        Command(
            "set",
            "keep options for the lines that follow",
            _set,
            where="shell",
            options=True,
            examples="Options on any other line hold for that line alone. `set` by itself shows all\n"
            "options, as an empty line does.\n\n"
            "  set -account_type_regexes _trainable_variables\n"
            "  scope -select params",
        ),
        Command("reset", "forget what was set", _reset, where="shell"),
        Command(
            "tables",
            "write the whole profile as Parquet tables",
            _tables,
            where="flags",
            flags=(Flag("out", "text", "the folder to write to", "DIR"),),
            examples="One file per table, for pandas, DuckDB and others.\n\n"
            "  tfprof --demo tables --out=profile_tables",
        ),
        Command(
            "completion",
            "print a completion script for bash, zsh or fish",
            _completion,
            where="flags",
            words="SHELL",
            examples="  bash:  tfprof completion bash > ~/.local/share/bash-completion/completions/"
            "tfprof\n"
            "  zsh:   tfprof completion zsh > a folder of $fpath, as _tfprof\n"
            "  fish:  tfprof completion fish > ~/.config/fish/completions/tfprof.fish",
        ),
        Command(
            "help",
            "explain a command or an option",
            _help,
            words="[COMMAND or -OPTION]",
            examples="  help scope\n  help -select",
        ),
        Command("exit", "leave (so does Ctrl-D)", _leave, where="shell"),
        Command("quit", "leave", _leave, where="shell"),
    )
}
