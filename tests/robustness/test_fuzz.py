"""The fuzzer itself: its seeds are the same in every process, and it says what it reached."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.guard import failure_of
from fuzz.source_coverage import share_by_package
from fuzz.targets import targets

ROOT = Path(__file__).parents[2]
HASH_SEEDS = """
import hashlib
from fuzz.targets import targets

for name, target in targets().items():
    print(name, hashlib.sha256(repr(target.seeds()).encode()).hexdigest())
"""


def run(*arguments, **variables):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", **variables},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_seeds_are_the_same_in_every_process():
    first, second = (run("-c", HASH_SEEDS, PYTHONHASHSEED=seed) for seed in "12")
    assert first.splitlines() == second.splitlines()
    assert len(first.splitlines()) == len(targets())


def test_prints_shares_coverage_and_failures(tmp_path):
    pytest.importorskip("coverage")
    chosen = ["names", "sizes", "options"]
    out = run("-m", "fuzz", *chosen, "--minutes", "0.05", "--jobs", "1", "--crashers", tmp_path)
    shares = [float(share) for share in re.findall(r"([\d.]+)% (?:names|sizes|options)\n", out)]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    share = re.search(r"(\d+)% of the inputs went to readers and analyses\n", out)
    assert share is not None
    assert int(share[1]) >= 50
    assert re.search(r"lines reached: loaders [\d.]+%, .* outputs [\d.]+%\n", out)
    assert re.search(r" inputs tried in [\d.e+-]+ minutes, 0 failures\n$", out)
    assert not any(tmp_path.iterdir())


def test_share_of_lines_by_package():
    lines = {"views/a.py": (8, [3, 4]), "views/b.py": (2, []), "flops/c.py": (4, [1])}
    assert share_by_package(lines) == pytest.approx({"views": 0.8, "flops": 0.75})


FUZZED = sorted(path for path in (ROOT / "tests" / "data" / "fuzzed").rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FUZZED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_inputs_that_once_failed(path):
    failure = failure_of(targets()[path.parent.name], path.read_bytes())
    assert failure is None, failure
