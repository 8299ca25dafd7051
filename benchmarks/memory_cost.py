"""What recorded allocations cost: loading and the views, beside a commit that does not read them.

    python -m benchmarks.memory_cost c238861

Both trees run in turn, in processes of their own; the least CPU time of each counts. The status is
1 if loading takes more than 1.15 times as long.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.generate import generate

_ROOT = Path(__file__).parent.parent
_LIMIT = 1.15
_PROGRAM = """
import json, sys, time
from pathlib import Path

import tfprof

folder, steps = Path(sys.argv[1]), int(sys.argv[2])
inputs = {"graph": folder / "graph.pb", "op_log": folder / "tfprof_log"}
tfprof.load(**inputs).report("op", select=["params"]).text()  # imports what is needed
seconds = {}


def timed(name, task):
    start = time.process_time()
    result = task()
    seconds[name] = time.process_time() - start
    return result


runs = [folder / f"run_meta_{step}" for step in range(steps)]
profile = timed("load", lambda: tfprof.load(**inputs, run_meta=runs))
for view in ("scope", "op", "graph", "code"):
    timed(view, lambda: profile.report(view, select=["micros", "bytes", "params"]).text())
if hasattr(profile, "live_tensors"):
    timed("live_bytes", lambda: profile.report("scope", select=["live_bytes"]).text())
print(json.dumps(seconds))
"""


def main(argv: list[str] | None = None) -> int:
    """Measure both trees and print the ratios."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory_cost", description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--size", type=int, default=20_000, help="nodes of the model")
    parser.add_argument("--repeat", type=int, default=7, help="processes of each tree")
    arguments = parser.parse_args(argv)
    folder = generate(arguments.size, 2)
    with tempfile.TemporaryDirectory() as scratch:
        archive = subprocess.run(
            ["git", "archive", arguments.base, "src"], cwd=_ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", scratch], input=archive.stdout, check=True)
        trees = {"before": Path(scratch) / "src", "now": _ROOT / "src"}
        least: dict[str, dict[str, float]] = {name: {} for name in trees}
        for _ in range(arguments.repeat):
            for name, tree in trees.items():
                for task, seconds in _measure(tree, folder).items():
                    least[name][task] = min(seconds, least[name].get(task, seconds))
    for task, now in least["now"].items():
        before = least["before"].get(task)
        ratio = f"{before:8.3f}{now / before:8.2f}x" if before else ""
        print(f"{task:12}{now:8.3f}{ratio}")
    return 1 if least["now"]["load"] > _LIMIT * least["before"]["load"] else 0


def _measure(tree: Path, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-c", _PROGRAM, str(folder), "2"]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds: dict[str, float] = json.loads(done.stdout)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
