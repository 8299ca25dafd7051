"""A command with a budget: 2 seconds and 300 MB, which every small input has to keep.

The command runs in a process of its own, which measures itself: what the system reports about
children includes the memory of this process. Seconds are those of a reference machine: a loop that
takes 0.1 s there tells how much slower this one is at the moment.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MEGABYTES", "SECONDS", "Measured", "run_measured", "slowness"]

SECONDS, MEGABYTES = 2, 300
_STOP = 60  # what hangs is ended, and fails the test
_REFERENCE_LOOP = 3_600_000
_SOURCE, _TESTS = Path(__file__).parents[2] / "src", Path(__file__).parents[2]


@dataclass(frozen=True)
class Measured:
    """What a command did and needed."""

    status: int
    out: str
    err: str
    seconds: float
    megabytes: float

    def check(self) -> Measured:
        """Fail if it needed more than its budget, or ended with a traceback."""
        assert self.status in (0, 1, 2, 3), self.err[-2000:]  # 3: a gate that is inconclusive
        assert "Traceback" not in self.err
        assert "please report" not in self.err
        assert self.seconds < SECONDS, f"{self.seconds:.1f} s"
        assert self.megabytes < MEGABYTES, f"{self.megabytes:.0f} MB"
        return self


def run_measured(*argv: str | Path, cwd: Path | None = None, stdin: str = "") -> Measured:
    """Run the command and measure it."""
    with tempfile.NamedTemporaryFile("r") as report:
        done = subprocess.run(
            [sys.executable, "-m", "tests.robustness.budget", report.name, *map(str, argv)],
            capture_output=True,
            check=False,
            timeout=10 * _STOP,
            cwd=cwd,
            input=stdin.encode(),
            env={**os.environ, "PYTHONPATH": f"{_SOURCE}:{_TESTS}", "PYTHONWARNINGS": "error"},
        )
        text = report.read()
    assert text, f"status {done.returncode}: {done.stderr.decode()[-2000:]}"
    needed = json.loads(text)
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return Measured(done.returncode, out, err, needed["seconds"], needed["megabytes"])


def slowness() -> float:
    """How much slower this machine is at the moment than the reference; at least 1."""
    started, number = time.process_time(), 0
    for i in range(_REFERENCE_LOOP):
        number += i
    return max(1.0, (time.process_time() - started) / 0.1)


def _run(report: str, argv: list[str]) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (_STOP, _STOP))
    factor = slowness()
    from tfprof import cli

    started = time.process_time()
    status = cli.main(argv)
    seconds = (time.process_time() - started) / factor
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    megabytes = int(fields["VmHWM"].split()[0]) / 1000
    Path(report).write_text(json.dumps({"seconds": seconds, "megabytes": megabytes}))
    return status


if __name__ == "__main__":
    sys.exit(_run(sys.argv[1], sys.argv[2:]))
