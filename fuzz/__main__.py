"""Try hostile inputs for some minutes: `python -m fuzz --minutes 10 --jobs 2`.

Prints how many inputs each target was given and what failed; the status is 1 if anything did.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.process import BaseProcess
from pathlib import Path

from fuzz.guard import name_of
from fuzz.targets import targets
from fuzz.worker import SharedStatus, work

_TIMEOUT = 20.0
"""How many seconds an input may take before it counts as a hang."""


def main() -> int:
    """Run the workers until the time is over."""
    args = _arguments()
    names = args.targets or list(targets())
    started = time.time()
    until = started + 60 * args.minutes
    with tempfile.TemporaryDirectory() as folder:
        workers = [_Worker(Path(folder), names, args, number, until) for number in range(args.jobs)]
        while _any_running(workers):
            time.sleep(0.5)
        counts: Counter[str] = Counter()
        for worker in workers:
            counts.update(worker.status.counts)
    for name, count in counts.items():
        print(f"{count:>12,} {name}")
    saved = [path for path in args.crashers.rglob("*") if path.is_file()]
    failed = sum(path.stat().st_mtime >= started - 1 for path in saved)
    print(f"{counts.total():>12,} inputs tried in {args.minutes:g} minutes, {failed} failures")
    if failed:
        print(f"they are in {args.crashers}")
    return 1 if failed else 0


def _any_running(workers: list[_Worker]) -> bool:
    """Whether a worker is still running; polls all of them."""
    return bool([worker for worker in workers if worker.poll()])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="which targets; all by default")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("--crashers", type=Path, default=Path("crashers"))
    args = parser.parse_args()
    unknown = set(args.targets) - set(targets())
    if unknown:
        parser.error(f"unknown targets: {', '.join(unknown)}; known are {', '.join(targets())}")
    print(f"seed {args.seed}", flush=True)
    return args


class _Worker:
    """A process, started anew when it died or hangs."""

    def __init__(
        self, folder: Path, names: list[str], args: argparse.Namespace, number: int, until: float
    ) -> None:
        self.path = folder / f"status{number}"
        self.names, self.args, self.until = names, args, until
        self.seed = args.seed * 1000 + number
        self.status = SharedStatus(self.path, names)
        self.process = self._start()

    def _start(self) -> BaseProcess:
        self.seed += 100
        process = multiprocessing.get_context("spawn").Process(
            target=work, args=(self.path, self.names, self.seed, self.until, self.args.crashers)
        )
        process.start()
        return process

    def poll(self) -> bool:
        """Whether it is still running; a crash or a hang is saved."""
        if self.process.is_alive():
            if self.status.start_time and time.time() - self.status.start_time > _TIMEOUT:
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

    def _save(self, what: str) -> None:
        name, data = self.status.current
        folder = self.args.crashers / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name_of(data)).write_bytes(data)
        self.status.record(self.names.index(name), b"")
        print(f"FAILED {name}: {what} ({folder.name}/{name_of(data)})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
