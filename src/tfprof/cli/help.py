"""Help texts, made from the tables of commands, options, metrics and outputs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import tfprof
from tfprof.cli.commands import COMMANDS
from tfprof.cli.commands.command import Command
from tfprof.cli.defaults import default_text
from tfprof.cli.flags import FLAGS, SWITCHES
from tfprof.cli.inputs import INPUTS
from tfprof.cli.parser import Flag
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import OPTIONS, Option, listed_options
from tfprof.errors import OptionError

_WIDTH = 80
_NARROW = 28
_WIDE = 36
TITLE = "where a model's parameters, float operations, time and memory go"
_USAGE = """\
  tfprof --demo [COMMAND] [OPTIONS]            try it on a bundled sample profile
  tfprof FILE_OR_FOLDER… [COMMAND] [OPTIONS]   open a model, a trace, a profile…
  tfprof --graph_path=PATH [INPUTS] [COMMAND] [OPTIONS]
Without a command a prompt opens: Tab completes, Enter shows the options."""
_BRIEF = {
    "select": "what to show: params, float_ops, micros, bytes…",
    "max_depth": "how many levels to show",
    "account_type_regexes": "which types to count, such as Conv2D",
    "show_name_regexes": "which names to show",
    "output": "where to, such as file:outfile=report.txt",
}
VALUES = {
    "integer": "N",
    "order": "METRIC",
    "regexes": "REGEX,REGEX…",
    "flag": "",
    "select": "METRIC,METRIC…",
    "output": "TYPE:KEY=VALUE…",
    "text": "TEXT",
    "time": "TIME",
}
NOTES = r"""
A regex must match the whole name or type (RE2 syntax). Separate several by
commas; write \, for a comma inside a regex. Quote blanks, as in any shell.

-account_type_regexes selects the nodes that count. Of those,
-start_name_regexes selects where to start, -trim_name_regexes prunes subtrees,
and -show_name_regexes, -hide_name_regexes, -max_depth and the -min_… options
remove single rows. Hidden nodes still count in the totals of their ancestors,
unless -account_displayed_op_only is set.

-min_… options test self values in scope and graph view, inclusive values in op
and code view. Each has two forms that say which: -min_self_… and -min_total_…,
such as -min_self_micros and -min_total_micros."""


def short_help() -> str:
    """What `--help` prints: one screen."""
    commands = {n: c.help for n, c in COMMANDS.items() if c.where != "shell"}
    prompt = ", ".join(name for name, command in COMMANDS.items() if command.where == "shell")
    return "\n".join(
        [
            f"tfprof {tfprof.__version__}: {TITLE}\n",
            _USAGE,
            f"\nCommands (at the prompt also {prompt})",
            *_rows(commands, _NARROW),
            "",
            *textwrap.wrap(f"Flags that name inputs: {_add_dashes(INPUTS)}", _WIDTH),
            "\nOptions used most (all: tfprof help; one: tfprof help -select)",
            *_rows({f"-{name}": text for name, text in _BRIEF.items()}, _NARROW),
            f"\nSwitches: {_add_dashes(SWITCHES)}",
            "Try:  tfprof --demo op -select micros,occurrence\n",
        ]
    )


def _add_dashes(names: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in names)


def help_text(topics: Sequence[str], *, in_shell: bool = False) -> str:
    """What `help` prints, of everything that works in a place, or of commands and options."""
    if topics:
        return "\n".join(_topic(topic) for topic in topics)
    return _at_the_prompt() if in_shell else _everything()


def _everything() -> str:
    return "\n".join(
        [
            f"tfprof {tfprof.__version__}: {TITLE}\n",
            _USAGE,
            "\nCommands (more: help COMMAND)",
            *_rows({_usage(command): command.help for command in COMMANDS.values()}, _NARROW),
            "\nInputs",
            *_rows(_flag_rows(INPUTS.values()), _NARROW),
            "\nSwitches",
            *_rows(_flag_rows(SWITCHES.values()), _NARROW),
            "\nOptions, as -name value or --name=value (more: help -OPTION)",
            *_option_rows(),
            NOTES + "\n",
        ]
    )


def _at_the_prompt() -> str:
    here = [command for command in COMMANDS.values() if command.where != "flags"]
    legend = SWITCHES["legend"]
    return "\n".join(
        [
            "Commands (more: help COMMAND)",
            *_rows({_usage(command): command.help for command in here}, _NARROW),
            "\nOptions, as -name value or --name=value (more: help -OPTION)",
            *_rows({f"-{legend.name}": legend.help}, _WIDE),
            *_option_rows(),
            NOTES + "\n",
        ]
    )


def _option_rows() -> list[str]:
    """The options that lists have; the notes tell of the other forms of minima."""
    rows = {f"-{o.name} {VALUES[o.kind]}".rstrip(): o.help for o in listed_options()}
    return _rows(rows, _WIDE)


def _topic(topic: str) -> str:
    name = topic.lstrip("-").partition("=")[0].replace("-", "_")
    flags = {name: flag for name, flag in FLAGS.items() if isinstance(flag, Flag)}
    if topic in COMMANDS:
        return _command_help(COMMANDS[topic])
    if name in OPTIONS:
        return _option_help(OPTIONS[name])
    if name in flags:
        return _flag_help(flags[name])
    if name in METRICS:
        return _metric_help(name)
    known = [*COMMANDS, *OPTIONS, *flags, *METRICS]
    hint = did_you_mean(name, known) or "; see tfprof help"
    raise OptionError(f"no help on '{topic}'{hint}")


def _command_help(command: Command) -> str:
    lines = [f"{_usage(command)}: {command.help}"]
    lines[0] += {"shell": " (at the prompt)", "flags": " (not at the prompt)"}.get(
        command.where, ""
    )
    if command.examples:
        lines += ["", command.examples]
    rows = _flag_rows(listed_flags(command))
    if rows:
        lines += ["", *_rows(rows, _NARROW)]
    if command.options:
        names = textwrap.fill(
            " ".join(f"-{option.name}" for option in listed_options()),
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        )
        lines += ["", "Options (more: help, or help -OPTION)", names]
    return "\n".join(lines) + "\n"


def listed_flags(command: Command) -> list[Flag]:
    """The flags of a command: its own, and inputs if it takes only some of them."""
    if len(command.inputs) == len(INPUTS):
        return list(command.flags)
    inputs = [replace(INPUTS[name], help=text) for name, text in command.inputs.items()]
    return [*command.flags, *inputs]


def _flag_help(flag: Flag) -> str:
    """What a flag is, with each command that takes it as something else."""
    commands: dict[str, list[str]] = {}
    for command in COMMANDS.values():
        helps = {own.name: own.help for own in command.flags} | dict(command.inputs)
        if flag.name in helps:
            commands.setdefault(helps[flag.name], []).append(command.name)
    if len(commands) < 2:
        return "\n".join([*_rows(_flag_rows([flag]), _NARROW), ""])
    lines = [f"{text} ({', '.join(names)})" for text, names in commands.items()]
    return "\n  ".join([flag_form(flag), *lines]) + "\n"


def _option_help(option: Option) -> str:
    lines = [
        f"-{option.name} {VALUES[option.kind]}".rstrip(),
        f"  {option.help}",
        f"  default: {default_text(option.name)}",
    ]
    if option.kind == "select":
        lines[1] = "  what to show, one or several of"
        lines.insert(2, "\n".join(_metric_rows()) + "\n")
    if option.kind == "order":
        lines[1] = "  sort by one of these: names up, numbers down"
        lines.insert(2, "    " + ", ".join(orders()))
    if option.kind == "output":
        from tfprof.outputs import OUTPUTS

        rows = {_output_form(name, row.keys): row.help for name, row in OUTPUTS.items()}
        lines.insert(2, "\n".join(_rows(rows, 34)))
    if option.kind == "regexes":
        lines.append("  each must match the whole text (RE2 syntax); write \\, for a comma")
    return "\n".join(lines) + "\n"


def _metric_rows() -> list[str]:
    rows = {
        name: f"{metric.title or 'the value itself'} (needs {metric.needs})"
        for name, metric in METRICS.items()
    }
    return _rows(rows, 24)


def _metric_help(name: str) -> str:
    metric = METRICS[name]
    return f"{name}, for -select and -order_by\n  {metric.legend}\n  needs: {metric.needs}\n"


def _output_form(name: str, keys: Sequence[str]) -> str:
    return f"{name}:{','.join(f'{key}=…' for key in keys)}" if keys else name


def _usage(command: Command) -> str:
    return f"{command.name} {command.metavar}".rstrip()


def flag_form(flag: Flag) -> str:
    """A flag with what its value is called, in brackets if it may be left out."""
    if flag.choices:
        return f"--{flag.name}[={flag.metavar}]"
    return f"--{flag.name}={flag.metavar}".rstrip("=")


def _flag_rows(flags: Iterable[Flag]) -> dict[str, str]:
    return {flag_form(flag): flag.help for flag in flags}


def _rows(rows: Mapping[str, Any], width: int) -> list[str]:
    lines = []
    for name, text in rows.items():
        lead = "  " + name.ljust(width)
        lines += textwrap.wrap(
            str(text),
            _WIDTH,
            initial_indent=lead if lead.endswith(" ") else lead + " ",
            subsequent_indent=" " * (width + 2),
            break_on_hyphens=False,
        )
    return lines
