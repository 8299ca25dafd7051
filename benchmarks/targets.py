"""What is asked for, as ratios of the original's time to ours; and how a result is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from benchmarks.session import VIEWS

__all__ = ["LARGE", "SMALL", "Row", "rows"]

SMALL, LARGE = 20_000, 200_000  # nodes from which on the first and second target hold

# name: least ratio below LARGE nodes and from there on
_VIEW_TARGETS = {"first": (8.0, 10.0), "again": (10.0, 15.0), "message": (2.0, 2.0)}


@dataclass(frozen=True, slots=True)
class Row:
    """A measure of both; `target` is the least ratio, or the most seconds of ours."""

    name: str
    original: float | None
    ours: float | None
    repaired: float | None = None
    target: float | None = None
    unit: str = "s"
    limit: float | None = None
    processor: tuple[float | None, float | None] = (None, None)

    @property
    def ratio(self) -> float | None:
        """How many times as much the original takes."""
        if self.original is None or not self.ours:
            return None
        return self.original / self.ours

    @property
    def processor_ratio(self) -> float | None:
        """The same of processor time, which other work on the machine disturbs less."""
        original, ours = self.processor
        return original / ours if original is not None and ours else None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; nothing if there is none, or nothing to compare."""
        if self.limit is not None and self.ours is not None:
            return self.ours <= self.limit
        if self.target is None or self.original is None:
            return None
        return self.ratio is not None and self.ratio >= self.target


def rows(size: int, results: Mapping[str, Mapping[str, Mapping[str, float | None]]]) -> list[Row]:
    """The rows of the table from the results of each subject, by measure."""
    is_large = size >= LARGE

    def row(name: str, target: tuple[float, float] | None = None, unit: str = "s") -> Row:
        kind = "seconds" if unit == "s" else "megabytes"
        values = [
            results.get(who, {}).get(kind, {}).get(name) for who in ("original", "ours", "repaired")
        ]
        cpu = [results.get(who, {}).get("cpu", {}).get(name) for who in ("original", "ours")]
        wanted = target[is_large] if target and size >= SMALL else None
        measured = Row(name, *values, target=wanted, unit=unit)
        return measured if unit == "MB" else replace(measured, processor=(cpu[0], cpu[1]))

    table = [row("files to profile", (10.0, 15.0)), row("load"), row("step 0"), row("step 1")]
    for when in ("first", "again", "all columns"):
        table += [row(f"{view} {when}", _VIEW_TARGETS.get(when)) for view in VIEWS]
    table.append(row("serialize", (5.0, 5.0)))
    table += [row(f"{view} message", _VIEW_TARGETS["message"]) for view in VIEWS]
    table += [row(f"{view} one-shot", _VIEW_TARGETS["message"]) for view in VIEWS]
    timeline = row("timeline", (50.0, 50.0))
    if timeline.original is None and is_large:
        timeline = Row(timeline.name, None, timeline.ours, timeline.repaired, limit=10.0)
    table += [timeline, row("timeline again"), row("advise"), row("start to op view", (10.0, 15.0))]
    table += [row(name, unit="MB") for name in ("start", "ready", "views")]
    table.append(row("serialized", (4.0, 5.0), "MB"))
    form = results.get("ours", {}).get("seconds", {})
    binary, text = form.get("graph.pb"), form.get("graph.pbtxt")
    if binary is not None and text is not None:
        table.append(Row("text graph (at most 3 times binary)", None, text, limit=3 * binary))
    return table
