"""Small inputs with one long string that many rows refer to: each keeps 2 s and 300 MB.

It is written once, so that the input is small, but a copy in each row once took gigabytes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robustness.budget import Measured, run_measured
from tests.robustness.hostile_models import model_with_a_long_name
from tests.robustness.models import Frame, graph_of, log_of, run_of
from tfprof.errors import TfprofError

_ALL = "-account_type_regexes", ".*", "-max_depth", "10000"


def write_model(folder: Path, stacks: dict[str, list[Frame]]) -> list[str]:
    """A graph of nodes with these stacks, as arguments."""
    graph = graph_of(*((name, "MatMul") for name in stacks))
    (folder / "graph").write_bytes(graph.SerializeToString())
    (folder / "log").write_bytes(log_of(stacks).SerializeToString())
    return [f"--graph_path={folder / 'graph'}", f"--op_log_path={folder / 'log'}"]


def write_lines(folder: Path, file: str, count: int, function: str = "f") -> list[str]:
    """A graph of so many nodes, each made on another line of one file, as arguments."""
    return write_model(folder, {f"n{line}": [(file, function, line)] for line in range(count)})


def output(folder: Path, kind: str) -> list[str]:
    return ["-output", f"{kind}:outfile={folder / 'out'}"]


def check_refused(done: Measured, text: str) -> None:
    """One short line that says what is too long."""
    assert done.check().status == 1
    assert text in done.err
    assert len(done.err) < 500


def test_page_of_a_file_with_many_lines(tmp_path):
    """Whose file a path is, is found once, not for each frame."""
    stacks = {f"n{i}": [("f" * 40_000 + "/x.py", "f", i), ("y.py", "g", 1)] for i in range(1000)}
    inputs = write_model(tmp_path, stacks)
    assert run_measured(*inputs, "code", *_ALL, *output(tmp_path, "html")).check().status == 0


@pytest.mark.parametrize("kind", ["json", "html", "pprof", "timeline", "speedscope", "text"])
def test_file_with_a_long_name_and_many_lines(tmp_path, kind):
    inputs = write_lines(tmp_path, "f" * 40_000, 900)
    chosen = [] if kind == "text" else output(tmp_path, kind)
    done = run_measured(*inputs, "code", *_ALL, *chosen)
    check_refused(done, "of 40,000 characters: the name is too long for 900 lines")


@pytest.mark.parametrize("command", [["summary"], ["advise"], ["sql", "select source from nodes"]])
def test_commands_on_a_file_with_a_long_name(tmp_path, command):
    inputs = write_lines(tmp_path, "f" * 40_000, 900)
    check_refused(run_measured(*inputs, *command), "the name is too long for 900 lines")


def test_lines_of_a_file_with_a_long_name_for_compat(tmp_path):
    inputs = write_lines(tmp_path, "f" * 40_000, 900)
    check_refused(run_measured(*inputs, "--compat", "code", *_ALL), "the name is too long")


@pytest.mark.parametrize("kind", ["json", "csv", "parquet", "timeline", "speedscope"])
def test_file_in_a_long_folder(tmp_path, kind):
    """Code view has the base name alone, but these have the whole path of each row."""
    inputs = write_lines(tmp_path, "f" * 40_000 + "/x.py", 900)
    done = run_measured(*inputs, "code", *_ALL, *output(tmp_path, kind))
    check_refused(done, "files and functions: would take 0.0 GB")


def test_outputs_that_name_a_file_once(tmp_path):
    inputs = write_lines(tmp_path, "f" * 40_000 + "/x.py", 900)
    for chosen in ([], output(tmp_path, "pprof"), output(tmp_path, "folded")):
        assert run_measured(*inputs, "code", *_ALL, *chosen).check().status == 0
    done = run_measured(*inputs, "sql", "select count(distinct file) from frames")
    assert done.check().status == 0


def test_nodes_made_on_one_line_of_a_file_with_a_long_name(tmp_path):
    inputs = write_model(tmp_path, {f"n{i}": [("f" * 50_000, "f", 1)] for i in range(2000)})
    for command in (["summary"], ["sql", "select count(source) from nodes"]):
        assert run_measured(*inputs, *command).check().status == 0
    done = run_measured(*inputs, "scope", *_ALL, *output(tmp_path, "html"))
    assert done.check().status == 0
    check_refused(run_measured(*inputs, "scope", *_ALL, *output(tmp_path, "timeline")), "source")


@pytest.mark.parametrize("command", [["code", *_ALL], ["summary"]])
def test_functions_with_a_long_name(tmp_path, command):
    """Their names are cut, but gradients have others."""
    inputs = write_lines(tmp_path, "x.py", 900, "f" * 50_000)
    assert run_measured(*inputs, *command).check().status == 0


def write_run(folder: Path, device: str, count: int) -> list[str]:
    """A graph of so many nodes that all ran on one device, as arguments."""
    names = [f"n{i}" for i in range(count)]
    graph = graph_of(*((name, "MatMul") for name in names))
    run = run_of(
        f"/job:a/task:0/device:{device}:0", *((name, i + 1, 1) for i, name in enumerate(names))
    )
    (folder / "graph").write_bytes(graph.SerializeToString())
    (folder / "run_meta_0").write_bytes(run.SerializeToString())
    return [f"--graph_path={folder / 'graph'}", f"--run_meta_path={folder / 'run_meta_0'}"]


@pytest.mark.parametrize("select", ["device", "op_types"])
def test_text_of_a_device_with_a_long_name(tmp_path, select):
    inputs = write_run(tmp_path, "X" * 40_000, 1500)
    done = run_measured(*inputs, "scope", "-select", f"micros,{select}")
    check_refused(done, "devices and types of nodes: would take 0.1 GB")


def test_table_of_a_device_with_a_long_name(tmp_path):
    inputs = write_run(tmp_path, "X" * 40_000, 1500)
    done = run_measured(*inputs, "graph", "-select", "micros", *output(tmp_path, "json"))
    check_refused(done, "devices of the rows: would take 0.1 GB")


@pytest.mark.parametrize("table", ["nodes", "records"])
def test_query_on_a_device_with_a_long_name(tmp_path, table):
    inputs = write_run(tmp_path, "X" * 40_000, 2500)
    query = f"select count(*), min(length(device)), count(distinct name) from {table}"
    done = run_measured(*inputs, "sql", query)
    assert done.check().status == 0
    assert done.out.split()[-3:] == ["2500", "40023", "2500"]


def test_store_of_a_device_with_a_long_name(tmp_path):
    write_run(tmp_path, "X" * 40_000, 1500)
    command = "fleet", "ingest", tmp_path, "--job", "j", "--out", tmp_path / "store"
    done = run_measured(*command, "--processes", "1")
    check_refused(done, "has 40,023 characters, more than 1,000; shorten it")


def test_errors_cut_long_names(tmp_path):
    graph = graph_of(("a" * 150_000, "A"), ("a" * 150_000, "A"))
    (tmp_path / "graph").write_bytes(graph.SerializeToString())
    done = run_measured(f"--graph_path={tmp_path / 'graph'}", "scope", "-select", "b" * 100_000)
    assert done.check().status == 2
    assert len(done.err) < 2500


def test_names_in_errors():
    """Only those that make a message too long are cut, and none hides what follows."""
    assert str(TfprofError("a" * 2000)) == "a" * 2000
    text = f"{'a' * 1001}{'b' * 1000} has no file"
    assert str(TfprofError(text)) == "a" * 400 + "..." + "b" * 400 + " has no file"
    assert str(TfprofError("a" * 800 + " b" * 601)) == "a" * 800 + " b" * 601
    assert str(TfprofError("a " * 6000)) == "a " * 2500 + "..." + "a " * 2500


def test_layers_of_a_model_with_a_long_name(tmp_path):
    model = model_with_a_long_name().SerializeToString()
    (tmp_path / "saved_model.pb").write_bytes(model)
    done = run_measured("model", tmp_path, "--json")
    check_refused(done, "names of layers: would take 0.0 GB")
    assert run_measured("model", tmp_path).check().status == 0
