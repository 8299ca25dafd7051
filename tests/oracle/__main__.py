"""`python -m tests.oracle`: compare many random cases with the original and print what differs."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache

from tests.oracle.compare import MODES, Outcome, check
from tests.oracle.original import Original

CHUNK = 50
SHOWN = 5


@cache
def own_original() -> Original:
    """The original of this worker process; it ends when the process does."""
    return Original()


def check_chunk(seeds: range, mode: str) -> list[Outcome]:
    """Check some cases, in a worker process."""
    return list(check(seeds, mode, own_original()))


def outcomes(first: int, count: int, modes: list[str], jobs: int) -> Iterator[list[Outcome]]:
    """Chunks of outcomes, in order, from several processes."""
    with ProcessPoolExecutor(jobs) as pool:
        starts = range(first, first + count, CHUNK)
        chunks = [range(start, min(start + CHUNK, first + count)) for start in starts]
        pending = [pool.submit(check_chunk, chunk, mode) for mode in modes for chunk in chunks]
        for future in pending:
            yield future.result()


def main(argv: list[str] | None = None) -> int:
    """Run the comparison; 0 if everything was identical."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="cases in each mode")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first case")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--mode", choices=[*MODES, "all"], default="all")
    parser.add_argument("--case", type=int, help="run only the case of this seed, show everything")
    arguments = parser.parse_args(argv)
    modes = list(MODES) if arguments.mode == "all" else [arguments.mode]
    single = arguments.case is not None
    first, count = (arguments.case, 1) if single else (arguments.seed, arguments.cases)

    checked = identical = 0
    crashes: Counter[str] = Counter()
    quirks: Counter[str] = Counter()
    shown: list[str] = []
    began = time.monotonic()
    for chunk in outcomes(first, count, modes, 1 if single else arguments.jobs):
        for outcome in chunk:
            checked += 1
            identical += not outcome.differences
            crashes.update(outcome.crashes)
            quirks.update(outcome.quirks)
            shown += map(str, outcome.differences if single else outcome.differences[:1])
        speed = checked / (time.monotonic() - began)
        print(f"\r{checked} cases, {speed:.0f}/s", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for text in shown if single else shown[:SHOWN]:
        print(text, end="\n\n")
    print(f"identical: {identical} of {checked}")
    if quirks:
        print("differences by default, by quirk:", dict(quirks.most_common()))
    print("failures of the original:", dict(crashes.most_common()) or "none")
    return 0 if identical == checked else 1


if __name__ == "__main__":
    sys.exit(main())
