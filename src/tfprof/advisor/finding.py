"""What advice consists of: findings, with the numbers behind them, by checker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tfprof.definitions.lookup import Lookup
from tfprof.definitions.units import FORMATS
from tfprof.protos import output_pb2
from tfprof.runtime.printable import one_line

Severity = Literal["info", "warning"]
Unit = Literal["time", "memory", "number", "share"]

_UNIT_NAMES = {"time": "microseconds", "memory": "bytes", "number": "", "share": ""}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and its unit: microseconds, bytes, a count, or a fraction."""

    value: float
    unit: Unit

    def __str__(self) -> str:
        if self.unit == "share":
            return f"{100 * self.value:.1f}%"
        return FORMATS[self.unit](round(self.value))

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"value": self.value, "unit": _UNIT_NAMES[self.unit]}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row of evidence for a finding: a node, op type, device or step, and its numbers."""

    name: str
    numbers: Mapping[str, Amount]
    op: str = ""
    device: str = ""
    source: str = ""
    """The user's line of code that created the node, if the profile has code traces."""
    note: str = ""

    def __str__(self) -> str:
        numbers = (f"{name} {amount}" for name, amount in self.numbers.items())
        details = [self.op, self.device, *numbers, self.note]
        text = f"{self.name}: {', '.join(filter(None, details))}"
        return one_line(f"{text} ({self.source})" if self.source else text)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": self.name,
            "op": self.op,
            "device": self.device,
            "source": self.source,
            "note": self.note,
            "numbers": {name: amount.to_dict() for name, amount in self.numbers.items()},
        }


@dataclass(frozen=True, slots=True)
class Impact:
    """How much time, memory or other resource a finding is about."""

    amount: Amount
    meaning: str

    def __str__(self) -> str:
        return f"{self.amount} {self.meaning}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of advice."""

    checker: str
    severity: Severity
    message: str
    evidence: tuple[Evidence, ...] = ()
    impact: Impact | None = None
    message_has_evidence: bool = False
    """Whether the message already lists the evidence, so that the text does not repeat it."""

    @property
    def has_number(self) -> bool:
        """Whether there is a number in its evidence or impact."""
        return self.impact is not None or any(row.numbers for row in self.evidence)

    def text(self) -> str:
        """The message, a line for each row of evidence, and the impact. Names are on one line."""
        message = self.message
        for row in self.evidence:
            message = message.replace(row.name, one_line(row.name)) if row.name else message
        lines = [message, *(f"  {row}" for row in self.evidence if not self.message_has_evidence)]
        return "\n".join([*lines, f"  potential impact: {self.impact}"] if self.impact else lines)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        impact = self.impact and {**self.impact.amount.to_dict(), "meaning": self.impact.meaning}
        return {
            "severity": self.severity,
            "message": self.message,
            "evidence": [row.to_dict() for row in self.evidence],
            "impact": impact,
        }


@dataclass(frozen=True, slots=True)
class Result:
    """What one checker found.

    `missing` names the data without which it does not run, `missing_in_part` that without which it
    finds less.
    """

    checker: str
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    missing_in_part: tuple[str, ...] = ()
    failed: str = ""

    def lines(self) -> list[str]:
        """The findings, or why there are none."""
        if self.failed:
            return [f"failed: {self.failed}"]
        if self.missing:
            return [f"not checked: needs {' and '.join(self.missing)}"]
        lines = [finding.text() for finding in self.findings] or ["no findings"]
        return lines + [f"partly checked: needs {data}" for data in self.missing_in_part]


@dataclass(frozen=True, slots=True, repr=False)
class Advice:
    """The results of checkers, by name; with `compat` in the words of the original.

    Printed it is its text; its `repr` is a short summary.
    """

    results: tuple[Result, ...]
    messages: tuple[str, ...] = ()
    compat: bool = False

    def __str__(self) -> str:
        return self.text().strip("\n")

    def __repr__(self) -> str:
        findings, checkers = len(self.findings), len(self.results)
        count = "1 finding" if findings == 1 else f"{findings:,} findings"
        return f"<Advice: {count} of {checkers} checker{'s' if checkers != 1 else ''}>"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all checkers."""
        return tuple(finding for result in self.results for finding in result.findings)

    def __getitem__(self, checker: str) -> Result:
        """The result of a checker."""
        return Lookup({result.checker: result for result in self.results}, "checker")[checker]

    def text(self) -> str:
        """The text to print: the name of each checker, then its findings."""
        parts = []
        for result in self.results:
            lines = self._reports(result) if self.compat else result.lines()
            parts.append("".join([f"\n{result.checker}:\n", *(f"{line}\n" for line in lines)]))
        return "".join(parts)

    def proto(self) -> Any:
        """An AdviceProto with an entry per checker and a text per finding."""
        message = output_pb2.AdviceProto()
        for result in self.results:
            texts = (text.encode(errors="surrogateescape") for text in self._reports(result))
            reports = message.checkers[result.checker].reports
            reports.extend(text.decode(errors="replace") for text in texts)
        return message

    def json(self) -> str:
        """Everything as JSON, numbers as numbers."""
        checkers = {
            result.checker: {
                "findings": [finding.to_dict() for finding in result.findings],
                "missing": list(result.missing),
                "missing_in_part": list(result.missing_in_part),
                "failed": result.failed,
            }
            for result in self.results
        }
        return json.dumps({"checkers": checkers, "messages": list(self.messages)}, indent=2)

    def _reports(self, result: Result) -> list[str]:
        if self.compat:
            return [finding.message for finding in result.findings]
        return [finding.text() for finding in result.findings]
