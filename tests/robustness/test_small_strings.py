"""Small inputs with one long string that many rows refer to: each keeps 2 s and 300 MB.

It is written once, so that the input is small, but a copy in each row once took gigabytes.
"""

from __future__ import annotations

from pathlib import Path

from tests.robustness.budget import run_measured
from tests.robustness.models import graph_of, log_of

_ALL = "-account_type_regexes", ".*", "-max_depth", "10000"


def write_stacks(folder: Path, file: str, count: int, function: str = "f") -> list[str]:
    """A graph of so many nodes, each made on another line of one file, as arguments."""
    names = [f"n{i}" for i in range(count)]
    graph = graph_of(*((name, "MatMul") for name in names))
    log = log_of({name: [(file, function, line)] for line, name in enumerate(names)})
    (folder / "graph").write_bytes(graph.SerializeToString())
    (folder / "log").write_bytes(log.SerializeToString())
    return [f"--graph_path={folder / 'graph'}", f"--op_log_path={folder / 'log'}"]


def test_page_of_a_file_with_many_lines(tmp_path):
    """Whose file a path is, is found once, not for each frame."""
    inputs = write_stacks(tmp_path, "f" * 20_000 + "/x.py", 500)
    output = f"html:outfile={tmp_path / 'o.html'}"
    assert run_measured(*inputs, "code", *_ALL, "-output", output).check().status == 0
