"""A verdict for people: lines of text, and Markdown for a pull request."""

from __future__ import annotations

from tfprof.definitions.units import FORMATS
from tfprof.gates.verdict import Check, Outcome, ResponsibleRow, Verdict
from tfprof.runtime.printable import one_line

_MARKS = {Outcome.PASS: "pass", Outcome.OVER: "OVER", Outcome.INCONCLUSIVE: "?"}
_SYMBOLS = {Outcome.PASS: "✅", Outcome.OVER: "❌", Outcome.INCONCLUSIVE: "❔"}
_NONE = "-"


def verdict_text(verdict: Verdict) -> str:
    """The outcome, a line for each check, and the rows that are responsible."""
    compared = f"{verdict.base} ▸ {verdict.head}" if verdict.base else verdict.head
    lines = [one_line(f"{verdict.summary()} ({compared}, {verdict.budget})")]
    lines += [one_line(note) for note in verdict.notes]
    for check in verdict.checks:
        lines.append(one_line(f"{_MARKS[check.outcome]:<5} {check.title}: {describe(check)}"))
        if check.reason:
            lines.append(one_line(f"      {check.reason}"))
        lines += [f"      {row}" for row in row_lines(check)]
    return "\n".join(lines) + "\n"


def verdict_markdown(verdict: Verdict) -> str:
    """A heading with the outcome, a table of checks, and the rows that are responsible."""
    lines = [
        f"### {_SYMBOLS[verdict.outcome]} tfprof gate: {verdict.summary()}",
        "",
        "| | check | base | head | change | limit |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for check in verdict.checks:
        cells = (
            _SYMBOLS[check.outcome],
            _escape(check.title),
            format_number(check.base, check.unit),
            format_number(check.head, check.unit),
            _change(check.base, check.head) or _NONE,
            _escape(check.limit),
        )
        lines.append(f"| {' | '.join(cells)} |")
    for check in verdict.checks:
        if check.outcome == Outcome.PASS:
            continue
        lines += ["", f"**{_escape(check.title)}**: {check.outcome.text}"]
        if check.reason:
            lines[-1] += f" ({_escape(check.reason)})"
        lines += [f"- {_escape(row)}" for row in row_lines(check)]
    return "\n".join(lines) + "\n"


def describe(check: Check) -> str:
    """The numbers of a check: base, head, change and limit."""
    if check.head is None:
        return f"not judged; the limit is {check.limit}"
    head = format_number(check.head, check.unit)
    allowed = format_number(check.allowed, check.unit)
    limit = f"limit {check.limit}" + (f" = {allowed}" if check.limit[:1] in "+-" else "")
    if check.base is None:
        return f"{head}; {limit}"
    change = _change(check.base, check.head)
    medians = check.evidence.get("sum_of_medians")
    beside = f"; medians {medians['change']:+.1%}" if medians else ""
    return f"{format_number(check.base, check.unit)} ▸ {head} ({change}){beside}; {limit}"


def format_number(value: float | None, unit: str) -> str:
    """A count exactly, bytes exactly, a time as people read it."""
    if value is None:
        return _NONE
    if unit == "time":
        return FORMATS["time"](round(value))
    number = f"{value:,}" if value == int(value) else f"{value:,.1f}"
    number = number.removesuffix(".0")
    return f"{number} B" if unit == "memory" else number


def _change(base: float | None, head: float | None) -> str:
    if base is None or head is None:
        return ""
    if base == head:
        return "±0"
    return f"{head / base - 1:+.1%}" if base else "new"


def row_lines(check: Check) -> list[str]:
    """The rows that are responsible, one on a line."""
    return [one_line(_row(row, check.unit)) for row in check.rows]


def _row(row: ResponsibleRow, unit: str) -> str:
    source = f"  {row.source}" if row.source else ""
    if row.base is None:
        return f"{format_number(row.head, unit)}  {row.name}{source}"
    match = "" if row.match == "name" else f", {row.match}"
    numbers = f"{format_number(row.base, unit)} ▸ {format_number(row.head, unit)}"
    return f"+{format_number(row.delta, unit)}  {row.name} ({numbers}{match}){source}"


def _escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>|#" else char for char in one_line(text))
