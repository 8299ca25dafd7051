"""`tfprof diff`: what it takes, what it shows first, and one line for what it cannot compare."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import Outcome, Tfprof, call
from tests.diffs.graphs import network, profile_of
from tests.test_documented_commands import model
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.protos.graph_pb2 import GraphDef

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


def _save(path: Path, profile: tfprof.Profile) -> str:
    path.write_bytes(profile.serialize())
    return str(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Profiles to compare: a network, the same with a change, and odd ones."""
    root = tmp_path_factory.mktemp("diff")
    shapes = {"block3/kernel": (3, 3, 8, 8), "stage3/kernel": (5, 5, 8, 8)}
    profiles = {
        "old": profile_of(network("block1", "block2", "block3"), shapes=shapes),
        "new": profile_of(network("block1", "block2", "stage3"), shapes=shapes),
        "other": profile_of({"q/r": "Foo"}),
    }
    gpu = run_of(GPU, ("x", 1, 2))
    paths = {name: _save(root / f"{name}.profile", each) for name, each in profiles.items()}
    paths["gpu"] = _save(root / "gpu.profile", tfprof.load(graph_of(("x", "Relu")), [gpu]))
    cpu = run_of(CPU, ("x", 1, 5))
    paths["cpu"] = _save(root / "cpu.profile", tfprof.load(graph_of(("x", "Relu")), [cpu]))
    (root / "empty.pb").write_bytes(GraphDef().SerializeToString())
    (root / "empty.profile").write_bytes(tfprof.load(graph=GraphDef()).serialize())
    return {**paths, "empty": str(root / "empty.profile"), "root": str(root)}


def test_the_first_screen_names_the_change(files: dict[str, str]) -> None:
    done = call("diff", files["old"], files["new"])
    assert done.status == 0
    screen = done.lines[:24]
    assert "renamed: block3 ▸ stage3" in done.text
    assert screen[0].split() == [
        "before",
        "after",
        "delta",
        "percent",
        "changed",
        "added",
        "removed",
    ]
    assert next(line for line in screen if line.startswith("parameters")).split() == [
        *("parameters", "576", "1.60k", "+1.02k", "+177.8%", "+1.02k", "0", "0")
    ]
    largest = next(line for line in screen if line.strip().startswith("stage3/kernel "))
    assert "+1.02k" in largest
    assert largest.endswith("scope rename")


def test_strict_matches_names_only(files: dict[str, str]) -> None:
    done = call("diff", files["old"], files["new"], "--strict", "-select", "params")
    assert "renamed" not in done.text
    line = next(line for line in done.lines if line.startswith("parameters"))
    assert line.split()[-3:] == ["0", "+1.60k", "-576"]


def test_json_has_before_after_delta_and_match(files: dict[str, str]) -> None:
    rows = json.loads(call("diff", files["old"], files["new"], "--json").out)
    row = next(row for row in rows if row["name"] == "stage3/kernel")
    assert row["name_before"] == "block3/kernel"
    assert (row["before_params"], row["after_params"], row["delta_params"]) == (576, 1600, 1024)
    assert row["match"] == "scope rename"
    assert row["op"] == "VarHandleOp"


def test_csv_and_a_view(files: dict[str, str]) -> None:
    done = call("diff", files["old"], files["new"], "op", "-output", "csv", "-select", "params")
    rows = list(csv.DictReader(io.StringIO(done.text)))
    assert [row["name"] for row in rows] == ["_TFProfRoot", "VarHandleOp"]
    assert rows[1]["delta_params"] == "1024"


def test_steps_of_one_profile(run_demo: Tfprof) -> None:
    done = run_demo("diff", "op", "--before_step", "0", "--after_step", "1")
    assert done.status == 0
    assert done.lines[5].startswith("_TFProfRoot")
    again = run_demo("diff", "op", "--before_step", "1", "--after_step", "0")
    assert again.lines[1].split()[2:4] == done.lines[1].split()[3:1:-1]


def test_a_window_of_both_steps(run_demo: Tfprof) -> None:
    given = ("--before_step", "0", "--after_step", "1", "-select", "micros,wall_micros")
    rows = json.loads(run_demo("diff", *given, "--json").out)
    part = json.loads(run_demo("diff", *given, "-until", "300ms", "--json").out)
    for name in ("before_micros", "after_wall_micros"):
        assert 0 < part[0][name] < rows[0][name]


def test_sizes_are_bound_where_there_are_symbols(files: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(model().SerializeToString())
    sides = (files["old"], str(tmp_path))
    done = call("diff", *sides, "op", "-select", "float_ops", "--bind", "B=8")
    assert done.status == 0
    assert done.lines[1].split()[2] == "512"
    both = call("diff", files["old"], files["new"], "--bind", "B=8")
    assert "cannot bind 'B'" in _one_line(both, 2)


def test_files_of_one_profile_are_separated_by_commas(files: dict[str, str]) -> None:
    root = Path(files["root"])
    (root / "graph.pb").write_bytes(graph_of(("x", "Relu")).SerializeToString())
    for name, micros in (("run_1", 5), ("run_2", 9)):
        (root / name).write_bytes(run_of(CPU, ("x", 1, micros)).SerializeToString())
    sides = [f"{root}/graph.pb,{root}/{name}" for name in ("run_1", "run_2")]
    done = call("diff", *sides, "-select", "micros")
    assert done.lines[1].split()[2:5] == ["5us", "9us", "+4us"]


def _one_line(done: Outcome, status: int) -> str:
    assert done.status == status
    assert done.out == b""
    (line,) = [line for line in done.err.splitlines() if line.startswith("tfprof: ")]
    return line


def test_what_makes_no_sense_is_refused_in_one_line(files: dict[str, str]) -> None:
    old, new = files["old"], files["new"]
    for arguments, text in {
        ("", new): "'diff' takes no empty path",
        (): "'diff' has nothing to compare; give two profiles, as in: tfprof diff run1 run2",
        (old,): "'diff' compares two profiles, or --before_step and --after_step of one",
        (old, new, "scpe"): "takes two profiles and a view, and no 'scpe'; did you mean 'scope'?",
        (old, new, "op", "code"): "takes one view, not op and code",
        (old, new, "-output", "timeline:outfile=x"): "timeline shows one profile; a diff can be",
        (old, new, "-select", "device"): "a diff compares numbers",
        (old, new, "-order_by", "detla"): "did you mean 'delta'?",
        (old, new, "--before_step", "7"): "before: option 'step': there is no step 7",
        (old, new, "code"): "before: No code trace information",
        (old, new, "op", "-output", "x.pprof"): "pprof shows code or scope view, not op view",
        (old, new, "--compat"): "'diff' takes no option '--compat'",
        (old, new, "--demo"): "--demo is one profile; leave it out",
        (old, new, "--json", "-output", "csv"): "--json and -output are two outputs",
    }.items():
        assert text in _one_line(call("diff", *arguments), 2), arguments
    for arguments, text in {
        (old, files["empty"]): "empty.profile: is empty",
        (old, f"{files['root']}/empty.pb"): "empty.pb: is empty",
        (f"{files['root']}/none", new): "none: no such file",
    }.items():
        line = _one_line(call("diff", *arguments), 1)
        assert text in line


def test_order_by_delta_is_for_diffs(run_demo: Tfprof) -> None:
    done = run_demo("scope", "-order_by", "delta")
    assert "option 'order_by': delta sorts the rows of 'tfprof diff' only" in _one_line(done, 2)


def test_nothing_in_common(files: dict[str, str]) -> None:
    done = call("diff", files["old"], files["other"], "-select", "micros")
    assert done.status == 0
    assert [line for line in done.err.splitlines() if "in common" in line] == [
        "the two have no name in common: all of before is removed, all of after is added"
    ]


def test_different_devices(files: dict[str, str]) -> None:
    done = call("diff", files["cpu"], files["gpu"])
    assert (
        "before ran on CPU, after on GPU: times and bytes are those of different devices"
        in done.err.splitlines()
    )


def test_no_difference(files: dict[str, str]) -> None:
    done = call("diff", files["old"], files["old"], "--before_step", "0", "--after_step", "0")
    assert done.status == 0
    assert "no difference: execution time of all rows are the same before and after" in done.err


def test_filters_that_leave_nothing_say_why(files: dict[str, str]) -> None:
    done = call("diff", files["old"], files["new"], "-show_name_regexes", "nosuch")
    assert "no name matches -show_name_regexes nosuch" in done.err
    done = call("diff", files["old"], files["new"], "--min_delta", "1000000")
    assert "no row changes by --min_delta" in done.err


def test_a_profile_without_nodes_in_python(files: dict[str, str]) -> None:
    with pytest.raises(tfprof.OptionError, match="after: the profile has no nodes"):
        tfprof.diff(files["old"], tfprof.load(graph=GraphDef()))
