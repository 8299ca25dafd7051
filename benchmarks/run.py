"""`python -m benchmarks`: measure the original and ours in one run on the same files.

Each subject and part has a process of its own, original and ours in turn. Prints a table of ratios
beside the targets and writes all numbers as JSON, from which the page in docs is made.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.generate import TEXT_LIMIT, folder_for
from benchmarks.machine import machine
from benchmarks.page import PAGE, table_of, write_page
from benchmarks.subjects import NAMES, OPTIONS
from benchmarks.targets import rows

__all__ = ["environment", "main"]

ROOT = Path(__file__).resolve().parent.parent
TIMELINE_LIMIT = 20_000  # nodes above which the original needs more than 20 minutes
TIMEOUT = 3600
START = "start to op view"

Results = dict[str, dict[str, dict[str, Any]]]


def main(argv: list[str] | None = None) -> int:
    """Run the comparison; the table goes to standard output."""
    arguments = _arguments(argv)
    folder = _files(arguments)
    results: Results = {}
    for _ in range(arguments.repeat):
        for part, who in _plan(arguments):
            print(f"{part}: {who}", file=sys.stderr, flush=True)
            _keep_minimum(results.setdefault(who, {}), _measure(part, who, folder, arguments.steps))
    for result in results.values():
        _add_sums(result, arguments.steps)
    run = {
        "size": arguments.size,
        "steps": arguments.steps,
        "repeat": arguments.repeat,
        "machine": machine(),
        "results": results,
    }
    print(table_of(rows(arguments.size, results)))
    arguments.json.mkdir(parents=True, exist_ok=True)
    (arguments.json / f"{arguments.size}.json").write_text(json.dumps(run, indent=1) + "\n")
    if arguments.page:
        write_page(arguments.json)
        print(f"{PAGE} written from {arguments.json}", file=sys.stderr)
    return 0


def _files(arguments: argparse.Namespace) -> Path:
    """The made-up files. A process of its own makes them: peak memory is inherited by children."""
    command = [sys.executable, "-m", "benchmarks.generate", "--size", str(arguments.size)]
    command += ["--steps", str(arguments.steps)]
    if arguments.dir:
        command += ["--dir", str(arguments.dir)]
    subprocess.run(command, env=environment(), check=True, stdout=subprocess.DEVNULL)
    return folder_for(arguments.size, arguments.dir)


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--size", type=int, default=20_000, help="nodes of the model")
    parser.add_argument("--steps", type=int, help="traced steps (default 2; 3 from 200000 nodes)")
    parser.add_argument("--repeat", type=int, help="whole runs, of which the least counts")
    parser.add_argument("--dir", type=Path, help="where the made-up files are kept")
    parser.add_argument("--only", help="comma-separated subjects: original, ours, repaired")
    parser.add_argument("--parts", help="comma-separated parts; default: all that make sense")
    parser.add_argument(
        "--json",
        type=Path,
        default=Path(tempfile.gettempdir()) / "tfprof-benchmarks" / "results",
        help="folder for the numbers, a file per size",
    )
    parser.add_argument("--page", action="store_true", help=f"also write {PAGE}")
    arguments = parser.parse_args(argv)
    if arguments.steps is None:
        arguments.steps = 1 if arguments.size >= 1_000_000 else 3 if arguments.size > 20_000 else 2
    if arguments.repeat is None:
        arguments.repeat = 3 if arguments.size <= 20_000 else 1
    return arguments


def _plan(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Which parts to run on whom: the two in turn, so that both see the same machine."""
    subjects = arguments.only.split(",") if arguments.only else list(NAMES)
    parts = ["views", "one-shot", "timeline", START, "text graph"]
    if arguments.parts:
        parts = arguments.parts.split(",")
    for part in parts:
        for who in subjects:
            if part == "timeline" and who == "original" and arguments.size > TIMELINE_LIMIT:
                continue
            if part == "text graph" and (who != "ours" or arguments.size > TEXT_LIMIT):
                continue
            if who == "repaired" and part in (START, "one-shot"):
                continue
            yield part, who


def _measure(part: str, who: str, folder: Path, steps: int) -> dict[str, dict[str, Any]]:
    """What a process of its own finds; what it cannot say is missing."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.session"]
    command += [part, who, str(folder), str(steps)]
    if part == START and who != "original":
        command = _command_line(folder, steps)
    began, spent = time.monotonic(), _children()
    try:
        done = subprocess.run(
            command, env=environment(), capture_output=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failures": {part: f"more than {TIMEOUT} s"}}
    took = time.monotonic() - began
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["killed"]
        return {"failures": {part: f"exit {done.returncode}: {reason[0]}"}}
    if part == START:
        return {"seconds": {part: took}, "cpu": {part: _children() - spent}}
    measured: dict[str, dict[str, Any]] = json.loads(done.stdout)
    if part != "views":
        measured.pop("megabytes")
    return measured


def _children() -> float:
    """The processor time of all finished processes that were started from here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _command_line(folder: Path, steps: int) -> list[str]:
    """What a user of ours types to see op view of some files."""
    runs = ",".join(str(folder / f"run_meta_{step}") for step in range(steps))
    return [
        *(sys.executable, "-m", "tfprof", f"--graph_path={folder / 'graph.pb'}"),
        *(f"--run_meta_path={runs}", f"--op_log_path={folder / 'tfprof_log'}", "op"),
        *("-select", ",".join(OPTIONS["select"]), "-order_by", OPTIONS["order_by"]),
        *("-max_depth", str(OPTIONS["max_depth"])),
    ]


def environment() -> dict[str, str]:
    """As after an installation: compiled modules are kept; TensorFlow is quiet."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    compiled = Path(tempfile.gettempdir()) / "tfprof-benchmarks" / "compiled"
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return kept | {
        "PYTHONPATH": path,
        "PYTHONPYCACHEPREFIX": str(compiled),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
    }


def _keep_minimum(kept: dict[str, dict[str, Any]], measured: dict[str, dict[str, Any]]) -> None:
    """Join the numbers of a further run: the least of each."""
    for kind, values in measured.items():
        known = kept.setdefault(kind, {})
        for name, value in values.items():
            if isinstance(known.get(name), float) and isinstance(value, float):
                value = min(value, known[name])
            known[name] = value


def _add_sums(measured: dict[str, dict[str, Any]], steps: int) -> None:
    names = ("load", *(f"step {step}" for step in range(steps)))
    for kind in ("seconds", "cpu"):
        values = measured.get(kind, {})
        parts = [values.get(name) for name in names]
        if None not in parts:
            values["files to profile"] = sum(parts)


if __name__ == "__main__":
    sys.exit(main())
