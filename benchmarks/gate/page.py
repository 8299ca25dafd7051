"""The page on how often the gate is right, and a sample of its trials for the tests.

The trials are files of `benchmarks.gate.collect`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.gate.collect import BUDGET
from benchmarks.gate.programs import BLOCKS, MORE_BLOCKS, PROGRAMS
from benchmarks.machine import machine
from tfprof.gates.budget import parse_budget
from tfprof.gates.judge_time import BUSY, decide_pair
from tfprof.gates.time_test import compare_least, compare_medians, least_times
from tfprof.gates.verdict import Outcome
from tfprof.profiles.schema import Array

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gate_accuracy.md"
SAMPLE = ROOT / "tests" / "gates" / "trials.npz"
SLOWER = (1.0, 1.05, 1.1)
"""What the times of sampled heads are multiplied with."""
_SAMPLED = {"quiet": 8, "busy": 4}
"""How many trials of each program the sample has, the first of each kind."""
_OPS = 300
"""How many ops of a trial the sample has, those with most time."""
_TICK = 100
"""The nanoseconds that times of the sample are multiples of."""
_LIMIT = parse_budget(BUDGET).entries[0]


@dataclass(frozen=True, eq=False)
class Trial:
    """The times of both sides of a pair, by step and op, and how busy the machine was."""

    base: Array
    head: Array
    busy: float
    program: str

    @property
    def kind(self) -> str:
        """By what other processes used."""
        return "busy" if self.busy > BUSY else "quiet"


@dataclass(frozen=True)
class Slower:
    """The verdict on a pair whose head really does more, and the change that was found."""

    outcome: Outcome
    change: float
    busy: float


def read_trials(file: Path) -> Iterator[Trial]:
    """The trials of a file that has identical steps."""
    data = np.load(file)
    programs = np.broadcast_to(data["program"], data["busy"].shape).tolist()
    tick = int(data["tick"]) if "tick" in data else 1
    for i, (busy, program) in enumerate(zip(data["busy"].tolist(), programs, strict=True)):
        base, head = (tick * data[f"{side}_{i}"].astype(np.int64) for side in ("base", "head"))
        yield Trial(base, head, busy, program)


def _read_slower(file: Path) -> Iterator[Slower]:
    data = np.load(file)
    for (outcome, change), busy in zip(data["verdicts"], data["busy"], strict=True):
        yield Slower(Outcome(int(outcome)), float(change), float(busy))


@cache
def judge_trial(trial: Trial, slower: float = 1.0, *, one_op: bool = False) -> Outcome:
    """The verdict of the gate, times of the head made slower."""
    head = trial.head.astype(float)
    if one_op:
        least_of_op = least_times(trial.head)
        head[:, np.argmax(least_of_op)] += (slower - 1) * least_of_op.sum()
    else:
        head = head * slower
    least, median = compare_least(trial.base, head), compare_medians(trial.base, head)
    return decide_pair(_LIMIT, least, median, trial.busy)[0]


def _row(name: str, outcomes: Iterable[Outcome]) -> str:
    counts = Counter(outcomes)
    shares = [f"{counts[outcome] / counts.total():.1%}" for outcome in Outcome]
    return f"| {name} | {counts.total()} | {' | '.join(shares)} |"


def _rows(trials: list[Trial], slower: list[Slower]) -> Iterator[str]:
    for kind in ("quiet", "busy"):
        of_kind = [trial for trial in trials if trial.kind == kind]
        if of_kind:
            yield _row(f"identical, {kind}", map(judge_trial, of_kind))
            yield _row(f"+5 % everywhere, {kind}", [judge_trial(t, 1.05) for t in of_kind])
            one_op = [judge_trial(t, 1.05, one_op=True) for t in of_kind]
            yield _row(f"+5 % in one op, {kind}", one_op)
            yield _row(f"+10 % everywhere, {kind}", [judge_trial(t, 1.1) for t in of_kind])
        really = [trial.outcome for trial in slower if (trial.busy > BUSY) == (kind == "busy")]
        if really:
            yield _row(f"{MORE_BLOCKS} blocks for {BLOCKS}, {kind}", really)
    for program in PROGRAMS:
        quiet = [t for t in trials if t.program == program and t.kind == "quiet"]
        if quiet:
            yield _row(f"identical, quiet: {program}", map(judge_trial, quiet))
            yield _row(f"+5 % everywhere, quiet: {program}", [judge_trial(t, 1.05) for t in quiet])


def _used(trials: list[Trial]) -> str:
    """What other processes used, in quiet and in busy trials."""
    parts = []
    for kind in ("quiet", "busy"):
        busy = [trial.busy for trial in trials if trial.kind == kind]
        parts += [f"{np.mean(busy):.0%} of it in {len(busy)} {kind} trials"] if busy else []
    return " and ".join(parts)


def page(trials: list[Trial], slower: list[Slower]) -> str:
    """The text of the page."""
    facts = machine()
    ops = sorted({trial.base.shape[1] - 1 for trial in trials})
    steps = sorted({len(trial.base) for trial in trials})
    least = [1e-6 * trial.base.min(axis=0).sum() for trial in trials]
    changes = [trial.change for trial in slower] or [0.0]
    return f"""# How often the gate is right

[Pairs](glossary.md#pair-of-captures) that `tfprof.capture_pair` recorded, {steps[0]} steps a side,
judged by the limit `time = "+2%"`. The training steps are chains of {BLOCKS} blocks: convolutions,
attention, and dense layers ({ops[0]:,} to {ops[-1]:,} ops, {min(least):.0f} to
{max(least):.0f} ms). Ops had one thread, as [the gate](gate.md#time) advises.

A trial is quiet if other processes used at most {BUSY:.0%} of the machine, else busy; they used
{_used(trials)}.

- **Identical** steps that are over budget are false alarms.
- **+5 % everywhere** are the recorded times of the head times 1.05.
- **+5 % in one op** adds 5 % of the whole to the largest op.
- **{MORE_BLOCKS} blocks for {BLOCKS}** is a step that really does more; its least times were
  {np.median(changes):+.1%} in the median.

| trial | number | pass | over budget | inconclusive |
|---|--:|--:|--:|--:|
{chr(10).join(_rows(trials, slower))}

On a busy machine a pair is never over budget: it is inconclusive if it seems slower.

Machine: {facts["processor"]}, {facts["cores"]} cores, {facts["system"]}, Python
{facts["python"]}, TensorFlow {facts["tensorflow-cpu"]}. `make gate-trials` records the trials and
writes this page. The rule, the number of steps and the limits of {BUSY:.0%} and 5 % were chosen on
other trials, before these were recorded. A test judges the first {_SAMPLED["quiet"]} quiet and the
first {_SAMPLED["busy"]} busy trials of each program, with the {_OPS} ops that take most time.
"""


def _sample(trials: list[Trial]) -> list[Trial]:
    """The first trials of each program and kind."""
    return [
        trial
        for kind, count in _SAMPLED.items()
        for program in PROGRAMS
        for trial in [t for t in trials if (t.program, t.kind) == (program, kind)][:count]
    ]


def _save_sample(trials: list[Trial]) -> None:
    arrays: dict[str, Array] = {
        "busy": np.array([trial.busy for trial in trials]),
        "program": np.array([trial.program for trial in trials]),
        "tick": np.array(_TICK),
    }
    for i, trial in enumerate(trials):
        # Not by the sum: on a busy machine that has the ops that were interrupted.
        largest = np.argsort(-least_times(trial.base), kind="stable")[:_OPS]
        for side, times in (("base", trial.base), ("head", trial.head)):
            arrays[f"{side}_{i}"] = (times[:, largest] // _TICK).astype(np.int32)
    np.savez_compressed(SAMPLE, **arrays)
    outcomes = [[int(judge_trial(t, s)) for t in read_trials(SAMPLE)] for s in SLOWER]
    np.savez_compressed(SAMPLE, **arrays, outcomes=np.array(outcomes))


def write_page(files: Iterable[Path]) -> None:
    """Write the page and the sample from files of trials."""
    trials: list[Trial] = []
    slower: list[Slower] = []
    for file in files:
        if "verdicts" in np.load(file):
            slower += _read_slower(file)
        else:
            trials += read_trials(file)
    PAGE.write_text(page(trials, slower))
    _save_sample(_sample(trials))
    print(PAGE.read_text())
