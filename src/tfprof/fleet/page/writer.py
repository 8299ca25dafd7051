"""Put a page of a store together: charts, and the answers to all questions beside them.

The page opens from disk without a network. Its policy allows only its own script and style. The
data is compressed and base64, so that no name can end it.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfprof.definitions.units import SCALES
from tfprof.errors import LoadError, OutputError
from tfprof.fleet.answer import Answer, text_columns
from tfprof.fleet.page.charts import PERCENTS, make_charts
from tfprof.fleet.questions import ALWAYS, QUESTIONS
from tfprof.fleet.selection import make_selection
from tfprof.outputs.html.blocks import compress, encode_json
from tfprof.outputs.html.writer import MAX_BYTES, element

if TYPE_CHECKING:
    from tfprof.fleet.open_fleet import Fleet

_SHELL = Path(__file__).with_name("page.html")
_DATA_COMMENT = "<!--data-->"


def page_bytes(fleet: Fleet, options: Mapping[str, Any], *, command: str) -> bytes:
    """A whole page; `command` is how the store is named on the command line."""
    data = element("page", compress(encode_json(describe_page(fleet, options, command=command))))
    if len(data) > MAX_BYTES:
        raise OutputError(
            f"the page would be larger than {MAX_BYTES // 10**6} MB; give --job, or a smaller "
            "--limit"
        )
    before, _, after = _shell().partition(_DATA_COMMENT)
    return f"{before}{data}{after}".encode()


@cache
def _shell() -> str:
    """The page without data, as it was built."""
    return _SHELL.read_text(encoding="utf-8")


def describe_page(fleet: Fleet, options: Mapping[str, Any], *, command: str) -> dict[str, Any]:
    """Everything that a page shows."""
    tables = fleet.tables(make_selection(options, ALWAYS, "report"))
    jobs = make_charts(tables)
    suffix = f"{command}{_arguments(options)}"
    return {
        "scales": SCALES,
        "percents": PERCENTS,
        "command": f"tfprof fleet report {suffix}",
        "notes": _notes(len(jobs), len(tables.contents)),
        "jobs": jobs,
        "answers": [
            {
                "name": name,
                "help": question.help,
                "command": f"tfprof fleet {name} {suffix}",
                **_answer(fleet, name, options),
            }
            for name, question in QUESTIONS.items()
        ],
    }


def _notes(drawn: int, count: int) -> list[str]:
    if drawn == count:
        return []
    return [f"charts of the first {drawn} of {count:,} jobs; --job NAME shows another"]


def _answer(fleet: Fleet, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The texts of an answer; what cannot be answered says why."""
    try:
        answer: Answer = fleet.ask(name, **options)
    except LoadError as error:
        return {"findings": [], "nothing": str(error), "notes": [], "columns": [], "marked": []}
    return {
        "findings": answer.findings,
        "nothing": answer.nothing,
        "notes": answer.notes,
        "columns": [
            {"name": column.name, "isNumber": column.is_number, "cells": column.cells}
            for column in text_columns(answer.rows)
        ],
        "marked": [bool(verdict) for verdict in answer.rows.column("verdict").to_pylist()],
    }


def _arguments(options: Mapping[str, Any]) -> str:
    """The options as they are typed."""
    words = []
    for name, value in options.items():
        if value is None:
            continue
        if name == "steps" and not isinstance(value, str):
            value = f"{value[0]}:{value[1]}"
        elif not isinstance(value, (str, int)):
            value = ",".join(value)
        words.append(f" --{name} {shlex.quote(str(value))}")
    return "".join(words)
