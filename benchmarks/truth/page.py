"""docs/truth.md, made from the findings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from benchmarks.truth.case import Case
from benchmarks.truth.cases import CASES, SECTIONS
from benchmarks.truth.remarks import INTRODUCTION, REMARKS
from benchmarks.truth.rows import COUNTERS, Row, row

__all__ = ["PAGE", "text", "wrong"]

PAGE = "docs/truth.md"


def text(folder: Path) -> str:
    """The whole page."""
    rows = {case.name: row(folder, case) for case in CASES}
    known = [one for one in rows.values() if one.ours]
    installed = {
        title for title in COUNTERS if any(one.others[title] is not None for one in rows.values())
    }
    parts = [INTRODUCTION, _versions(folder), "", _summary(known, installed), ""]
    for title, cases in SECTIONS.items():
        chosen = [rows[case.name] for case in cases if rows[case.name].ours]
        if chosen:
            parts += [f"## {title}", "", _table(chosen, installed), ""]
    parts += [REMARKS, _notes(known), "", "## Formulas", "", _formulas(known), ""]
    return "\n".join(parts).rstrip() + "\n"


def wrong(folder: Path, cases: Iterable[Case]) -> list[str]:
    """Where ours is not the truth."""
    found = []
    for one in (row(folder, case) for case in cases):
        if not one.exact:
            found.append(f"{one.case.name}: {one.ours.get('shown')} is not {one.truth}")
        if not one.complete:
            found.append(f"{one.case.name}: {one.ours.get('ledger')}")
        if not one.same_params:
            found.append(f"{one.case.name}: parameters are {one.ours.get('params')}")
    return found


def _versions(folder: Path) -> str:
    place = folder / "versions.json"
    known = json.loads(place.read_text()) if place.exists() else {}
    return ", ".join(f"{name} {version}" for name, version in sorted(known.items())) + "."


def _summary(rows: list[Row], installed: set[str]) -> str:
    total = len(rows)
    lines = [
        ["", "rows", "right"],
        ["tfprof: matmuls and convolutions exact", str(total), str(sum(one.exact for one in rows))],
        ["tfprof: ledger complete", str(total), str(sum(one.complete for one in rows))],
        [
            "tfprof: parameters, trainable and not",
            str(total),
            str(sum(one.same_params for one in rows)),
        ],
    ]
    for title in COUNTERS:
        verdicts = [verdict for one in rows if (verdict := one.near(title)) is not None]
        counts = [str(len(verdicts)), str(sum(verdicts))]
        lines.append([title, *(counts if title in installed else ["not installed", ""])])
    return _markdown(lines)


def _table(rows: list[Row], installed: set[str]) -> str:
    titles = ["case", "expected", "tfprof", "ledger", "element-wise", "parameters", *COUNTERS]
    return _markdown([titles, *(_cells(one, installed) for one in rows)])


def _cells(one: Row, installed: set[str]) -> list[str]:
    ours = one.ours
    if "failed" in ours:
        return [one.case.name, f"{one.truth:,}", f"**{ours['failed']}**"]
    count = f"{ours['contractions']:,}"
    nodes = ours["counted"] + ours["free"]
    return [
        one.case.name,
        f"{one.truth:,}",
        f"= {ours['shown']}" if one.exact else f"**{count}**",
        f"complete: {nodes:,}" if one.complete else f"**{ours['ledger']}**",
        f"{ours['elementwise']:,}",
        _params(one),
        *(_other(one, title, installed) for title in COUNTERS),
    ]


def _params(one: Row) -> str:
    if not one.same_params:
        pairs = (f"{kind['params']:,}/{kind['trainable']:,}" for kind in (one.ours, one.model))
        return f"**{' not '.join(pairs)}**"
    fixed = one.model["params"] - one.model["trainable"]
    return f"= {one.model['params']:,}" + (f" ({fixed:,} fixed)" if fixed else "")


def _other(one: Row, title: str, installed: set[str]) -> str:
    value = one.others[title]
    if value is None:
        return "-" if title in installed or one.case.kind == "function" else "not installed"
    if isinstance(value, str):
        return value
    return f"{value:,}" if value == one.truth else f"{value:,} ({value / one.truth:.0%})"


def _notes(rows: list[Row]) -> str:
    lines = [f"- {one.case.name}: {note}" for one in rows for note in one.ours.get("notes", ())]
    return "\n".join(["Notes of tfprof on what it assumed:", "", *(lines or ["- none"])])


def _formulas(rows: list[Row]) -> str:
    lines = [["case", "float operations, each unknown size = 1"]]
    lines += [[one.case.name, one.case.formula] for one in rows]
    return _markdown(lines)


def _markdown(lines: list[list[str]]) -> str:
    rule = ["---", *("---:" for _ in lines[0][1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))
