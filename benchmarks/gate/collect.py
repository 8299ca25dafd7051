"""Trials of the gate: `python -m benchmarks.gate.collect OUT.npz PROGRAM --trials 25`.

A trial is a pair that `tfprof.capture_pair` recorded with its own number of steps: a step of
`programs` beside itself, or with `--more` beside one that really does 5 % more. With `--busy` other
processes compute meanwhile. The file has the nanoseconds of each op in each step of both sides; of
`--more` the verdicts of `tfprof.gate`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gate.programs import MORE_BLOCKS, PROGRAMS, make_step
from tfprof.profiles.schema import Array

BUDGET = {"budget": {"time": "+2%"}}
"""What trials are judged by: the least limit that there is."""


def _burn() -> None:
    generator = np.random.default_rng(0)
    # It ends also if it is never told to.
    end = time.monotonic() + 600
    while time.monotonic() < end:
        a = generator.random((300, 300))
        for _ in range(20):
            a = np.tanh(a @ a)
        time.sleep(0.01)


@contextmanager
def _other_work(count: int) -> Iterator[None]:
    """So many processes that compute."""
    context = multiprocessing.get_context("spawn")
    burning = [context.Process(target=_burn, daemon=True) for _ in range(count)]
    for process in burning:
        process.start()
    try:
        yield
    finally:
        for process in burning:
            process.terminate()
            process.join()


def read_times(pair: Path) -> tuple[Array, Array]:
    """The times of both sides by step and op; what only one side runs is the last column."""
    import tfprof
    from tfprof.definitions.quirks import REPAIRED
    from tfprof.gates.step_times import step_times
    from tfprof.resolve import resolve

    found = []
    for side in ("base", "head"):
        profile = tfprof.load(pair / side)
        times = step_times(profile)
        names = resolve(profile, REPAIRED).nodes.name.take(times.node).to_pylist()
        found.append((times.times, names))
    (base, base_names), (head, head_names) = found
    _, in_base, in_head = np.intersect1d(base_names, head_names, return_indices=True)
    sides = []
    for side, columns in ((base, in_base), (head, in_head)):
        rest = side.sum(axis=1) - side[:, columns].sum(axis=1)
        sides.append(np.column_stack([side[:, columns], rest]))
    return sides[0], sides[1]


def _collect(program: str, trials: int, seconds: float, *, more: bool) -> dict[str, Any]:
    import tfprof

    base = make_step(program)
    head = make_step(program, MORE_BLOCKS) if more else base
    busy: list[float] = []
    found: dict[str, Any] = {"program": np.array(program)}
    verdicts = []
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        while len(busy) < trials and time.monotonic() - start < seconds:
            pair = tfprof.capture_pair(base, head, folder=Path(folder) / "pair")
            if more:
                check = tfprof.gate(pair, budget=BUDGET).checks[0]
                evidence = check.evidence["sum_of_least"]
                verdicts.append((int(check.outcome), evidence["change"]))
            else:
                times = read_times(pair)
                for side, of_side in zip(("base", "head"), times, strict=True):
                    found[f"{side}_{len(busy)}"] = of_side.astype(np.int32)
            busy.append(json.loads((pair / "pair.json").read_text())["busy"])
    if more:
        found["verdicts"] = np.array(verdicts)
    return {**found, "busy": np.array(busy)}


def main() -> None:
    """Record trials."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--trials", type=int, default=25)
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--seconds", type=float, default=90.0, help="stop after this long")
    arguments = parser.parse_args()
    # Each of the processes that compute has one thread.
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "OPENBLAS_NUM_THREADS": "1"}
    start = time.monotonic()
    with _other_work((os.cpu_count() or 1) if arguments.busy else 0):
        found = _collect(
            arguments.program, arguments.trials, arguments.seconds, more=arguments.more
        )
    np.savez_compressed(arguments.out, **found)
    busy = found["busy"]
    seconds = time.monotonic() - start
    print(f"{arguments.out.stem}: {len(busy)} trials, {seconds:.0f} s, busy {busy.mean():.0%}")


if __name__ == "__main__":
    main()
