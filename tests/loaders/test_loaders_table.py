"""The recipe of CONTRIBUTING: a new format is a function that reads it, and a row in `LOADERS`."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from tfprof.cli.inputs import load_arguments
from tfprof.loaders import LOADERS, PARTS, Loader, assign_inputs, recognize
from tfprof.loaders.graph_def import GraphColumns, read_graph
from tfprof.protos.graph_pb2 import GraphDef

MAGIC = b"OPS1\n"


def read_op_list(path: Path) -> GraphColumns:
    """A graph from lines such as `name Type`."""
    lines = path.read_bytes().removeprefix(MAGIC).decode().splitlines()
    graph = GraphDef()
    for name, op in (line.split() for line in lines):
        graph.node.add(name=name, op=op)
    return read_graph(graph)


OP_LIST = Loader(
    name="OpList",
    help="a list of ops",
    provides="graph",
    recognize=lambda _path, head: head.startswith(MAGIC),
    read=read_op_list,
)


@pytest.fixture
def op_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setitem(LOADERS, OP_LIST.name, OP_LIST)
    path = tmp_path / "model.ops"
    path.write_bytes(MAGIC + b"a VariableV2\nb MatMul\n")
    return path


def test_a_row_is_enough(op_list: Path) -> None:
    assert recognize(op_list) is OP_LIST
    for profile in (tfprof.load(op_list), tfprof.load(graph=op_list)):
        assert profile.nodes.name.to_pylist() == ["a", "b"]
    assert tfprof.load(**load_arguments({}, [str(op_list)])).nodes.op.to_pylist()[1] == "MatMul"
    assert load_arguments({"graph_path": str(op_list)}) == {"graph": op_list}


def test_models_are_read_through_the_same_table(op_list: Path) -> None:
    assert tfprof.cost(op_list).ledger.nodes == 2
    assert "MatMul" in str(tfprof.cost(op_list).ledger.unknown_ops)


def test_errors_know_the_new_format(op_list: Path, tmp_path: Path) -> None:
    with pytest.raises(tfprof.LoadError, match=r"it is an OpList: give it as graph"):
        tfprof.load(run_meta=op_list)
    (tmp_path / "empty").touch()
    with pytest.raises(tfprof.LoadError, match=r"tfprof reads GraphDef, .*, OpList$"):
        tfprof.load(tmp_path / "empty")


def test_a_whole_profile_may_come_from_a_new_format(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loader = Loader(
        "Names",
        "a name per line",
        provides="profile",
        recognize=lambda path, _head: path.suffix == ".names",
        read=lambda path: tfprof.load(graph=GraphDef(node=[{"name": n} for n in lines(path)])),
    )
    monkeypatch.setitem(LOADERS, loader.name, loader)
    (tmp_path / "x.names").write_text("a\nb\n")
    assert assign_inputs([tmp_path / "x.names"]) == {"profile": tmp_path / "x.names"}
    assert tfprof.load(tmp_path / "x.names").nodes.name.to_pylist() == ["a", "b"]


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


@pytest.mark.parametrize("loader", LOADERS.values(), ids=lambda loader: loader.name)
def test_every_row_is_complete(loader: Loader) -> None:
    assert loader.provides in PARTS
    assert loader.help
    assert f"--{loader.flag}" in Path("docs/cli.md").read_text()
