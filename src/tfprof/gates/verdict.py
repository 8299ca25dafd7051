"""The verdict of a gate: a check of each limit, with the rows that are responsible."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import Any


class Outcome(IntEnum):
    """What a check found; the value is the exit status of a gate."""

    PASS = 0
    OVER = 1
    INCONCLUSIVE = 3

    @property
    def text(self) -> str:
        """As it is shown."""
        return {0: "pass", 1: "over budget", 3: "inconclusive"}[self]


@dataclass(frozen=True, slots=True)
class ResponsibleRow:
    """A node, op or layer whose number grew, or one of the largest if there is no base."""

    name: str
    base: float | None
    head: float
    match: str = ""
    """How it was matched: name, rename or added."""
    source: str = ""
    """The line of user code that created it."""

    @property
    def delta(self) -> float:
        """What it grew by; all of it if there is no base."""
        return self.head - (self.base or 0)


@dataclass(frozen=True, slots=True)
class Check:
    """One limit of a budget and what was found.

    Numbers are counts, bytes or microseconds, by `unit`; None where they are not known. `reason`
    says why a check is inconclusive, or what a time rests on.
    """

    key: str
    part: str
    name: str
    unit: str
    limit: str
    outcome: Outcome
    base: float | None = None
    head: float | None = None
    allowed: float | None = None
    reason: str = ""
    rows: tuple[ResponsibleRow, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What is limited, such as `params of scope block3`."""
        return self.key if self.part == "whole" else f"{self.key} of {self.part} {self.name}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The checks of all limits in the order of the budget."""

    checks: tuple[Check, ...]
    budget: str
    base: str
    head: str
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Over budget if one check is; else inconclusive if one is."""
        outcomes = {check.outcome for check in self.checks}
        for outcome in (Outcome.OVER, Outcome.INCONCLUSIVE):
            if outcome in outcomes:
                return outcome
        return Outcome.PASS

    @property
    def status(self) -> int:
        """The exit status of the command."""
        return int(self.outcome)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __repr__(self) -> str:
        return f"<Verdict: {self.summary()}>"

    def __str__(self) -> str:
        return self.text()

    def summary(self) -> str:
        """The outcome and how many checks have it, in one line."""
        outcome, count = self.outcome, len(self.checks)
        same = [check for check in self.checks if check.outcome == outcome]
        return f"{outcome.text}: {len(same)} of {count} check{'s' if count > 1 else ''}"

    def text(self) -> str:
        """What `tfprof gate` prints."""
        from tfprof.gates.verdict_text import verdict_text

        return verdict_text(self)

    def markdown(self) -> str:
        """A summary for a pull request."""
        from tfprof.gates.verdict_text import verdict_markdown

        return verdict_markdown(self)

    def junit(self) -> str:
        """JUnit XML, which CI systems show as tests."""
        from tfprof.gates.junit import verdict_junit

        return verdict_junit(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain values."""
        return {
            "outcome": self.outcome.text,
            "status": self.status,
            "budget": self.budget,
            "base": self.base,
            "head": self.head,
            "notes": list(self.notes),
            "checks": [
                {
                    **{k: v for k, v in asdict(check).items() if k != "rows"},
                    "outcome": check.outcome.text,
                    "rows": [{**asdict(row), "delta": row.delta} for row in check.rows],
                }
                for check in self.checks
            ],
        }

    def json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.to_dict(), indent=2)
