"""Judge the time of a step, only from what can bear it.

That is a pair whose steps ran in turn in one process, or several processes on each side: between
two processes identical code differs by more than most changes.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from tfprof.gates.budget import LEAST_SHARE, BudgetEntry
from tfprof.gates.sides import Sides
from tfprof.gates.step_times import StepTimes, match_times, ops_run_rarely, step_times
from tfprof.gates.time_test import (
    SIGNIFICANT,
    Comparison,
    compare_least,
    compare_medians,
    compare_processes,
    least_times,
    sum_of_least,
    sum_of_medians,
)
from tfprof.gates.verdict import Check, Outcome
from tfprof.profiles.schema import Array

MIN_PROCESSES = 8
"""With fewer, hardly any difference is sure."""
MIN_STEPS = 5
"""Fewer pairs change sides in too few ways for any difference to be rare."""
COARSE = 0.05
"""If sides differ by more than this by chance alone, nothing can be said."""
BUSY = 0.15
"""If other processes use more than this share of the machine, it is busy."""
_CAPTURE = "capture both in turn with tfprof.capture_pair, or {} processes a side"
_QUIETER = (
    "run it on a quieter machine, with TF_NUM_INTEROP_THREADS=1 and TF_NUM_INTRAOP_THREADS=1, or "
    "capture more steps"
)
_SAME_WORK = "capture steps that do the same work"


def judge_time(sides: Sides, entry: BudgetEntry) -> Check:
    """The check of a limit of time."""
    check = Check(
        entry.key.name,
        entry.part,
        entry.name,
        entry.key.unit,
        entry.limit.text,
        Outcome.INCONCLUSIVE,
    )
    for name, side in (("base", sides.base), ("head", sides.head)):
        if side is not None and any(map(ops_run_rarely, side.profiles)):
            return replace(check, reason=f"few ops of the {name} run in each step: {_SAME_WORK}")
    if sides.pair is not None:
        return _judge_pair(sides, entry, check)
    counts = [len(side.profiles) if side else 0 for side in (sides.base, sides.head)]
    needed = counts if entry.limit.is_relative else counts[1:]
    if min(needed) < MIN_PROCESSES:
        found = " and ".join(f"{count} process{'' if count == 1 else 'es'}" for count in needed)
        wanted = _CAPTURE.format(MIN_PROCESSES)
        return replace(check, reason=f"{found} cannot tell times apart: {wanted}")
    return _judge_processes(sides, entry, check)


def _judge_pair(sides: Sides, entry: BudgetEntry, check: Check) -> Check:
    assert sides.base is not None
    assert sides.pair is not None
    base, head = (step_times(side.profiles[0]) for side in (sides.base, sides.head))
    in_base, in_head = sides.in_scope(entry.name)
    base, head = base.select(in_base), head.select(in_head)
    for name, side in (("base", base), ("head", head)):
        if len(side) < MIN_STEPS:
            return replace(check, reason=f"{len(side)} steps of the {name}; capture {MIN_STEPS}")
    times = match_times(base, head, sides.base_node)
    least, median = compare_least(*times), compare_medians(*times)
    outcome, reason = decide_pair(entry, least, median, sides.pair.get("busy"))
    return _finish(sides, entry, check, outcome, reason, (base, head), (least, median))


def decide_pair(
    entry: BudgetEntry, least: Comparison, median: Comparison, busy: float | None
) -> tuple[Outcome, str]:
    """The outcome of a pair, and why: the least times and the medians have to agree."""
    is_busy = busy is not None and busy > BUSY
    who = f"other processes used {busy:.0%} of the machine" if is_busy else ""
    noise = f"identical steps differ by up to {least.resolution:.1%} here"
    by_least, by_median = _is_over(entry, least), _is_over(entry, median)
    if by_least and by_median:
        if is_busy:
            return Outcome.INCONCLUSIVE, f"seems slower, but {who}: {_QUIETER}"
        if not _is_sure(entry, least):
            return Outcome.INCONCLUSIVE, f"seems slower, but {noise}: {_QUIETER}"
        return Outcome.OVER, noise
    if least.resolution > max(_allowed_share(entry), COARSE):
        return Outcome.INCONCLUSIVE, f"{noise}: {who + '; ' if who else ''}{_QUIETER}"
    if by_least or by_median:
        least_times = f"the least times are {'' if by_least else 'not '}over the limit"
        medians = f"the medians are{'' if by_median else ' not'} ({median.change:+.1%})"
        hint = f"{who}; {_QUIETER}" if is_busy else "some steps may be slower; capture more steps"
        return Outcome.INCONCLUSIVE, f"{least_times}, but {medians}: {hint}"
    return Outcome.PASS, noise


def _is_over(entry: BudgetEntry, test: Comparison) -> bool:
    """Whether the head takes more than is allowed."""
    compared = test.base if entry.limit.value is None else 1000 * float(entry.limit.value)
    return test.head > compared * (1 + _allowed_share(entry))


def _is_sure(entry: BudgetEntry, test: Comparison) -> bool:
    """Whether the head is slower not by chance; a limit that is a time needs no base."""
    return test.probability < SIGNIFICANT or entry.limit.value is not None


def _allowed_share(entry: BudgetEntry) -> float:
    """How much more than what it is compared with is allowed: the limit, or else the floor."""
    return max(float(entry.limit.share or 0), LEAST_SHARE / 100)


def _judge_processes(sides: Sides, entry: BudgetEntry, check: Check) -> Check:
    least, median = [], []
    first: list[StepTimes] = []
    for side, mask in zip((sides.base, sides.head), sides.in_scope(entry.name), strict=True):
        profiles = side.profiles if side else ()
        of_side = [step_times(profile) for profile in profiles]
        if side and entry.name:
            names = side.resolved.nodes.name.filter(mask)
            of_side = [
                times.select_names(profile, names)
                for times, profile in zip(of_side, profiles, strict=True)
            ]
        first += of_side[:1]
        least.append(np.array([float(sum_of_least(times.times)) for times in of_side]))
        median.append(np.array([float(sum_of_medians(times.times)) for times in of_side]))
    if sides.base is None:
        least[0], median[0] = least[1], median[1]
    tests = tuple(compare_processes(*numbers) for numbers in (least, median))
    is_over = _is_over(entry, tests[0])
    reason = f"{len(least[0])} and {len(least[1])} processes"
    outcome = Outcome.OVER if is_over else Outcome.PASS
    if is_over and not _is_sure(entry, tests[0]):
        outcome = Outcome.INCONCLUSIVE
        reason += f" differ by {tests[0].change:+.1%}, which may be chance; capture more of them"
    base = first[0] if sides.base else None
    return _finish(sides, entry, check, outcome, reason, (base, first[-1]), (tests[0], tests[1]))


def _finish(
    sides: Sides,
    entry: BudgetEntry,
    check: Check,
    outcome: Outcome,
    reason: str,
    times: tuple[StepTimes | None, StepTimes],
    tests: tuple[Comparison, Comparison],
) -> Check:
    least, median = tests
    micros = least.base / 1000
    head = _by_node(times[1], len(sides.head.resolved.nodes))
    base = None
    if sides.base is not None and times[0] is not None:
        base = _by_node(times[0], len(sides.base.resolved.nodes))
    rows = () if outcome == Outcome.PASS else sides.responsible(base, head, head > 0)
    return replace(
        check,
        outcome=outcome,
        reason=reason,
        base=micros if sides.base else None,
        head=least.head / 1000,
        allowed=float(entry.limit.allowed(micros)),
        rows=rows,
        evidence=_evidence(sides, least, median),
    )


def _by_node(times: StepTimes, count: int) -> Array:
    """The least time of each node in microseconds."""
    micros = np.zeros(count)
    micros[times.node] = least_times(times.times) / 1000
    return micros


def _evidence(sides: Sides, least: Comparison, median: Comparison) -> dict[str, Any]:
    tests = {"sum_of_least": least, "sum_of_medians": median}
    numbers = {name: {**asdict(test), "change": test.change} for name, test in tests.items()}
    pair = {} if sides.pair is None else {"pair": dict(sides.pair)}
    return {**pair, **numbers}
