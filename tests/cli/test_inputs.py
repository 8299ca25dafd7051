"""`tfprof FILE_OR_FOLDER… op`: every input is recognized, and what is none of them is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.cli.conftest import Outcome, Tfprof, call
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.loaders import LOADERS
from tfprof.outputs.profile_tables import save_tables
from tfprof.protos.graph_pb2 import DataType, GraphDef
from tfprof.protos.saved_model_pb2 import SavedModel

PATHS = demo.paths()
MODEL = str(Path(__file__).resolve().parents[1] / "data" / "keras_2" / "sequential")
GRAPH = f"--graph_path={PATHS['graph']}"
TIME = ("op", "-select", "micros", "-order_by", "micros", "-quiet")


def answer(done: Outcome) -> str:
    assert (done.status, done.err) == (0, "")
    assert len(done.lines) > 10
    return done.text


def test_a_saved_model(run: Tfprof, tmp_path: Path) -> None:
    graph = GraphDef.FromString(PATHS["graph"].read_bytes())
    model = SavedModel(meta_graphs=[{"graph_def": graph, "meta_info_def": {"tags": ["serve"]}}])
    folder = tmp_path / "my_saved_model"
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(model.SerializeToString())
    params = ("op", "-select", "params,occurrence", "-quiet")
    expected = answer(run(GRAPH, *params))
    assert answer(run(str(folder), *params)) == expected
    assert answer(run(str(folder / "saved_model.pb"), *params)) == expected


def test_a_graph_a_run_and_an_op_log(run: Tfprof) -> None:
    run_meta, op_log = str(PATHS["run_meta"][0]), str(PATHS["op_log"])
    expected = answer(run(GRAPH, "--run_meta_path", run_meta, "--op_log_path", op_log, *TIME))
    assert answer(run(str(PATHS["graph"]), run_meta, op_log, *TIME)) == expected
    assert answer(run(op_log, str(PATHS["graph"]), run_meta, *TIME)) == expected


def test_a_profile(run: Tfprof, demo_profile: Profile, tmp_path: Path) -> None:
    path = tmp_path / "model.profile"
    path.write_bytes(demo_profile.serialize())
    assert answer(run(str(path), *TIME)) == answer(run("--demo", *TIME))


def test_a_tables_folder(run: Tfprof, demo_profile: Profile, tmp_path: Path) -> None:
    folder = tmp_path / "tables_folder"
    save_tables(demo_profile, folder)
    assert answer(run(str(folder), *TIME)) == answer(run("--demo", *TIME))


READS = f"; tfprof reads {', '.join(LOADERS)}"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("photo.png", b"\x89PNG\r\n\x1a\n", f"is a PNG image{READS}"),
        ("notes.txt", b"Dear diary,\n", f"is text{READS}"),
        ("x.keras", b"PK\x03\x04", "is a Keras model; try `tfprof model {path}`"),
        ("folder_of_nothing", None, f"is a directory of an unknown format{READS}"),
    ],
)
def test_other_formats_are_named_in_one_line(
    run: Tfprof, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    for argv in ([str(path)], [str(path), "op"]):
        done = run(*argv)
        assert (done.status, done.out) == (1, b"")
        assert done.err == f"tfprof: {path}: {message.format(path=path)}\n"


@pytest.mark.parametrize("flag", ["graph_path", "run_meta_path", "op_log_path", "profile_path"])
def test_flags_name_other_formats_too(run: Tfprof, tmp_path: Path, flag: str) -> None:
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n")
    graph = [] if flag in ("graph_path", "profile_path") else [GRAPH]
    done = run(*graph, f"--{flag}={photo}", "op")
    noun = next(loader.noun for loader in LOADERS.values() if loader.flag == flag)
    assert (done.status, done.out) == (1, b"")
    assert done.err == f"tfprof: {photo}: not {noun}; it is a PNG image\n"


def test_load_recognizes_the_same(tmp_path: Path) -> None:
    with pytest.raises(tfprof.LoadError, match="no such file or folder"):
        tfprof.load(tmp_path / "nothing")


@pytest.mark.parametrize(
    "words",
    [
        ("op", "-select=params"),
        ("op", "-select=float_ops"),
        ("scope",),
        ("graph", "--json"),
        ("summary",),
        ("advise",),
    ],
    ids=" ".join,
)
def test_a_wrong_symbol_is_an_error_in_every_command(words: tuple[str, ...]) -> None:
    wrong = call(MODEL, *words, "--bind=Q=3")
    assert wrong.err == "tfprof: cannot bind 'Q': the symbols of this model are B\n"
    assert (wrong.status, wrong.text) == (2, "")
    assert call(MODEL, *words, "--bind=B=3").status == 0


def test_sizes_without_a_symbol_are_refused(tmp_path: Path) -> None:
    without = call("--demo", "op", "-select=micros", "--bind=B=3")
    assert without.status == 2
    assert without.err.endswith(
        "tfprof: cannot bind 'B': this model has no symbols, as all its sizes are fixed; "
        "export or capture it with an open batch size (None)\n"
    )
    compat = call(MODEL, "--compat", "op", "-select=params", "--bind=B=3")
    assert compat.err == (
        "tfprof: bind: the original has no sizes to bind; leave it out with compat\n"
    )
    saved = tmp_path / "saved.profile"
    saved.write_bytes(tfprof.load(MODEL).serialize())
    late = call(str(saved), "op", "-select=float_ops", "--bind=B=3")
    assert late.status == 2
    assert "cannot bind 'B': the float operations of a saved profile are numbers" in late.err


def test_sizes_that_are_given_one_by_one_add_up(tmp_path: Path) -> None:
    """A second `--bind` does not replace the first."""
    graph = GraphDef()
    x = graph.node.add(name="x", op="Placeholder")
    x.attr["dtype"].type = DataType.DT_FLOAT
    for size in (-1, -1, 4):
        x.attr["shape"].shape.dim.add(size=size)
    graph.node.add(name="y", op="Relu", input=["x"]).attr["T"].type = DataType.DT_FLOAT
    (tmp_path / "graph.pb").write_bytes(graph.SerializeToString())

    def total(*sizes: str) -> Any:
        done = call("cost", str(tmp_path / "graph.pb"), "--json", *sizes)
        assert done.status == 0
        return json.loads(done.out)["float_ops"]

    assert total("--bind", "B=2", "--bind=T=3") == total("--bind", "B=2,T=3") == 24
    assert total("--bind", "B=2,T=3", "--bind", "B=2") == 24
    different = call("cost", str(tmp_path / "graph.pb"), "--bind", "B=2", "--bind", "B=4")
    assert different.status == 2
    assert "option 'bind': B is given as 2 and as 4; give one of them" in different.err


def test_runs_that_are_given_one_by_one_add_up(run: Tfprof) -> None:
    """A second `--run_meta_path` does not replace the first."""
    first, second = (str(path) for path in PATHS["run_meta"])
    expected = answer(run(GRAPH, "--run_meta_path", f"{first},{second}", *TIME))
    both = ("--run_meta_path", first, "--run_meta_path", second)
    assert answer(run(GRAPH, *both, *TIME)) == expected
    assert answer(run(GRAPH, *both[:2], *TIME)) != expected
