"""A verdict as JUnit XML: a test case for each check."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from tfprof.gates.verdict import Check, Outcome, Verdict
from tfprof.gates.verdict_text import describe, row_lines

_ELEMENTS = {Outcome.OVER: "failure", Outcome.INCONCLUSIVE: "skipped"}


def verdict_junit(verdict: Verdict) -> str:
    """The checks as test cases: over budget is a failure, inconclusive is skipped."""
    counts = {
        name: sum(check.outcome == outcome for check in verdict.checks)
        for outcome, name in _ELEMENTS.items()
    }
    numbers = (
        f'tests="{len(verdict.checks)}" failures="{counts["failure"]}" errors="0" '
        f'skipped="{counts["skipped"]}"'
    )
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="tfprof gate" {numbers}>',
        f'  <testsuite name="tfprof gate" {numbers}>',
        *(line for check in verdict.checks for line in _case(check)),
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(check: Check) -> list[str]:
    name = quoteattr(_clean(check.title))
    start = f"    <testcase classname={quoteattr(f'tfprof.{check.part}')} name={name}"
    if check.outcome == Outcome.PASS:
        return [f"{start}/>"]
    element = _ELEMENTS[check.outcome]
    message = "; ".join(filter(None, (describe(check), check.reason)))
    text = escape(_clean("\n".join(row_lines(check))))
    return [
        f"{start}>",
        f"      <{element} message={quoteattr(_clean(message))}>{text}</{element}>",
        "    </testcase>",
    ]


def _clean(text: str) -> str:
    """Text without the characters that XML cannot have."""
    return "".join(
        char
        if char in "\t\n\r"
        or " " <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufffd"
        or char >= "\U00010000"
        else "\ufffd"
        for char in text
    )
