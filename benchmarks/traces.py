"""`python -m benchmarks.traces`: op view of a large trace beside xprof, and the cost of capturing.

The trace is that of an LSTM, captured here and repeated. Each subject has processes of its own, all
in turn. `--xprof` names a Python that has xprof; `--page` writes a section of docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.run import environment
from benchmarks.trace_files import repeat_trace
from benchmarks.traces_page import SUBJECTS, section, write_section
from benchmarks.xprof_ops import self_times

__all__ = ["main"]

OURS, OP_STATS, OVERVIEW = SUBJECTS
_FOLDER = Path(tempfile.gettempdir()) / "tfprof-benchmarks" / "traces"


def main(argv: list[str] | None = None) -> int:
    """Measure, and print the section of the page."""
    arguments = _arguments(argv)
    _FOLDER.mkdir(parents=True, exist_ok=True)
    overhead = _run_json("benchmarks.capture_overhead", str(_FOLDER / "lstm"))
    (small,) = (_FOLDER / "lstm" / "plugins" / "profile").glob("*/*.xplane.pb")
    trace = _FOLDER / "large" / "host.xplane.pb"
    trace.parent.mkdir(exist_ok=True)
    times = repeat_trace(small, trace, arguments.megabytes)
    results: dict[str, dict[str, float]] = {}
    for _ in range(arguments.repeat):
        for subject, command in _commands(arguments.xprof, trace).items():
            print(subject, file=sys.stderr, flush=True)
            measured = _measure(command)
            known = results.setdefault(subject, measured)
            results[subject] = {name: min(known[name], measured[name]) for name in known}
    run: dict[str, Any] = {
        "machine": machine() | {"xprof": _version(arguments.xprof)},
        "megabytes": trace.stat().st_size / 1e6,
        "repetitions": times,
        "results": results,
        "compared": _compare(small, arguments.xprof),
        "overhead": overhead,
    }
    print(section(run))
    if arguments.page:
        write_section(run)
    trace.unlink()
    return 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.traces", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the least counts")
    parser.add_argument("--xprof", default=sys.executable, help="a Python that has xprof")
    parser.add_argument("--page", action="store_true", help="write the section of the page")
    return parser.parse_args(argv)


def _commands(xprof: str, trace: Path) -> dict[str, list[str]]:
    tool = [xprof, "-m", "benchmarks.xprof_ops", str(trace)]
    return {
        OURS: [sys.executable, "-m", "tfprof", str(trace), "op", "-select", "micros"],
        OP_STATS: [*tool, "framework_op_stats", os.devnull],
        OVERVIEW: [*tool, "overview_page", os.devnull],
    }


def _measure(command: list[str]) -> dict[str, float]:
    """Seconds of a process from start to end, of its processors, and its peak memory."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": errors}
        process = subprocess.Popen(command, env=environment(), **quiet)
        # Only this call tells the memory of one child.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if process.returncode:
            raise SystemExit(f"{command}: {errors.read().decode(errors='replace')[-500:]}")
    return {
        "seconds": time.monotonic() - started,
        "cpu": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss / 1000,
    }


def _compare(trace: Path, xprof: str) -> dict[str, int]:
    """How many ops both know, and how many of them have another time."""
    output = _FOLDER / "op_stats.json"
    command = [xprof, "-m", "benchmarks.xprof_ops", str(trace), "framework_op_stats", str(output)]
    subprocess.run(command, env=environment(), check=True, capture_output=True)
    import tfprof

    ours: Counter[str] = Counter()
    for records in tfprof.load(trace).records:
        names = records.names.cast("string").to_pylist()
        for name, time_ns in zip(names, records.nanos_self.tolist(), strict=True):
            # Ops are below the function that Python called.
            ours[name.partition("/")[2]] += time_ns
    theirs = self_times(output.read_bytes())
    shared = ours.keys() & theirs.keys()
    differ = [name for name in shared if abs(ours[name] / 1000 - theirs[name]) > 0.001]
    return {"shared": len(shared), "differ": len(differ), "missing": len(theirs.keys() - shared)}


def _run_json(module: str, *arguments: str) -> Any:
    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True)
    return json.loads(done.stdout.splitlines()[-1])


def _version(python: str) -> str:
    code = "import importlib.metadata as m; print(m.version('xprof'))"
    done = subprocess.run([python, "-c", code], capture_output=True, check=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
