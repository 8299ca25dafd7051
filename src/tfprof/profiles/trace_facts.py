"""What is known of the trace that a profile was read from: its events, its level, its gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ALLOCATIONS = "allocations"
"""The kind of the events that an allocator recorded."""
_FEW_KINDS = 4
_NO_RECORDS = {
    False: "no allocator records, so bytes are unknown",
    True: "no allocator records: bytes are those of XLA's buffer assignment",
}


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """How many events of each kind a trace has, and which of them a profile is made of."""

    used: Mapping[str, int] = field(default_factory=dict)
    """Kind -> number of the events that a profile is made of."""
    ignored: Mapping[str, int] = field(default_factory=dict)
    """Kind -> number of the events that it does not need."""
    level: int = 0
    """The level of the host's tracer, 0 if the trace does not say it. Level 3 records all ops."""
    hosts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What is missing or was left out, a sentence each."""
    batch_sizes: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """Step -> outermost scope -> the batch size that ran, where the graph leaves it open."""
    has_buffer_assignment: bool = False
    """Whether compiled programs say which memory they allocate."""
    threads: tuple[str, ...] = ()
    """The names of the threads and streams of all hosts, in the order in which records count them.

    Their names need not be distinct.
    """

    @property
    def read(self) -> int:
        """How many events were read."""
        return sum(self.used.values()) + sum(self.ignored.values())

    @property
    def has_allocations(self) -> bool:
        """Whether an allocator recorded anything; otherwise bytes are unknown."""
        return self.used.get(ALLOCATIONS, 0) > 0

    def describe(self) -> str:
        """One line: how many events were read, used and ignored, the level, and memory."""
        events = [f"{self.read:,} events read", _count("used", self.used)]
        events += [_count("ignored", self.ignored)] if self.ignored else []
        parts = [f"trace level {self.level or 'unknown'}", ", ".join(events)]
        if not self.has_allocations:
            parts.append(_NO_RECORDS[self.has_buffer_assignment])
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "events": self.read,
            "used": dict(self.used),
            "ignored": dict(self.ignored),
            "level": self.level,
            "hosts": list(self.hosts),
            "notes": list(self.notes),
            "batch_sizes": {str(step): dict(sizes) for step, sizes in self.batch_sizes.items()},
            "has_buffer_assignment": self.has_buffer_assignment,
            "threads": list(self.threads),
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> TraceFacts:
        """The facts that `to_dict` gave; a ValueError, KeyError or TypeError if it did not."""
        used, ignored = (facts[key] for key in ("used", "ignored"))
        hosts, notes, level = (facts[key] for key in ("hosts", "notes", "level"))
        if not (isinstance(used, dict) and isinstance(ignored, dict)):
            raise TypeError("the events of the trace are not counted by kind")
        if not (isinstance(hosts, list) and isinstance(notes, list)):
            raise TypeError("the hosts and notes of the trace are not lists")
        if not all(type(n) is int for n in (*used.values(), *ignored.values(), level)):
            raise TypeError("the counts of the trace are not numbers")
        batches = facts.get("batch_sizes", {})
        if not isinstance(batches, dict):
            raise TypeError("the batch sizes of the trace are not listed by step")
        sizes = {int(step): {**of} for step, of in batches.items()}
        if not all(type(n) is int and n > 0 for of in sizes.values() for n in of.values()):
            raise TypeError("the batch sizes of the trace are not numbers")
        threads = facts.get("threads", [])
        if not isinstance(threads, list):
            raise TypeError("the threads of the trace are not a list")
        return cls(
            used=used,
            ignored=ignored,
            level=level,
            hosts=tuple(map(str, hosts)),
            notes=tuple(map(str, notes)),
            batch_sizes=sizes,
            has_buffer_assignment=facts.get("has_buffer_assignment", False) is True,
            threads=tuple(map(str, threads)),
        )


def _count(verb: str, kinds: Mapping[str, int]) -> str:
    """How many events, and how many of the most frequent kinds."""
    ranked = sorted((item for item in kinds.items() if item[1]), key=lambda item: -item[1])
    shown = [f"{kind} {number:,}" for kind, number in ranked[:_FEW_KINDS]]
    rest = sum(number for _, number in ranked[_FEW_KINDS:])
    shown += [f"others {rest:,}"] if rest else []
    return f"{sum(kinds.values()):,} {verb}" + (f" ({', '.join(shown)})" if shown else "")
