"""The commands that show a profile: the four views, `summary` and `advise`."""

from __future__ import annotations

from dataclasses import replace

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console, unavailable_metrics
from tfprof.cli.inputs import load_arguments
from tfprof.cli.overview import show_overview
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.errors import OptionError


def _view(console: Console, parsed: ParsedCommand) -> None:
    given = dict(parsed.options)
    if parsed.values.get("json"):
        if "output" in given:
            raise OptionError("--json and -output are two outputs; give only one")
        given["output"] = "json"
    if not (given or console.given or console.compat):
        show_overview(console, parsed)
        return
    options = console.options(given, view=parsed.name)
    from tfprof.api.request import parse_request, run_request

    legend = parsed.values.get("legend", console.legend) or None
    request = parse_request(parsed.name, options, compat=console.compat, legend=legend)
    if not console.compat:
        console.screen.info(*unavailable_metrics(console.profile, options.select))
    run_request(
        console.profile,
        request,
        built_from=console.built_views(parsed.name).get(parsed.name),
        screen=console.screen,
        command=f"{console.opened_with} --compat" if console.compat else console.opened_with,
    )


def _advise(console: Console, parsed: ParsedCommand) -> None:
    from tfprof.advisor import advise
    from tfprof.views import VIEWS

    profile, views = console.profile, console.built_views(*VIEWS)
    advice = advise(profile, parsed.arguments or None, compat=console.compat, views=views)
    console.screen.info(*advice.messages)
    layout = console.screen.layout
    if parsed.values.get("json"):
        console.screen.write(f"{advice.json()}\n")
    elif layout is None:
        console.screen.write(advice.text())
    else:
        from tfprof.api.advice import advice_lines

        console.screen.write_lines(advice_lines(advice, layout))


def _summary(console: Console, parsed: ParsedCommand) -> None:
    if console.compat:
        raise OptionError("'summary' is not in the original, whose answers --compat gives")
    summary = console.profile.summary()
    if not console.is_shell and _is_model(parsed):
        summary = replace(summary, commands={"model": "cost by layer", **summary.commands})
    command = "" if console.is_shell else console.opened_with
    layout = console.screen.layout
    if parsed.values.get("json"):
        console.screen.write(f"{summary.json()}\n")
    elif layout is None:
        console.screen.write(summary.text(command=command))
    else:
        console.screen.write_lines(summary.lines(layout, command=command))


def _is_model(parsed: ParsedCommand) -> bool:
    """Whether the only input is a path that `model` takes."""
    inputs = load_arguments(parsed.values, parsed.paths) or {}
    return len(parsed.paths) == 1 and set(inputs) <= {"graph", "bind"}


_REPORT_SWITCHES = ("compat", "legend")
_REPORT_FLAGS = (Flag("json", "switch", "rows as JSON; the same as -output json"),)

SUMMARY = Command(
    "summary",
    "what was loaded and what costs most, on one screen",
    _summary,
    flags=(Flag("json", "switch", "the summary as JSON"),),
    examples="""\
Steps, memory, parameters and float operations, the costliest op types, scopes
and lines of code, the most valuable findings of advise, and what to type next.

  summary
  summary --json""",
)

VIEW_COMMANDS = (
    Command(
        "scope",
        "cost by name scope",
        _view,
        options=True,
        flags=_REPORT_FLAGS,
        switches=_REPORT_SWITCHES,
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
        flags=_REPORT_FLAGS,
        switches=_REPORT_SWITCHES,
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
        flags=_REPORT_FLAGS,
        switches=_REPORT_SWITCHES,
        examples="""\
Nodes of one op type, such as Conv2D, are summed. The two percentages are the
share of this row and all rows after it, and of this row alone.

  op -select micros,bytes,occurrence
  op -select float_ops -min_float_ops 1""",
    ),
    Command(
        "code",
        "cost by line of Python code",
        _view,
        options=True,
        flags=_REPORT_FLAGS,
        switches=_REPORT_SWITCHES,
        examples="""\
Nodes are grouped by the Python call stack that created them. It needs code
traces: an op log, or a profile that has them.

  code -max_depth 20 -show_name_regexes .*resnet.* -select micros""",
    ),
)

ADVISE = Command(
    "advise",
    "check for known problems and say what to do",
    _advise,
    metavar="[CHECKER]…",
    flags=(Flag("json", "switch", "findings as JSON"),),
    examples="""\
All checkers run unless some are named.

  advise
  advise ExpensiveOperationChecker --json""",
)
