"""Try every mutant: `python -m tools.mutants --jobs 2 [FILE ...]`.

The tests that reach the changed lines run without TensorFlow, the quickest first. Prints the
mutants that survive; the status is 1 if fewer than 95 % die.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from tools.mutants.covering_tests import CoveringTests, trace_tests
from tools.mutants.generate import Mutant, generate_mutants
from tools.mutants.try_mutant import dies, run_forked

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "tfprof"
FILES = (
    "definitions/options.py",
    "definitions/units.py",
    "flops/layer_table.py",
    "flops/layers/layer_rows.py",
    "reports/account.py",
    "reports/filtered_rows.py",
    "reports/filters.py",
    "reports/regexes.py",
    "views/code.py",
    "views/graph.py",
    "views/op.py",
    "views/scope.py",
    "views/tree.py",
    "views/view.py",
)
TESTS = ("definitions", "profiles", "flops", "views", "reports", "outputs")
_LEAST = 0.95


def main() -> int:
    """Try all mutants of the files, and print those that survive."""
    args = _arguments()
    os.chdir(ROOT)
    os.environ["TFPROF_LOWEST"] = "1"  # no TensorFlow, as in `make test-lowest`
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    paths = [SOURCE / name for name in args.files or FILES]
    tests = _find_covering_tests(paths)
    total = survivors = 0
    with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
        for path in paths:
            mutants = list(generate_mutants(path.read_text()))
            module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
            if pool.apply(dies, (module, path.read_text(), tests.find_all(path))):
                raise SystemExit(f"the tests of {path.name} fail without any mutant")
            tasks = [(module, each.source, tests.find(path, each.lines)) for each in mutants]
            alive = 0
            for mutant, dead in zip(mutants, pool.imap(_dies, tasks), strict=True):
                if not dead:
                    alive += 1
                    print(_describe(path, mutant), flush=True)
            died = len(mutants) - alive
            print(f"{died} of {len(mutants)} die: {path.relative_to(SOURCE)}", flush=True)
            total, survivors = total + len(mutants), survivors + alive
    share = 1 - survivors / total
    print(f"{share:.1%} of {total} mutants die")
    return 0 if share >= _LEAST else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help="which files below src/tfprof; the usual ones")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def _find_covering_tests(paths: list[Path]) -> CoveringTests:
    with tempfile.TemporaryDirectory() as folder:
        tests = [f"tests/{name}" for name in TESTS]
        if run_forked(partial(trace_tests, Path(folder), paths, tests), seconds=3600) != 0:
            raise SystemExit("the tests fail without any mutant: see `make test-lowest`")
        return CoveringTests(Path(folder), paths)


def _dies(task: tuple[str, str, list[str]]) -> bool:
    return dies(*task)


def _describe(path: Path, mutant: Mutant) -> str:
    where = f"{path.relative_to(SOURCE)}:{mutant.lines.start}"
    return f"SURVIVES {where}: {_one_line(mutant.old)} -> {_one_line(mutant.new)}"


def _one_line(code: str) -> str:
    return " ".join(code.split())


if __name__ == "__main__":
    sys.exit(main())
