"""Help texts, made from the tables of commands, options, metrics and outputs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tfprof
from tfprof.cli.commands import COMMANDS, Command
from tfprof.cli.defaults import default_text
from tfprof.cli.flags import FLAGS, SWITCHES
from tfprof.cli.inputs import INPUTS
from tfprof.cli.parser import Flag
from tfprof.definitions.metrics import METRICS, orders
from tfprof.definitions.options import OPTIONS, Option, did_you_mean
from tfprof.errors import OptionError

_WIDTH = 80
_NARROW = 28
_TITLE = "where a model's parameters, float operations, time and memory go"
_USAGE = """\
  tfprof --demo [COMMAND] [OPTIONS]            try it on the bundled sample profile
  tfprof FILE_OR_FOLDER… [COMMAND] [OPTIONS]   open a model, a trace, a profile…
  tfprof --graph_path=PATH [INPUTS] [COMMAND] [OPTIONS]
Without a command a prompt opens: Tab completes, Enter shows the options."""
_BRIEF = {
    "select": "what to show: params, float_ops, micros, bytes…",
    "order_by": "what to sort by, the largest first",
    "max_depth": "how many levels to show",
    "account_type_regexes": "which types to count, such as Conv2D",
    "show_name_regexes": "which names to show",
    "output": "where to, such as file:outfile=report.txt",
}
_VALUES = {
    "integer": "N",
    "order": "METRIC",
    "regexes": "REGEX,REGEX…",
    "flag": "",
    "select": "METRIC,METRIC…",
    "output": "TYPE:KEY=VALUE…",
    "text": "TEXT",
}
_NOTES = r"""
A regex must match the whole name or type (RE2 syntax). Separate several by
commas; write \, for a comma inside a regex. Quote blanks, as in any shell.

-account_type_regexes selects the nodes that count. Of those,
-start_name_regexes selects where to start, -trim_name_regexes prunes subtrees,
and -show_name_regexes, -hide_name_regexes, -max_depth and the -min_… options
remove single rows. Hidden nodes still count in the totals of their ancestors,
unless -account_displayed_op_only is set."""


def short_help() -> str:
    """What `--help` prints: one screen."""
    commands = {n: c.help for n, c in COMMANDS.items() if c.where != "shell"}
    prompt = ", ".join(name for name, command in COMMANDS.items() if command.where == "shell")
    return "\n".join(
        [
            f"tfprof {tfprof.__version__}: {_TITLE}\n",
            _USAGE,
            f"\nCommands (at the prompt also {prompt})",
            *_rows(commands, _NARROW),
            "\nInputs",
            *_rows(_flag_rows(INPUTS.values()), _NARROW),
            "\nOptions used most (all: tfprof help; one: tfprof help -select)",
            *_rows({f"-{name}": text for name, text in _BRIEF.items()}, _NARROW),
            "\nSwitches: " + ", ".join(f"--{name}" for name in SWITCHES),
            "Try:  tfprof --demo op -select micros,occurrence -order_by micros\n",
        ]
    )


def help_text(topics: Sequence[str]) -> str:
    """What `help` prints, of everything or of commands and options."""
    if not topics:
        return _everything()
    return "\n".join(_topic(topic) for topic in topics)


def _everything() -> str:
    options = {
        f"-{option.name} {_VALUES[option.kind]}".rstrip(): option.help
        for option in OPTIONS.values()
    }
    return "\n".join(
        [
            f"tfprof {tfprof.__version__}: {_TITLE}\n",
            _USAGE,
            "\nCommands (more: help COMMAND)",
            *_rows({_called(command): command.help for command in COMMANDS.values()}, _NARROW),
            "\nInputs",
            *_rows(_flag_rows(INPUTS.values()), _NARROW),
            "\nSwitches",
            *_rows(_flag_rows(SWITCHES.values()), _NARROW),
            "\nOptions, as -name value or --name=value (more: help -OPTION)",
            *_rows(options, 36),
            _NOTES + "\n",
        ]
    )


def _topic(topic: str) -> str:
    name = topic.lstrip("-").partition("=")[0].replace("-", "_")
    flags = {name: flag for name, flag in FLAGS.items() if isinstance(flag, Flag)}
    if topic in COMMANDS:
        return _of_command(COMMANDS[topic])
    if name in OPTIONS:
        return _of_option(OPTIONS[name])
    if name in flags:
        return "\n".join([*_rows(_flag_rows([flags[name]]), _NARROW), ""])
    if name in METRICS:
        return _of_metric(name)
    known = [*COMMANDS, *OPTIONS, *flags, *METRICS]
    near = did_you_mean(name, known) or "; see tfprof help"
    raise OptionError(f"no help on '{topic}'{near}")


def _of_command(command: Command) -> str:
    lines = [f"{_called(command)}: {command.help}"]
    if command.where == "shell":
        lines[0] += " (at the prompt)"
    if command.examples:
        lines += ["", command.examples]
    if command.flags:
        lines += ["", *_rows(_flag_rows(command.flags), _NARROW)]
    if command.options:
        names = textwrap.fill(
            " ".join(f"-{name}" for name in OPTIONS),
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        )
        lines += ["", "Options (more: help, or help -OPTION)", names]
    return "\n".join(lines) + "\n"


def _of_option(option: Option) -> str:
    lines = [
        f"-{option.name} {_VALUES[option.kind]}".rstrip(),
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

        rows = {_output_form(name, found.keys): found.help for name, found in OUTPUTS.items()}
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


def _of_metric(name: str) -> str:
    metric = METRICS[name]
    return f"{name}, for -select and -order_by\n  {metric.legend}\n  needs: {metric.needs}\n"


def _output_form(name: str, keys: Sequence[str]) -> str:
    return f"{name}:{','.join(f'{key}=…' for key in keys)}" if keys else name


def _called(command: Command) -> str:
    return f"{command.name} {command.metavar}".rstrip()


def _flag_rows(flags: Iterable[Flag]) -> dict[str, str]:
    return {f"--{flag.name}={flag.metavar}".rstrip("="): flag.help for flag in flags}


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
