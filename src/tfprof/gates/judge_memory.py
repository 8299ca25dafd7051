"""Judge the peak of recorded allocations, of all steps on both sides."""

from __future__ import annotations

from dataclasses import replace

from tfprof.definitions.quirks import REPAIRED
from tfprof.gates.budget import BudgetEntry
from tfprof.gates.sides import Side, Sides
from tfprof.gates.verdict import Check, Outcome, ResponsibleRow
from tfprof.memory.peaks import MemoryPeak, step_memory
from tfprof.resolve import resolve

_NOTHING = "no allocation was recorded on the {} side; capture steps with allocations"


def judge_memory(sides: Sides, entry: BudgetEntry) -> Check:
    """Over budget if every step of the head is, or one is over an absolute limit.

    Steps differ, since ops run in any order: some above and some below what the base allows are
    inconclusive.
    """
    head = _peaks(sides.head)
    base = _peaks(sides.base) if sides.base else []
    check = Check(
        entry.key.name,
        entry.part,
        entry.name,
        entry.key.unit,
        entry.limit.text,
        Outcome.INCONCLUSIVE,
    )
    if not head or (entry.limit.is_relative and not base):
        return replace(check, reason=_NOTHING.format("head" if not head else "base"))
    before = max((peak.bytes for peak in base), default=None)
    allowed = entry.limit.allowed(before or 0)
    highest = max(head, key=lambda peak: peak.bytes)
    lowest = min(peak.bytes for peak in head)
    over = highest.bytes > allowed
    outcome, reason = Outcome.PASS, f"{len(head)} steps of the head"
    if over and (not entry.limit.is_relative or lowest > allowed):
        outcome = Outcome.OVER
    elif over:
        outcome = Outcome.INCONCLUSIVE
        reason = "only some steps are over the limit; capture more of them"
    if highest.partial:
        reason += "; large blocks only, so that these are lower bounds"
    rows: tuple[ResponsibleRow, ...] = ()
    if outcome != Outcome.PASS:
        of_base = max(base, key=lambda peak: peak.bytes).node_bytes if base else None
        rows = sides.responsible(of_base, highest.node_bytes, highest.node_bytes > 0)
    return replace(
        check,
        outcome=outcome,
        reason=reason,
        base=before,
        head=highest.bytes,
        allowed=float(allowed),
        rows=rows,
    )


def _peaks(side: Side) -> list[MemoryPeak]:
    """The highest recorded peak of each step of the first profile."""
    profile = resolve(side.profiles[0], REPAIRED)
    memory = step_memory(profile, REPAIRED)
    found = []
    for step in profile.steps:
        recorded = [peak for peak in memory.peaks(step) if peak.recorded]
        if recorded:
            found.append(max(recorded, key=lambda peak: peak.bytes))
    return found
