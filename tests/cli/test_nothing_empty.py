"""No command ends with status 0 and an empty answer, whatever file or folder it is given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import Outcome, call
from tests.loaders.other_files import FILES, FOLDERS, NAMELESS, write_file, write_folder
from tfprof import demo
from tfprof.cli.commands import COMMANDS
from tfprof.cli.inputs import INPUTS
from tfprof.loaders import LOADERS
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.log_pb2 import OpLogProto, ProfileProto
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.views import VIEWS

PATHS = demo.paths()
PATH_FLAGS = [name for name, flag in INPUTS.items() if flag.kind in ("path", "paths")]
MODEL_COMMANDS = ("model", "cost")
OTHER_INPUTS = ("diff", "fleet")
"""Commands that take two profiles, or a store; tests/fleet has bad stores."""


def _commands(path: Path) -> Iterator[list[str]]:
    """Every command that reads a file, and every flag that names one."""
    yield [str(path)]
    yield ["diff", str(path), str(PATHS["graph"])]
    for name, command in COMMANDS.items():
        if command.where == "shell" or not command.inputs or name in OTHER_INPUTS:
            continue
        out = [f"--out={path.parent / 'out'}"] if name in ("report", "tables") else []
        if name == "gate":
            yield [name, str(path), "--init", f"--budget={path.parent / 'budget.toml'}"]
        else:
            yield [name, str(path)] if name in MODEL_COMMANDS else [str(path), name, *out]
    yield from ([f"--{flag}={path}", "op"] for flag in PATH_FLAGS)


def fails_in_one_line(done: Outcome, words: list[str] | None = None) -> bool:
    # Of a gate 1 says that a limit is exceeded.
    status = 2 if words and words[0] == "gate" else 1
    return done.status == status and not done.out and done.err.count("\n") == 1


@pytest.mark.parametrize("sample", FILES, ids=[name for _, name, _ in FILES])
def test_files_of_another_format(sample: tuple[str, str, bytes], tmp_path: Path) -> None:
    format_name, name, content = sample
    path = write_file(tmp_path, name, content)
    for words in _commands(path):
        if words[0] in MODEL_COMMANDS and path.suffix == ".keras":
            continue
        done = call(*words)
        assert fails_in_one_line(done, words), words
        assert f"{path}: " in done.err, words
        assert f"is {format_name}" in done.err, words


@pytest.mark.parametrize("name", NAMELESS)
def test_files_of_no_known_format(name: str, tmp_path: Path) -> None:
    path = write_file(tmp_path, name, NAMELESS[name])
    for words in _commands(path):
        done = call(*words)
        assert fails_in_one_line(done, words), words
        assert f"{path}: " in done.err, words


@pytest.mark.parametrize("name", FOLDERS)
def test_folders(name: str, tmp_path: Path) -> None:
    path = write_folder(tmp_path, FOLDERS[name])
    for words in _commands(path):
        done = call(*words)
        assert fails_in_one_line(done, words), words
        assert f"{path}: " in done.err, words
        assert name in done.err, words


def test_a_path_without_a_file(tmp_path: Path) -> None:
    for words in _commands(tmp_path / "missing"):
        done = call(*words)
        assert fails_in_one_line(done, words), words
        assert "missing: no " in done.err, words


def _without_a_model() -> dict[str, Path | bytes]:
    """Formats that tfprof reads, but in which there is no graph."""
    profile = ProfileProto()
    profile.nodes[0].name, profile.nodes[0].op = "a", "A"
    return {
        "RunMetadata": PATHS["run_meta"][0],
        "OpLogProto": PATHS["op_log"],
        "checkpoint": PATHS["checkpoint"],
        "ProfileProto": profile.SerializeToString(),
    }


@pytest.mark.parametrize("command", MODEL_COMMANDS)
@pytest.mark.parametrize("kind", _without_a_model())
def test_models_are_told_from_other_inputs(kind: str, command: str, tmp_path: Path) -> None:
    sample = _without_a_model()[kind]
    path = write_file(tmp_path, kind, sample) if isinstance(sample, bytes) else sample
    done = call(command, str(path))
    assert fails_in_one_line(done)
    assert f"{path}: is {LOADERS[kind].noun}, not a model; give " in done.err


def test_a_file_that_is_only_called_a_keras_model(tmp_path: Path) -> None:
    for content, says in (
        (b"\x89HDF\r\n\x1a\n\0", "is an HDF5 file, such as Keras writes; load it in Keras"),
        (b"nothing", "is text; give a SavedModel"),
        (b"\xff\xfe\x01", "not a Keras model; truncated, or a different format"),
    ):
        path = write_file(tmp_path, "model.keras", content)
        for command in MODEL_COMMANDS:
            done = call(command, str(path))
            assert fails_in_one_line(done)
            assert f"{path}: {says}" in done.err


def test_a_tables_folder_is_no_model(tmp_path: Path) -> None:
    tfprof.load(**demo.paths()).save_tables(tmp_path / "tables")
    done = call("model", str(tmp_path / "tables"))
    assert fails_in_one_line(done)
    assert "is a tables folder, not a model; give a SavedModel" in done.err


NOTHING = {
    "op_log": (
        OpLogProto(log_entries=[{"name": "a", "types": ["t"]}]),
        "an op log has no nodes; give the graph too (--graph_path)",
    ),
    "run_meta": (
        RunMetadata(step_stats={"dev_stats": [{"device": "cpu"}]}),
        "has no records; trace the step with RunOptions(trace_level=FULL_TRACE)",
    ),
    "profile": (
        ProfileProto(steps=[0], has_trace=True),
        "a profile without nodes; add a graph or a step before it is saved",
    ),
}


@pytest.mark.parametrize("part", NOTHING)
@pytest.mark.parametrize("command", [*VIEWS, "advise"])
def test_inputs_without_nodes(part: str, command: str, tmp_path: Path) -> None:
    message, says = NOTHING[part]
    path = write_file(tmp_path, part, message.SerializeToString())
    done = call(f"--{part}_path={path}", command)
    assert fails_in_one_line(done)
    assert done.err == f"tfprof: {path}: {says}\n"


def test_an_empty_profile_that_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "empty.profile"
    tfprof.Profiler(b"").save(path)
    assert len(tfprof.Profiler.load(path).profile.nodes) == 0
    assert len(tfprof.load(profile=path).nodes) == 0
    done = call(f"--profile_path={path}", "op")
    assert fails_in_one_line(done)
    assert "a profile without nodes" in done.err


def test_empty_tables_that_were_saved(tmp_path: Path) -> None:
    tfprof.Profile().save_tables(tmp_path / "tables")
    assert len(tfprof.load(tmp_path / "tables").nodes) == 0
    assert "a profile without nodes" in call(str(tmp_path / "tables"), "op").err


def test_a_run_without_a_graph_says_what_is_missing() -> None:
    done = call(str(PATHS["run_meta"][0]), "op", "-select", "micros")
    assert done.status == 0
    assert done.err == (
        "no graph loaded: give --graph_path to see params, float_ops and what did not run\n"
    )


def test_a_run_without_records_says_so_beside_a_graph(tmp_path: Path) -> None:
    path = write_file(tmp_path, "run", NOTHING["run_meta"][0].SerializeToString())
    done = call(str(PATHS["graph"]), str(path), "op", "-select", "micros,params")
    assert done.err.startswith(f"{path}: has no records; trace the step with ")


def test_a_model_without_costs_says_so(tmp_path: Path) -> None:
    graph = GraphDef(node=[{"name": "c", "op": "Const"}, {"name": "d", "op": "NoOp"}])
    path = write_file(tmp_path, "graph.pb", graph.SerializeToString())
    for command, says in {
        "model": "no layer has parameters or float operations",
        "cost": "no op does float operations",
    }.items():
        done = call(command, str(path))
        assert done.status == 0
        assert done.lines[0] == says
        assert done.lines[-1] == "2 nodes: 0 counted, 2 zero-cost, 0 unsupported"
