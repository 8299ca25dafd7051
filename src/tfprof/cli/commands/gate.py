"""The command `gate`: whether a change stays within a budget, as an exit status for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import INPUTS, parse_bind, path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.definitions.options import split_list
from tfprof.errors import OptionError, TfprofError

if TYPE_CHECKING:
    from tfprof.api.gate import Source
    from tfprof.gates.verdict import Verdict

_BUDGET = "tfprof.toml"


def _gate(console: Console, parsed: ParsedCommand) -> int:
    sources = [_source(text) for text in (*parsed.paths, *parsed.arguments)]
    budget = path_of(parsed.values.get("budget") or _BUDGET)
    bind = parse_bind(parsed.values.get("bind", ""))
    try:
        if parsed.values.get("init"):
            _init(console, sources, budget, bind)
            return 0
        verdict = _judge(sources, budget, bind)
        _write_files(verdict, parsed)
    except TfprofError as error:
        # 1 says that a change is over budget, and nothing else may say so.
        raise OptionError(str(error)) from error
    as_json = parsed.values.get("json")
    console.screen.write(f"{verdict.json()}\n" if as_json else verdict.text())
    return verdict.status


def _source(text: str) -> Source:
    """A file or folder, or several files of one profile with commas between them."""
    paths = [path_of(path) for path in split_list(text)]
    return paths if len(paths) > 1 else path_of(text)


def _judge(sources: list[Source], budget: Path, bind: dict[str, int]) -> Verdict:
    if len(sources) not in (1, 2):
        raise OptionError(
            "'gate' takes BASE and HEAD, a folder of tfprof.capture_pair, or HEAD alone if no "
            "limit is relative"
        )
    from tfprof.api.gate import gate

    return gate(*sources, budget=budget, bind=bind)


def _init(console: Console, sources: list[Source], budget: Path, bind: dict[str, int]) -> None:
    if len(sources) != 1:
        raise OptionError("'gate --init' takes one input, whose numbers become the limits")
    if budget.exists():
        raise OptionError(f"{budget}: is there already; delete it first, or name another --budget")
    from tfprof.api.gate import budget_from
    from tfprof.outputs.files import write_file

    text = budget_from(sources[0], bind)
    write_file(budget, text.encode())
    console.screen.write(text)
    console.screen.info(f"written to {budget}; lower or raise what should differ")


def _write_files(verdict: Verdict, parsed: ParsedCommand) -> None:
    from tfprof.outputs.files import write_file

    for flag, text in (("junit", verdict.junit), ("markdown", verdict.markdown)):
        if flag in parsed.values:
            if not parsed.values[flag]:
                raise OptionError(f"option '--{flag}': is empty; name a file to write to")
            write_file(path_of(parsed.values[flag]), text().encode())


GATE = Command(
    "gate",
    "compare a change with a budget; the exit status is for CI",
    _gate,
    where="flags",
    metavar="BASE HEAD",
    flags=(
        Flag("budget", "path", f"the limits, a TOML file (default {_BUDGET})", "FILE"),
        Flag("init", "switch", "write a budget with the numbers of one input as limits"),
        Flag("json", "switch", "the verdict as JSON"),
        Flag("junit", "path", "also write it as JUnit XML", "FILE"),
        Flag("markdown", "path", "also write a summary for a pull request", "FILE"),
    ),
    inputs={"bind": INPUTS["bind"].help},
    switches=(),
    examples="""\
The status is 0 if all limits hold, 1 if one is exceeded, 2 for bad input and 3 if
time or memory cannot be judged. Time is judged only from a folder that
tfprof.capture_pair wrote, or from eight processes on each side.

  tfprof gate my_saved_model --init
  tfprof gate my_saved_model my_saved_model
  tfprof gate my_saved_model my_saved_model --json --junit gate.xml""",
)
