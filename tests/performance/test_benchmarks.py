"""The benchmarks time work, not imports: what they measure is imported before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.generate import generate
from benchmarks.page import write_page

SESSION = """
import sys
from pathlib import Path

from benchmarks.session import PARTS, Session
from benchmarks.subjects import subject

who, folder = sys.argv[1:]
tested = Session(subject(who), Path(folder), 2)
before = set(sys.modules)
for part in ("views", "one-shot", "timeline"):
    PARTS[part](tested)
if tested.failures:
    sys.exit(f"failed: {tested.failures}")
imported = sorted(name for name in set(sys.modules) - before if name.startswith("tfprof."))
if imported:
    sys.exit(f"imported: {imported}")
"""


@pytest.mark.parametrize("who", ["ours", "repaired"])
def test_tasks_import_nothing(who: str, tmp_path: Path) -> None:
    folder = generate(300, 2, tmp_path)
    command = [sys.executable, "-c", SESSION, who, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_page_keeps_sizes_that_were_not_measured(tmp_path: Path) -> None:
    page, results = tmp_path / "performance.md", tmp_path / "results"
    results.mkdir()
    for size in (200_000, 20_000):
        run = {"size": size, "steps": 2, "repeat": 3, "machine": {"cores": 2}}
        seconds = {who: {"seconds": {"advise": size / 1e6}} for who in ("original", "ours")}
        (results / "run.json").write_text(json.dumps({**run, "results": seconds}))
        write_page(results, page)
    text = page.read_text()
    assert text.index("## 20,000 nodes, 2 steps") < text.index("## 200,000 nodes, 2 steps")
    assert text.count("Least of 3 runs.") == 2
    write_page(results, page)
    assert page.read_text() == text
