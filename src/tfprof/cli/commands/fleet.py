"""The command `fleet`: ingest traces of many workers into a store, and ask about them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tfprof import demo
from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.cli.start_arrow import start_arrow
from tfprof.definitions.lookup import did_you_mean
from tfprof.errors import LoadError, OptionError
from tfprof.fleet.questions import ALWAYS, QUESTIONS

if TYPE_CHECKING:
    from tfprof.fleet.open_fleet import Fleet

_BAR = 24
_DEMO_ROWS = 5
_MAX_NAMED = 20
"""Files that are named one by one if they cannot be read; the others are counted."""


def _fleet(console: Console, parsed: ParsedCommand) -> None:
    if parsed.paths:
        raise OptionError(f"'fleet' comes first, as in: tfprof fleet ingest {parsed.paths[0]}")
    action, *arguments = parsed.arguments or ("",)
    is_demo = parsed.values.get("demo")
    if is_demo not in (None, False, True):
        raise OptionError(f"'fleet' has a demo of its own; leave out '{is_demo}'")
    if is_demo:
        arguments.append(str(demo.FLEET))
    if is_demo and not action:
        _ask_everything(console, parsed)
        return
    if action not in _ACTIONS:
        hint = did_you_mean(action, _ACTIONS) or f"; known are {', '.join(_ACTIONS)}"
        problem = f"'{action}' is no action" if action else "needs an action"
        raise OptionError(f"'fleet' {problem}{hint}")
    accepted = _accepted(action)
    for name in parsed.values:
        if name in _OWN and name not in accepted:
            known = ", ".join(f"--{flag}" for flag in accepted)
            raise OptionError(f"'fleet {action}' takes no option '--{name}'; it takes {known}")
    start_arrow()
    if action == "ingest":
        _ingest(console, parsed, arguments)
    elif action == "report":
        _report(parsed, arguments)
    else:
        _ask(console, parsed, action, arguments)


def _accepted(action: str) -> tuple[str, ...]:
    """The options that an action takes."""
    if action == "ingest":
        return _INGEST
    return (*_REPORT, *ALWAYS) if action == "report" else (*_ANSWERS, *QUESTIONS[action].options)


def _ask_everything(console: Console, parsed: ParsedCommand) -> None:
    """Print the answers to all questions about the bundled store."""
    given = [name for name in parsed.values if name in _OWN and name != "demo"]
    if given:
        raise OptionError(f"'fleet --demo' takes no option '--{given[0]}' without a question")
    start_arrow()
    from tfprof.fleet.open_fleet import open_fleet

    with open_fleet(demo.FLEET) as fleet:
        for name, question in QUESTIONS.items():
            answer = fleet.ask(name, limit=_DEMO_ROWS)
            console.screen.write(f"{name}: {question.help}\n\n{answer.text()}\n")


def _report(parsed: ParsedCommand, stores: list[str]) -> None:
    out = parsed.values.get("out")
    if not out:
        raise OptionError("'fleet report' needs --out: a file to write to, such as fleet.html")
    options = {name: parsed.values[name] for name in ALWAYS if name in parsed.values}
    with _open(parsed, "report", stores) as fleet:
        named = "--demo" if parsed.values.get("demo") else shlex.quote(stores[0])
        fleet.save_page(path_of(out), command=named, **options)


def _open(parsed: ParsedCommand, action: str, stores: list[str]) -> Fleet:
    """The store that is named, and the engine that is asked for."""
    if len(stores) != 1:
        raise OptionError(f"'fleet {action}' takes one store: tfprof fleet {action} STORE")
    from tfprof.fleet.open_fleet import open_fleet

    store = stores[0] if "://" in stores[0] else path_of(stores[0])
    values = parsed.values
    return open_fleet(store, values.get("engine", "duckdb"), memory=values.get("memory"))


def _ask(console: Console, parsed: ParsedCommand, question: str, stores: list[str]) -> None:
    values = parsed.values
    options = {name: values[name] for name in QUESTIONS[question].options if name in values}
    out = path_of(values["out"]) if values.get("out") else None
    with _open(parsed, question, stores) as fleet:
        answer = fleet.ask(question, **options)
    if out is not None:
        from tfprof.outputs.files import write_file

        write_file(out, answer.render(out.suffix))
    elif values.get("explain_sql"):
        console.screen.write(";\n\n".join(answer.statements) + ";\n")
    elif values.get("json"):
        console.screen.write(f"{answer.json()}\n")
    else:
        console.screen.write(answer.text())


def _ingest(console: Console, parsed: ParsedCommand, folders: list[str]) -> None:
    values = parsed.values
    if not folders:
        raise OptionError("'fleet ingest' needs a folder with traces of workers")
    for name, what in (("job", "a name for the job"), ("out", "the folder of the store")):
        if not values.get(name):
            raise OptionError(f"'fleet ingest' needs --{name}: {what}")
    processes = values.get("processes")
    if processes is not None and processes < 1:
        raise OptionError(f"option 'processes': {processes} is not a number such as 2")
    from tfprof.fleet.ingestion import ingest

    paths = {name: values.get(f"{name}_path") for name in ("graph", "op_log")}
    progress = console.screen.progress
    done = ingest(
        [path_of(folder) for folder in folders],
        job=values["job"],
        out=path_of(values["out"]),
        pattern=values.get("pattern", ""),
        **{name: path_of(path) if path else None for name, path in paths.items()},
        processes=processes,
        progress=lambda n, total: progress.update(_bar(n, total)) if progress else None,
    )
    console.screen.info(*done.skipped[:_MAX_NAMED])
    known = f", {done.known:,} were there already" if done.known else ""
    console.screen.write(
        f"{done.steps:,} steps with {done.records:,} records added to job "
        f"'{values['job']}'{known}\n"
    )
    if done.skipped:
        raise LoadError(f"{len(done.skipped):,} files could not be read and were left out")


def _bar(done: int, total: int) -> str:
    filled = _BAR * done // max(total, 1)
    return f"{'█' * filled}{'░' * (_BAR - filled)} {done:,} of {total:,} files"


_ACTIONS = ("ingest", "report", *QUESTIONS)
_INGEST = ("job", "out", "pattern", "processes", "graph_path", "op_log_path")
_REPORT = ("out", "engine", "memory", "demo")
_ANSWERS = ("json", "out", "explain_sql", "engine", "memory", "demo")
_FLAGS = (
    Flag("job", "text", "the job that the traces are of; questions: only this job", "NAME"),
    Flag("out", "path", "the store; the page; or a .json, .csv, .parquet or .txt", "PATH"),
    Flag(
        "pattern",
        "text",
        "where worker and step stand in paths, such as {worker}/run_meta_{step}",
        "PATTERN",
    ),
    Flag("processes", "integer", "how many processes read traces (default: one per core)", "N"),
    Flag("workers", "regexes", "only these workers", "REGEX,…"),
    Flag("steps", "text", "only from the first step to the one before the last", "FIRST:LAST"),
    Flag("limit", "integer", "how many rows (default 20); what stands out is always shown", "N"),
    Flag("json", "switch", "the answer as JSON"),
    Flag("explain_sql", "switch", "the SQL that answers the question"),
    Flag(
        "engine", "text", "duckdb (default), spark, or a master such as spark://host:7077", "NAME"
    ),
    Flag("memory", "text", "how much memory DuckDB may take (default 1GB)", "SIZE"),
)
_INPUTS = {
    "demo": "ask about a bundled store of two workers; without a question, all of them",
    "graph_path": "the graph of the job, for types and float operations",
    "op_log_path": "the op log of the job, for types and lines of code",
}
_OPTIONS = ("account_type_regexes", "show_name_regexes", "hide_name_regexes", "step")
"""The options of the views that questions take."""
_OWN = {flag.name for flag in _FLAGS} | set(_INPUTS) | set(_OPTIONS)


def _questions() -> str:
    return "\n".join(f"  {name:<12} {question.help}" for name, question in QUESTIONS.items())


FLEET = Command(
    "fleet",
    "traces of many workers: ingest them, ask about them",
    _fleet,
    where="flags",
    metavar="ingest DIR… | report STORE | QUESTION STORE",
    flags=_FLAGS,
    inputs=_INPUTS,
    switches=_OPTIONS,
    examples=f"""\
Ingest adds RunMetadata, XPlane traces and saved profiles. Worker and step come
from paths such as worker_3/run_meta_120, or from --pattern. What the store has
is not read again, so the same command resumes, or adds new steps.

  tfprof fleet ingest traces --job resnet --out store
  tfprof fleet ingest traces --job resnet --out store --graph_path graph.pb

{_questions()}

ops, step and lines also take -account_type_regexes, -show_name_regexes and
-hide_name_regexes of the views; step takes -step.

report writes a page for any browser with charts and all answers.

  tfprof fleet --demo
  tfprof fleet report fleet_store --out fleet.html
  tfprof fleet stragglers fleet_store
  tfprof fleet ops fleet_store --workers worker_1 -account_type_regexes .*Conv2D.*
  tfprof fleet step fleet_store -step 3 --json""",
)
