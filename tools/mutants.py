"""Small faults put into the code one at a time: the tests that need no TensorFlow must notice each.

`make mutants` copies the sources, changes one line, and runs the tests of what was changed. Prints
the mutants that survive; the status is 1 if fewer than 95 % die.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_LEAST = 0.95


class Mutant(NamedTuple):
    """A change of one place in a file below src/tfprof, and the tests that have to notice it."""

    file: str
    old: str
    new: str
    tests: str


_FILTERS = "tests/reports/test_filters.py tests/reports/test_minima.py tests/reports/test_order.py"
_OPTIONS = "tests/definitions tests/reports/test_filters.py"
_TREE = "tests/views tests/reports/test_filters.py"
_REPORTS = "tests/reports tests/views tests/outputs/test_terminal_table.py"
_POLYNOMIALS = "tests/flops/test_polynomial.py tests/flops/test_limit_tensors.py"
_UNITS = "tests/definitions/test_units.py"
_LAYERS = "tests/flops/layers/test_scopes.py tests/flops/layers/test_keras_2_layers.py"

MUTANTS = (
    Mutant("reports/filters.py", "rows.depth <= options", "rows.depth < options", _FILTERS),
    Mutant("reports/filters.py", "tree.depth - 2, 0", "tree.depth - 1, 0", _FILTERS),
    Mutant("reports/filters.py", "starts &= ~tree.descendants_of(starts)\n", "pass\n", _FILTERS),
    Mutant("reports/filters.py", "(minimum) >= minimum", "(minimum) > minimum", _FILTERS),
    Mutant("reports/filters.py", "self.own if minimum", "self.total if minimum", _FILTERS),
    Mutant("reports/filters.py", "starts[0] = False", "starts[0] = True", _FILTERS),
    Mutant(
        "reports/filters.py",
        'hide_name_regexes", ~matches',
        'hide_name_regexes", matches',
        _REPORTS,
    ),
    Mutant("reports/filters.py", "= ~values", "= -values", _FILTERS),
    Mutant("reports/filters.py", "least > 0:", "least > 1:", _FILTERS),
    Mutant("definitions/options.py", "number < _INT64", "number <= _INT64", _OPTIONS),
    Mutant("definitions/options.py", "not -_INT64 <= number", "not -_INT64 < number - 1", _OPTIONS),
    Mutant("views/tree.py", "astype(np.int64)) > mask", "astype(np.int64)) >= mask", _TREE),
    Mutant("views/tree.py", "sums -= prefix[:-1]", "sums -= prefix[1:]", _TREE),
    Mutant("views/tree.py", "np.subtract.at(change, self.end", "np.add.at(change, self.end", _TREE),
    Mutant("definitions/units.py", "if value >= size", "if value > size", _UNITS),
    Mutant("definitions/units.py", "1024 if", "1000 if", _UNITS),
    Mutant("definitions/units.py", "find(unit[0]) + 1", "find(unit[0])", _UNITS),
    Mutant("definitions/units.py", "if share < 1 else", "if share <= 1 else", _UNITS),
    Mutant("flops/layers/layer_rows.py", '.kind == "counted":', '.kind != "counted":', _LAYERS),
    Mutant("flops/layers/layer_rows.py", "if row.depth == depth + 1", "if row.depth > 0", _LAYERS),
    Mutant("flops/layers/layer_rows.py", "and (variable.trainable or", "and (True or", _LAYERS),
    Mutant(
        "flops/layers/layer_rows.py", "ops or outside.params", "ops and outside.params", _LAYERS
    ),
    Mutant("reports/regexes.py", r'rf"\A(?:', r'rf"(?:', _REPORTS),
    Mutant("reports/regexes.py", "mask |= matches", "mask &= matches", _REPORTS),
    Mutant("reports/account.py", "match_count += mask", "match_count = mask * 1", _REPORTS),
    Mutant(
        "flops/polynomial.py",
        "a.degree + b.degree > MAX",
        "a.degree + b.degree >= MAX",
        _POLYNOMIALS,
    ),
    Mutant(
        "flops/polynomial.py",
        "total = terms.get(key, 0) + c",
        "total = terms.get(key, 0) - c",
        _POLYNOMIALS,
    ),
    Mutant("flops/atoms.py", "a + b - 1, b", "a + b, b", _POLYNOMIALS),
    Mutant("flops/limit_tensors.py", "size < _SIZE_END for", "size <= _SIZE_END for", _POLYNOMIALS),
    Mutant("flops/limit_tensors.py", "bits - 1)", "bits)", _POLYNOMIALS),
    Mutant(
        "flops/limit_tensors.py", "> MAX_RANK else tuple", ">= MAX_RANK else tuple", _POLYNOMIALS
    ),
)


def main() -> int:
    """Try all mutants, and print those that survive."""
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source)
        for number, mutant in enumerate(MUTANTS, 1):
            dies = _dies(mutant, source)
            print(
                f"{number:>3}/{len(MUTANTS)} {'dies' if dies else 'SURVIVES'} {_describe(mutant)}"
            )
            survivors += [] if dies else [mutant]
    share = 1 - len(survivors) / len(MUTANTS)
    print(f"{share:.0%} of {len(MUTANTS)} mutants die")
    return 0 if share >= _LEAST else 1


def _dies(mutant: Mutant, source: Path) -> bool:
    path = source / "tfprof" / mutant.file
    original = path.read_text()
    if original.count(mutant.old) != 1:
        raise SystemExit(
            f"{mutant.file}: {mutant.old!r} is there {original.count(mutant.old)} times"
        )
    path.write_text(original.replace(mutant.old, mutant.new))
    try:
        # Without TensorFlow, as `make test-lowest`; bytecode of the unchanged file would be used.
        variables = {"PYTHONPATH": f"{source}:{ROOT}", "TFPROF_LOWEST": "1"}
        pytest = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*pytest, *mutant.tests.split()],
            cwd=ROOT,
            env={**os.environ, **variables},
            capture_output=True,
            check=False,
        )
    finally:
        path.write_text(original)
    if done.returncode > 1:
        raise SystemExit(f"the tests cannot run: {done.stdout.decode()[-500:]}")
    return done.returncode == 1


def _describe(mutant: Mutant) -> str:
    return f"{mutant.file}: {mutant.old.strip()} -> {mutant.new.strip()}"


if __name__ == "__main__":
    sys.exit(main())
