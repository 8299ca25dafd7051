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
_HANGS = 300
"""After how many seconds tests count as failed."""


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
_LAYER_TEXT = "tests/flops/layers/test_scopes.py tests/flops/test_layer_table.py"
_ACCOUNT = "tests/reports/test_account.py"
_VIEWS = "tests/views"

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
    # Of random samples of generated mutants, those that survived the tests of their module.
    Mutant("definitions/options.py", "max_depth + 2**31) %", "max_depth + 3**31) %", _OPTIONS),
    Mutant("definitions/options.py", "% 2**32 -", "% 2**33 -", _OPTIONS),
    Mutant(
        "definitions/options.py",
        "replace(options, max_depth=(options.max_depth + 2**31) % 2**32 - 2**31)",
        "replace(options)",
        _OPTIONS,
    ),
    Mutant("reports/filters.py", "least > 0 or (", "least >= 0 or (", _FILTERS),
    Mutant(
        "reports/filters.py", "negative_durations and not", "negative_durations or not", _FILTERS
    ),
    Mutant(
        "reports/filters.py",
        "metric.counts and report.kind in LIST",
        "metric.counts and report.kind not in LIST",
        _FILTERS,
    ),
    Mutant(
        "reports/filtered_rows.py", 'np.argsort(key, kind="stable")', "np.argsort(key)", _FILTERS
    ),
    Mutant(
        "reports/regexes.py",
        "len(regexes) > MAX",
        "len(regexes) >= MAX",
        "tests/reports/test_regexes.py",
    ),
    Mutant("reports/account.py", "[by_type]] = True", "[by_type]] = False", _ACCOUNT),
    Mutant("reports/account.py", "(weight == 1).all()", "(weight != 1).all()", _ACCOUNT),
    Mutant("reports/account.py", "if (weight == 1)", "if (weight == 2)", _ACCOUNT),
    Mutant("reports/account.py", "view.node >= 0", "view.node > 0", _ACCOUNT),
    Mutant("reports/account.py", "matched = members > 0", "matched = members >= 0", _VIEWS),
    Mutant("views/scope.py", "if len(ids) == len", "if len(ids) != len", _VIEWS),
    Mutant("views/scope.py", "len(scopes), -1", "len(scopes), -2", _ACCOUNT),
    Mutant("views/tree.py", "np.arange(count), 1)", "np.arange(count), 2)", _VIEWS),
    Mutant("views/tree.py", 'np.argsort(up[1:], kind="stable")', "np.argsort(up[1:])", _VIEWS),
    Mutant("views/graph.py", 'np.argsort(consumer, kind="stable")', "np.argsort(consumer)", _VIEWS),
    Mutant("views/graph.py", "stack = roots[::-1]", "stack = list(roots)", _VIEWS),
    Mutant("views/code.py", "index + len(distinct)", "index - len(distinct)", _VIEWS),
    Mutant("views/code.py", "np.where(index >= 0", "np.where(index > 0", _VIEWS),
    Mutant("views/code.py", "length[stack[scopes]] > 0", "length[stack[scopes]] > 1", _VIEWS),
    Mutant("views/code.py", ", minlength=len(targets))", ")", _VIEWS),
    Mutant("views/code.py", "if differs.any() else", "if differs.all() else", _VIEWS),
    Mutant("views/code.py", "in starts[1:]:", "in starts[2:]:", _VIEWS),
    Mutant(
        "views/code.py",
        "        start=np.insert(frames.start, end, frames.start[firsts]),\n",
        "",
        _VIEWS,
    ),
    Mutant("flops/layers/layer_rows.py", "_cost.params - sum", "_cost.params + sum", _LAYERS),
    Mutant("flops/layer_table.py", "_MAX_SHAPES = 4", "_MAX_SHAPES = 5", _LAYER_TEXT),
    Mutant("flops/layer_table.py", "layer.calls > 1 for", "layer.calls > 2 for", _LAYER_TEXT),
    Mutant("flops/layer_table.py", 'node.kind == "unknown"', 'node.kind != "unknown"', _LAYER_TEXT),
    Mutant("flops/layer_table.py", "- len(unknown)", "+ len(unknown)", _LAYER_TEXT),
    Mutant("flops/layer_table.py", "signature, bind=sizes,", "signature,", _LAYER_TEXT),
    Mutant("definitions/units.py", '("ms", 10**3)', '("ms", 11**3)', _UNITS),
    Mutant("definitions/options.py", "-_INT64 <= number", "-_INT64 < number", _OPTIONS),
    Mutant("definitions/units.py", '("ms", 10**3)', '("ms", 10**4)', _UNITS),
    Mutant("reports/account.py", "node * size + rank", "node * size - rank", _ACCOUNT),
    Mutant("reports/filtered_rows.py", "matched=depths > 1", "matched=depths > 2", _ACCOUNT),
    Mutant("views/op.py", "len(by_name) + 1", "len(by_name) + 2", _VIEWS),
    Mutant("views/op.py", "len(tree), -1", "len(tree), -2", _VIEWS),
    Mutant("views/scope.py", "np.full(1, -1", "np.full(1, -2", _VIEWS),
    Mutant("views/tree.py", "new_parent[0] = -1", "new_parent[0] = -2", _VIEWS),
    Mutant(
        "views/view.py",
        "member_node: Array = field(default_factory=lambda: np.zeros(0",
        "member_node: Array = field(default_factory=lambda: np.zeros(1",
        _VIEWS,
    ),
    Mutant(
        "flops/layers/layer_rows.py",
        "if each.last_op][-1:]",
        "if each.last_op][-2:]",
        "tests/flops/layers/test_layer_rows.py",
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
            timeout=_HANGS,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(original)
    if done.returncode > 1:
        raise SystemExit(f"the tests cannot run: {done.stdout.decode()[-500:]}")
    return done.returncode == 1


def _describe(mutant: Mutant) -> str:
    return f"{mutant.file}: {mutant.old.strip()} -> {mutant.new.strip()}"


if __name__ == "__main__":
    sys.exit(main())
