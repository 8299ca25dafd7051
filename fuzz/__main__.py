"""Try hostile inputs for some minutes: `python -m fuzz --minutes 10 --jobs 2`.

Prints how many inputs each target was given, which share of src/ they reached, and what failed; the
status is 1 if anything did. A fifth of the time is traced, two minutes at most. `--coverage` traces
all the time, lists the lines that were not reached, and fails if too few were.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.process import BaseProcess
from pathlib import Path

from fuzz.source_coverage import (
    LEAST,
    PACKAGES,
    Lines,
    reached_lines,
    run_traced,
    share_by_package,
)
from fuzz.status import SharedStatus, Task, name_of

_TIMEOUT, _BLOCKED = 20.0, 300.0
"""How many seconds an input may take before it counts as a hang: of the processor, and in all."""
_TRACED, _LONGEST_TRACED = 0.2, 120.0
"""The share of the time in which lines are traced, which makes Python two to three times slower;
and how many seconds at most."""


def main() -> int:
    """Run the workers until the time is over."""
    args = _arguments()
    started = time.time()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended early, it still reports
    with tempfile.TemporaryDirectory() as folder:
        workers = [_Worker(Path(folder), args, number) for number in range(args.jobs)]
        try:
            while _any_running(workers):
                time.sleep(0.5)
        except KeyboardInterrupt:
            for worker in workers:
                worker.process.kill()
                worker.process.join()
        counts: Counter[str] = Counter()
        for worker in workers:
            counts.update(worker.status.counts)
        lines = reached_lines(Path(folder))
    _print_counts(counts)
    enough = _print_coverage(lines, missing=args.coverage)
    saved = [path for path in args.crashers.rglob("*") if path.is_file()]
    failed = sum(path.stat().st_mtime >= started - 1 for path in saved)
    minutes = (time.time() - started) / 60
    print(f"{counts.total():>12,} inputs tried in {minutes:.3g} minutes, {failed} failures")
    if failed:
        print(f"they are in {args.crashers}")
    return 1 if failed or (args.coverage and not enough) else 0


def _print_counts(counts: Counter[str]) -> None:
    from fuzz.targets import targets

    known, total = targets(), max(counts.total(), 1)
    for name, count in counts.items():
        print(f"{count:>12,} {count / total:>6.1%} {name}")
    deep = sum(count for name, count in counts.items() if not known[name].is_part)
    print(f"{deep / total:.0%} of the inputs went to readers and analyses")


def _print_coverage(lines: Lines, *, missing: bool) -> bool:
    """Whether enough lines of the packages that matter were reached."""
    if missing:
        for file, (count, missed) in lines.items():
            if missed:
                print(f"{file}: {len(missed)} of {count} lines: {' '.join(map(str, missed))}")
    shares = share_by_package(lines)
    reached = ", ".join(f"{name} {shares[name]:.1%}" for name in PACKAGES)
    print(f"lines reached: {reached}")
    return all(shares[name] >= LEAST for name in PACKAGES)


def _any_running(workers: list[_Worker]) -> bool:
    """Whether a worker is still running; polls all of them."""
    return bool([worker for worker in workers if worker.poll()])


def _arguments() -> argparse.Namespace:
    from fuzz.targets import targets

    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="which targets; all by default")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("--crashers", type=Path, default=Path("crashers"))
    parser.add_argument("--coverage", action="store_true", help="trace all the time, list lines")
    args = parser.parse_args()
    unknown = set(args.targets) - set(targets())
    if unknown:
        parser.error(f"unknown targets: {', '.join(unknown)}; known are {', '.join(targets())}")
    args.targets = args.targets or list(targets())
    print(f"seed {args.seed}", flush=True)
    return args


def _cpu_seconds(process: int | None) -> float:
    """The processor time of a process; the time of day where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.time()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class _Worker:
    """A process, started anew when it died or hangs."""

    def __init__(self, folder: Path, args: argparse.Namespace, number: int) -> None:
        self.folder, self.path, self.args = folder, folder / f"status{number}", args
        self.seed = args.seed * 1000 + number
        seconds = 60 * args.minutes
        self.until = time.time() + seconds
        traced = seconds if args.coverage else min(seconds * _TRACED, _LONGEST_TRACED)
        self.traced_until = time.time() + traced
        self.status = SharedStatus(self.path, args.targets)
        self.input = 0.0, 0.0
        """When the current input was started, and the processor time of the worker then."""
        self.process = self._start()

    def _start(self) -> BaseProcess:
        self.seed += 100
        task = Task(self.path, self.args.targets, self.seed, self.until, self.args.crashers)
        process = multiprocessing.get_context("spawn").Process(
            target=run_traced, args=(task, self.folder, self.traced_until)
        )
        process.start()
        return process

    def poll(self) -> bool:
        """Whether it is still running; a crash or a hang is saved."""
        if self.process.is_alive():
            if self._hangs():
                self.process.kill()
                self.process.join()
                self._save("a hang")
                self.process = self._start()
            return True
        if self.process.exitcode and time.time() < self.until:
            self._save(f"the process died ({self.process.exitcode})")
            self.process = self._start()
            return True
        return False

    def _hangs(self) -> bool:
        """Whether the current input takes too long: of its own time, or for ever."""
        started, used = self.status.start_time, _cpu_seconds(self.process.pid)
        if started != self.input[0]:
            self.input = started, used
        return bool(started) and (
            used - self.input[1] > _TIMEOUT or time.time() - started > _BLOCKED
        )

    def _save(self, what: str) -> None:
        name, data = self.status.current
        folder = self.args.crashers / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name_of(data)).write_bytes(data)
        self.status.reset()
        print(f"FAILED {name}: {what} ({folder.name}/{name_of(data)})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
