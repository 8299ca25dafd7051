"""Measure seven models with memray, compare, and write the table in docs/memory.md."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.memory_truth.compare import Row, compare
from benchmarks.memory_truth.models import MODELS
from benchmarks.memory_truth.page import write_page

_BATCHES = {"embedding": (128, 256, 512, 1024)}
_USUAL = (16, 32, 64, 128)
_THREADED = ("cnn", "resnet")


def main(argv: list[str] | None = None) -> int:
    """Run all models; the status says whether every number is within its limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory_truth", description=__doc__)
    parser.add_argument("--models", nargs="*", default=list(MODELS), help="which models")
    parser.add_argument("--keep", type=Path, help="keep graphs, traces and truth in this folder")
    parser.add_argument("--page", action="store_true", help="write the table in docs/memory.md")
    arguments = parser.parse_args(argv)
    if find_spec("memray") is None:
        print("memray is not installed: pip install memray", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        rows = [row for name in arguments.models for row in _measure(name, folder, threads=1)]
        threaded = [
            row
            for name in arguments.models
            if name in _THREADED
            for row in _measure(name, folder, threads=2)
        ]
    if arguments.page:
        write_page(rows, threaded)
    misses = [miss for row in rows for miss in row.misses()]
    misses += [
        f"{row.model} B={row.batch}, 2 threads: recorded is no lower bound"
        for row in threaded
        if row.recorded > row.memray
    ]
    print("\n".join(misses) or "all within their limits")
    return 1 if misses else 0


def _measure(name: str, folder: Path, *, threads: int) -> list[Row]:
    target = folder / (name if threads == 1 else f"{name}_{threads}_threads")
    batches = [str(batch) for batch in _BATCHES.get(name, _USUAL)]
    module = "benchmarks.memory_truth.measure"
    command = [sys.executable, "-m", module, name, str(target), str(threads), *batches]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    rows = compare(name, target)
    for row in rows:
        print(name, row.batch, f"{threads} threads", f"{row.memray / 1e6:.1f} MB", flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main())
