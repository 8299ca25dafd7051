"""What advice is made of: findings with the numbers behind them, by checker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tfprof.definitions.units import FORMATS
from tfprof.protos import output_pb2
from tfprof.runtime.printable import one_line

__all__ = ["Advice", "Amount", "Evidence", "Finding", "Result", "Saving", "Severity"]

Severity = Literal["info", "warning"]
Unit = Literal["time", "memory", "number", "share"]

_UNIT_NAMES = {"time": "microseconds", "memory": "bytes", "number": "", "share": ""}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and what it counts: microseconds, bytes, things, or a share of 1."""

    value: float
    unit: Unit

    def __str__(self) -> str:
        if self.unit == "share":
            return f"{100 * self.value:.1f}%"
        return FORMATS[self.unit](round(self.value))

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"value": self.value, "unit": _UNIT_NAMES[self.unit]}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row behind a finding: a node, op type, device or step, and its numbers."""

    name: str
    numbers: Mapping[str, Amount]
    op: str = ""
    device: str = ""
    source: str = ""
    """The line of Python that made the node, if the profile has code traces."""
    note: str = ""

    def __str__(self) -> str:
        numbers = (f"{name} {amount}" for name, amount in self.numbers.items())
        words = [self.op, self.device, *numbers, self.note]
        text = f"{self.name}: {', '.join(filter(None, words))}"
        return one_line(f"{text} ({self.source})" if self.source else text)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "name": self.name,
            "op": self.op,
            "device": self.device,
            "source": self.source,
            "note": self.note,
            "numbers": {name: amount.plain() for name, amount in self.numbers.items()},
        }


@dataclass(frozen=True, slots=True)
class Saving:
    """How much there is to gain at most."""

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
    stake: Saving | None = None
    told: bool = False
    """Whether the message already says all that the evidence does."""

    @property
    def backed(self) -> bool:
        """Whether there is a number behind it."""
        return self.stake is not None or any(row.numbers for row in self.evidence)

    def text(self) -> str:
        """The message, a line of evidence each, and the stake; names are on one line."""
        message = self.message
        for row in self.evidence:
            message = message.replace(row.name, one_line(row.name)) if row.name else message
        lines = [message, *(f"  {row}" for row in self.evidence if not self.told)]
        return "\n".join([*lines, f"  at stake: {self.stake}"] if self.stake else lines)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        stake = self.stake and {**self.stake.amount.plain(), "meaning": self.stake.meaning}
        return {
            "severity": self.severity,
            "message": self.message,
            "evidence": [row.plain() for row in self.evidence],
            "stake": stake,
        }


@dataclass(frozen=True, slots=True)
class Result:
    """What one checker found; `missing` says what it needs to run, `partly` to find more."""

    checker: str
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    failed: str = ""

    def lines(self) -> list[str]:
        """The findings, or that there are none, or why."""
        if self.failed:
            return [f"failed: {self.failed}"]
        if self.missing:
            return [f"not checked: needs {' and '.join(self.missing)}"]
        found = [finding.text() for finding in self.findings] or ["no findings"]
        return found + [f"not checked in part: needs {need}" for need in self.partly]


@dataclass(frozen=True, slots=True)
class Advice:
    """The results of checkers, by name. With `compat` it speaks as the original does."""

    results: tuple[Result, ...]
    messages: tuple[str, ...] = ()
    compat: bool = field(default=False, repr=False)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all checkers."""
        return tuple(finding for result in self.results for finding in result.findings)

    def __getitem__(self, checker: str) -> Result:
        """The result of a checker."""
        for result in self.results:
            if result.checker == checker:
                return result
        raise KeyError(checker)

    def text(self) -> str:
        """What is printed: the name of each checker and its reports below."""
        parts = []
        for result in self.results:
            lines = self._reports(result) if self.compat else result.lines()
            parts.append("".join([f"\n{result.checker}:\n", *(f"{line}\n" for line in lines)]))
        return "".join(parts)

    def proto(self) -> Any:
        """The AdviceProto: an entry per checker, with a text per finding."""
        message = output_pb2.AdviceProto()
        for result in self.results:
            message.checkers[result.checker].reports.extend(self._reports(result))
        return message

    def json(self) -> str:
        """Everything, numbers as numbers."""
        checkers = {
            result.checker: {
                "findings": [finding.plain() for finding in result.findings],
                "missing": list(result.missing),
                "missing_in_part": list(result.partly),
                "failed": result.failed,
            }
            for result in self.results
        }
        return json.dumps({"checkers": checkers, "messages": list(self.messages)}, indent=2)

    def _reports(self, result: Result) -> list[str]:
        if self.compat:
            return [finding.message for finding in result.findings]
        return [finding.text() for finding in result.findings]
