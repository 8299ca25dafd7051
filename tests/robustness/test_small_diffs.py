"""Small profiles whose diff once took minutes or gigabytes: each keeps a budget of 2 s, 300 MB."""

from __future__ import annotations

import pytest

from tests.robustness.budget import run_measured
from tests.robustness.models import graph_of
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.log_pb2 import OpLogProto

_COUNTERS = f"a{'_1' * 10_000}x"
_LETTERS = [
    "".join(chr(0x10000 + i) + chr(first + i) for i in range(12_000))
    for first in (0x20000, 0x28000)
]
"""Texts that have every other letter in common."""


def _diff_nodes(before, after, tmp_path):
    paths = [tmp_path / "before.pb", tmp_path / "after.pb"]
    for path, names in zip(paths, (before, after), strict=True):
        graph = GraphDef()
        for name in ("first", *names):
            graph.node.add(name=name, op="A")
        path.write_bytes(graph.SerializeToString())
    assert run_measured("diff", *paths, "scope", "-select", "occurrence").check().status == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([f"a_{i}" for i in range(20_000)], [f"a_{i}" for i in range(20_001)]),
        ([f"{_COUNTERS}_{i}" for i in range(2)], [f"{_COUNTERS}_{i}" for i in range(3)]),
        (
            [f"{_LETTERS[0]}/{i}" for i in range(3)],
            [f"{_LETTERS[1]}/{i}" for i in range(4)],
        ),
        (
            [f"b{i}x/a{i}" for i in range(2000)],
            [f"c{i}y/d{i}_{k}z" for i in range(2000) for k in range(9)],
        ),
    ],
    ids=["siblings", "counters", "letters", "sizes"],
)
def test_names(before, after, tmp_path):
    _diff_nodes(before, after, tmp_path)


def test_renamed_words_that_begin_alike(tmp_path):
    words = [f"{'_' * (300 + k)}x" for k in range(200)]
    before = [(f"p{k}/{word}", "MatMul") for k, word in enumerate(words)]
    after = [(f"p{k}/q{k}", "MatMul") for k in range(200)]
    sides = (
        (tmp_path / "before.pb", [*before, ("_" * 100_000, "Foo")]),
        (
            tmp_path / "after.pb",
            [*after, ("zz", "Bar")],
        ),
    )
    for path, nodes in sides:
        path.write_bytes(graph_of(("k", "Const"), *nodes).SerializeToString())
    assert run_measured("diff", *(path for path, _ in sides)).check().status == 0


def _write_lines(folder, lines):
    """A profile of nodes that each are created by a line of a file, with its text."""
    graph, log = GraphDef(), OpLogProto()
    for number, (file, text) in enumerate(lines):
        graph.node.add(name=f"n{number}", op="A")
        traces = log.log_entries.add(name=f"n{number}").code_def.traces
        traces.add(file=file, lineno=number + 1, function="f", line=text)
    folder.mkdir()
    (folder / "graph").write_bytes(graph.SerializeToString())
    (folder / "log").write_bytes(log.SerializeToString())
    inputs = f"--graph_path={folder / 'graph'}", f"--op_log_path={folder / 'log'}"
    assert run_measured(*inputs, "tables", f"--out={folder / 'tables'}").status == 0
    return folder / "tables"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([("a", "x")] * 5000, [("a", "x")] * 5001),
        ([("a", "x")] * 2000, [("a", f"y{i}" if i % 2 else "x") for i in range(2000)]),
        ([("a", _LETTERS[0])], [("a", _LETTERS[1])]),
        ([(f"b{i}/a", "x") for i in range(5000)], [(f"c{i}/a", "x") for i in range(5000)]),
    ],
    ids=["equal", "alternating", "long", "files"],
)
def test_lines(before, after, tmp_path):
    sides = _write_lines(tmp_path / "before", before), _write_lines(tmp_path / "after", after)
    assert run_measured("diff", *sides, "code", "-select", "occurrence").check().status == 0
