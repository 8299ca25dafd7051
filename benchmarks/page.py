"""docs/performance.md, made from the numbers of the runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.targets import Row, rows

__all__ = ["PAGE", "table_of", "write_page"]

PAGE = "docs/performance.md"
_ROOT = Path(__file__).resolve().parent.parent
_TITLES = ("", "original", "ours", "ratio", "of CPU time", "target", "", "ours, not compat")
_TEXT_COLUMNS = (0, 6)  # columns of words, not numbers

_INTRODUCTION = """# Performance

Made by `python -m benchmarks --page`; do not edit. The original is the tfprof inside TensorFlow; \
both read the same files, each in processes of its own, in one run. Ratios are the original's time \
(or memory) divided by ours in `compat`, which prints the same bytes. The ratio of CPU time is \
disturbed less by other work on the machine; where the two differ much, the machine was busy.

- *files to profile*: graph and op log (*load*) and all steps, from files to a ready profile.
- *first*, *again*: a view written to a file, on a profile nobody asked anything yet, and repeated.
  *all columns* selects everything there is.
- *message*: the result as a Python message, from a loaded profile; *one-shot*: the same by
  `profile()`, with reading the files.
- *timeline*: one step of graph view, right after loading in a process of its own, and *again*.
- *start to op view*: from starting the process to op view printed, imports included.
- *start*, *ready*, *views*, *serialized*: peak memory of the process up to there.

Our processes call `tfprof.runtime.malloc.tune_malloc()` once, as the command does for itself; the
library never does. Without it loading takes up to 1.25 times as long.
"""


def write_page(folder: Path) -> None:
    """Write the page from every size that was measured."""
    runs = [json.loads(path.read_text()) for path in folder.glob("*.json")]
    runs.sort(key=lambda run: run["size"])
    parts = [_INTRODUCTION, *map(_section, runs)]
    path = _ROOT / PAGE
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(parts))


def _section(run: dict[str, Any]) -> str:
    table = rows(run["size"], run["results"])
    machine = ", ".join(f"{name} {value}" for name, value in run["machine"].items())
    missed = [row.name for row in table if row.reached is False]
    verdict = f"Not reached: {', '.join(missed)}." if missed else "Every target is reached."
    if all(row.reached is None for row in table):
        verdict = "Only ours was measured, so that no target is judged."
    failures = [
        f"- {who}, {name}: {reason}"
        for who, kinds in run["results"].items()
        for name, reason in kinds.get("failures", {}).items()
    ]
    steps = "1 step" if run["steps"] == 1 else f"{run['steps']} steps"
    lines = [f"## {run['size']:,} nodes, {steps}", "", f"{machine}.", "", verdict, ""]
    lines += [table_of(table), ""]
    if failures:
        lines += ["Not measured:", "", *failures, ""]
    return "\n".join(lines)


def table_of(table: list[Row]) -> str:
    """A Markdown table that also reads well in a terminal; rows without numbers are left out."""
    cells = [list(_TITLES)]
    cells += [_cells(row) for row in table if row.original is not None or row.ours is not None]
    widths = [max(len(line[i]) for line in cells) for i in range(len(_TITLES))]
    lines = [f"| {' | '.join(map(_padded, line, widths, range(len(line))))} |" for line in cells]
    rule = [f"{'-' * (w + 1)}{'-' if i in _TEXT_COLUMNS else ':'}" for i, w in enumerate(widths)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def _padded(cell: str, width: int, i: int) -> str:
    return cell.ljust(width) if i in _TEXT_COLUMNS else cell.rjust(width)


def _cells(row: Row) -> list[str]:
    target = f"≥ {row.target:g}" if row.target else ""
    if row.limit is not None:
        target = f"≤ {row.limit:.3g} s"
    mark = {True: "reached", False: "**not reached**", None: ""}[row.reached]
    ratios = [f"{ratio:.1f}" if ratio else "" for ratio in (row.ratio, row.processor_ratio)]
    values = [_number(value, row.unit) for value in (row.original, row.ours)]
    return [row.name, *values, *ratios, target, mark, _number(row.repaired, row.unit)]


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "MB":
        return f"{value:,.0f} MB"
    return f"{value:.2f} s" if value >= 10 else f"{value:.3f} s"
