"""The command `sql`: a query on the tables of a profile, or a prompt for several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import load_arguments, load_profile, path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.cli.start_arrow import start_arrow
from tfprof.errors import OptionError, TfprofError

if TYPE_CHECKING:
    from tfprof.api.profile import Profile
    from tfprof.sql.sql_result import SqlResult

PROMPT, _MORE = "sql> ", "...> "
_LEAVE = ("exit", "quit")


def _sql(console: Console, parsed: ParsedCommand) -> int:
    if console.compat:
        raise OptionError("'sql' is not in the original, whose answers --compat gives")
    if parsed.values.get("json") and "out" in parsed.values:
        raise OptionError("--json and --out are two outputs; give only one")
    paths, query = _split(parsed.arguments)
    profile = _profile(console, parsed, paths)
    if query:
        _answer(console, parsed, profile.sql(query))
        return 0
    if "out" in parsed.values:
        raise OptionError("--out needs a query, as in: tfprof run1 sql 'select * from steps'")
    return _answer_all(console, lambda text: _answer(console, parsed, profile.sql(text)))


def _split(arguments: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The files after the command, and the query, which has several words."""
    if arguments and len(arguments[-1].split()) > 1 and not os.path.lexists(arguments[-1]):
        return arguments[:-1], arguments[-1]
    return arguments, ""


def _profile(console: Console, parsed: ParsedCommand, paths: tuple[str, ...]) -> Profile:
    if not paths:
        return console.profile
    if console.is_shell:
        raise OptionError(f"'{paths[0]}' is no query; give one such as 'select * from steps'")
    start_arrow()
    arguments = load_arguments(parsed.values, (*parsed.paths, *paths))
    assert arguments is not None
    return load_profile(arguments, console.screen, compat=False)


def _answer(console: Console, parsed: ParsedCommand, result: SqlResult) -> None:
    if "out" not in parsed.values:
        console.screen.write(f"{result.json()}\n" if parsed.values.get("json") else result.text())
        return
    from tfprof.outputs.files import write_file

    path = path_of(parsed.values["out"])
    write_file(path, result.to_bytes(path))


def _answer_all(console: Console, answer: Callable[[str], None]) -> int:
    """Answer the queries of a terminal or a pipe; the status is that of the worst, or 0."""
    is_terminal = console.stdin is not None and console.stdin.isatty()
    lines = _prompt() if is_terminal else iter(console.stdin or ())
    if is_terminal:
        console.screen.info("Queries end with a semicolon; show tables; lists them; Ctrl-D leaves.")
    status = max((_try(console, answer, query) for query in _queries(lines)), default=0)
    return 0 if is_terminal else status


def _try(console: Console, answer: Callable[[str], None], query: str) -> int:
    """Answer a query; a failure is printed and returned as a status."""
    from tfprof.cli.flags import exit_status

    try:
        answer(query)
    except TfprofError as error:
        console.screen.error(str(error))
        return exit_status(error)
    return 0


def _queries(lines: Iterable[str]) -> Iterator[str]:
    """Queries from lines: a line that ends with a semicolon ends one, and so does the input."""
    pending: list[str] = []
    for line in lines:
        if not pending and line.strip().rstrip(";").lower() in _LEAVE:
            return
        if line.strip():
            pending.append(line)
        if line.rstrip().endswith(";"):
            yield "\n".join(pending)
            pending = []
    if pending:
        yield "\n".join(pending)


def _prompt() -> Iterator[str]:
    """The lines that a user types."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.output import create_output

    from tfprof.sql.tables import TABLES
    from tfprof.views import VIEWS

    words = [*TABLES, *(f"{view}_report" for view in VIEWS), *_KEYWORDS]
    session: PromptSession[str] = PromptSession(
        completer=WordCompleter(words, ignore_case=True),
        complete_while_typing=False,
        output=create_output(always_prefer_tty=True),
    )
    is_new = True
    while True:
        try:
            line = session.prompt(PROMPT if is_new else _MORE)
        except KeyboardInterrupt:
            is_new = True
            continue
        except EOFError:
            return
        is_new = not line.strip() or line.rstrip().endswith(";")
        yield line


_KEYWORDS = ("select", "from", "where", "group by", "order by", "limit", "join", "using")

SQL = Command(
    "sql",
    "query the tables of a profile with SQL",
    _sql,
    metavar="[QUERY]",
    flags=(
        Flag("json", "switch", "rows as JSON"),
        Flag("out", "path", "a file to write: .csv, .json, .parquet, .arrow or .txt", "FILE"),
    ),
    runs_program=True,
    examples="""\
The tables are nodes, edges, types, records, steps, memory, memory_peaks, frames
and scope_report, graph_report, op_report, code_report. Without a query it reads
queries from a prompt or a pipe. A query changes nothing and reads no files.
It needs DuckDB: pip install 'tfprof[sql]'.

  tfprof --demo sql "select op, sum(micros) from nodes group by op order by 2 desc"
  tfprof --demo sql "select step, elapsed, micros from steps" --json
  tfprof --demo sql "select * from records" --out records.parquet""",
)
