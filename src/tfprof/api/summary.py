"""A summary of a profile, as text of one screen and as plain numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tfprof.advisor import Finding
from tfprof.api.summary_text import summary_lines
from tfprof.flops.polynomial import Count, plain
from tfprof.memory.peaks import MemoryPeak
from tfprof.profiles.trace_facts import TraceFacts
from tfprof.resolve.time_totals import TimeTotals
from tfprof.runtime.printable import one_line
from tfprof.runtime.terminal import PLAIN, Line, Terminal, plain_text, shorten_name


@dataclass(frozen=True, slots=True)
class RankingEntry:
    """A row of a ranking; `depth` is 1 for a part of the row above it."""

    name: str
    value: Count
    share: float
    depth: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON; counts with symbols as text."""
        value = plain(self.value)
        return {"name": self.name, "value": value, "share": self.share, "depth": self.depth}


@dataclass(frozen=True, slots=True)
class Ranking:
    """What costs most, the largest first; `metric` is a word of `-select`."""

    title: str
    metric: str
    entries: tuple[RankingEntry, ...]
    within: str = ""
    """The scope that all entries are in; text shows it once."""
    shorten: Callable[[str, int], str] = shorten_name
    """How a name is made to fit."""

    def names(self) -> list[str]:
        """The names as text shows them, parts below the row that they belong to."""
        prefix = f"{self.within}/"
        return [
            "  " * entry.depth + one_line(entry.name.removeprefix(prefix)) for entry in self.entries
        ]


@dataclass(frozen=True, slots=True)
class FloatOps:
    """All float operations, and what they leave out or assume."""

    total: Count
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a profile has and what costs most in it. What was not loaded is in `missing`."""

    nodes: int
    loaded: str
    """What was loaded, in one line."""
    steps: Mapping[int, int]
    """Step -> microseconds from its first start to its last end."""
    micros: int
    """Time in ops as views have it: each node is averaged over the steps in which it runs."""
    totals: TimeTotals
    """The time of all steps: elapsed, busy on each device, summed over ops, and attributed."""
    trace: TraceFacts | None
    """What is known of the XPlane trace that the profile was read from, if it was."""
    memory_peaks: tuple[MemoryPeak, ...]
    params: int
    trainable_params: int | None
    """None if nothing says which are trainable."""
    float_ops: FloatOps
    op_types: Ranking
    scopes: Ranking
    lines_of_code: Ranking
    findings: tuple[Finding, ...]
    """The most valuable ones, at most one per checker."""
    commands: Mapping[str, str]
    """Commands to type next, and what each shows."""
    missing: tuple[str, ...]
    messages: tuple[str, ...]
    """What reports say about the profile beside their rows."""

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Summary: {self.loaded}>"

    def text(self, *, command: str = "tfprof …") -> str:
        """One screen of text; `command` is what stands before the commands to type next."""
        return plain_text(self.lines(PLAIN, command=command))

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain numbers."""
        rankings = {"op_types": self.op_types, "scopes": self.scopes, "lines": self.lines_of_code}
        return {
            "nodes": self.nodes,
            "loaded": self.loaded,
            "steps": [{"step": step, "micros": micros} for step, micros in self.steps.items()],
            "micros": self.micros,
            "totals": self.totals.to_dict(),
            "trace": self.trace.to_dict() if self.trace else None,
            "memory_peaks": [_peak_to_dict(peak) for peak in self.memory_peaks],
            "params": self.params,
            "trainable_params": self.trainable_params,
            "float_ops": plain(self.float_ops.total),
            "float_ops_notes": list(self.float_ops.notes),
            "metric": self.op_types.metric,
            **{
                name: [entry.to_dict() for entry in ranking.entries]
                for name, ranking in rankings.items()
            },
            "findings": [
                {"checker": finding.checker, **finding.to_dict()} for finding in self.findings
            ],
            "commands": list(self.commands),
            "missing": list(self.missing),
            "messages": list(self.messages),
        }

    def json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def lines(self, terminal: Terminal, *, command: str = "") -> list[Line]:
        """The lines for a terminal, with as many rows of each ranking as fit."""
        return summary_lines(self, terminal, command)


def _peak_to_dict(peak: MemoryPeak) -> dict[str, Any]:
    return {
        "device": peak.device,
        "bytes": peak.bytes,
        "step": peak.step,
        "micros": peak.micros,
        "estimated": not peak.recorded,
        "partial": peak.partial,
        "allocator": peak.allocator,
        "temporary_bytes": peak.temporary_bytes,
        "persistent_bytes": peak.persistent_bytes,
    }
