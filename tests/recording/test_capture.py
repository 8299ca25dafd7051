"""Captured programs: every op belongs to a node, has a stack, and gradients join their line."""

from __future__ import annotations

import collections
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfprof
from tests.recording.captures import Captures
from tfprof.definitions.quirks import REPAIRED
from tfprof.loaders.xplane.folders import find_traces
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.protos.xplane_pb2 import ProfileOptions, XSpace
from tfprof.reports.overview import make_overview
from tfprof.resolve import resolve

pytest.importorskip("tensorflow")

FIT = ["cnn", "lstm", "transformer", "steps_per_execution", "fit_evaluate_predict", "custom_loop"]
FUNCTIONS = [*FIT, "nested", "lambdas", "session", "partial_batch", "open_batch"]
OP = re.compile(r"[^\s:$][^:]*:[A-Za-z_]\w*")


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    captures = Captures("tests.recording.programs", tmp_path_factory.mktemp("captures"))
    captures.make()
    return captures


def test_tf_keras(tmp_path: Path) -> None:
    """`make test` installs tf_keras."""
    pytest.importorskip("tf_keras")
    captures = Captures("tests.recording.programs", tmp_path)
    captures.make("tf_keras_fit", "tf_keras_epochs")
    assert tfprof.load(captures / "tf_keras_epochs").steps == (3, 4, 5)
    profile = tfprof.load(captures / "tf_keras_fit")
    assert profile.steps == (5, 6, 7)
    roots = {name.split("/")[0] for name in profile.report("scope", select=["micros"]).names}
    assert "fit" in roots
    captures.check("tf_keras_fit", _check_nodes_and_stacks)
    lines = profile.report("code", select=["micros"], max_depth=1000).names
    assert any(re.match(r"programs.py:\d+:call:return self.down", line) for line in lines)
    assert any(re.match(r"programs.py:\d+:call:.*\(gradient\)", line) for line in lines)
    about = json.loads((captures / "tf_keras_fit" / "capture.json").read_text())
    assert about["notes"] == []
    assert "tf_keras" in about["versions"]


def test_eager_fit(tmp_path: Path) -> None:
    """Its steps are there, and ops of Keras variables have stacks as others do."""
    captures = Captures("tests.recording.programs", tmp_path)
    captures.make("eager_fit")
    profile = tfprof.load(captures / "eager_fit")
    assert profile.steps == (7, 8, 9)
    # Ops of the input pipeline have no line.
    scopes = profile.report("scope", select=["micros"], max_depth=1000)
    lines = profile.report("code", select=["micros"], max_depth=1000)
    eager = scopes["eager"].total["exec_micros"]
    assert lines.root.total["exec_micros"] >= 0.999 * eager > 0
    with pytest.raises(tfprof.OptionError, match="no size of any tensor of the graph is known"):
        profile.memory()


def _times(profile: Any) -> Any:
    time = np.zeros(len(profile.nodes), np.int64)
    for records in profile.records:
        np.add.at(time, records.node, records.duration)
    return time


def _is_in_function(profile: Any) -> Any:
    outside = ("tf_data/", "other/")
    return np.array([not n.startswith(outside) for n in profile.nodes.name.to_pylist()])


def _spaces(folder: Path) -> list[XSpace]:
    files = find_traces(folder)
    assert files is not None
    return [XSpace.FromString(file.read_bytes()) for file in files.traces]


@pytest.mark.parametrize("name", [*FUNCTIONS, "eager"])
def test_time_belongs_to_nodes_with_stacks(captures: Captures, name: str) -> None:
    captures.check(name, _check_nodes_and_stacks)


def _check_nodes_and_stacks(folder: Path) -> None:
    profile = tfprof.load(folder)
    resolved = resolve(profile, REPAIRED)
    time, inside = _times(resolved), _is_in_function(resolved)
    total = time[inside].sum()
    assert total > 0
    assert time[inside & resolved.nodes.in_graph].sum() >= 0.999 * total
    assert time[inside & (resolved.nodes.stack >= 0)].sum() >= 0.999 * total
    assert profile.attributed_share > 0.99


@pytest.mark.parametrize("name", FIT)
def test_gradients_join_the_forward_line(captures: Captures, name: str) -> None:
    captures.check(name, _check_gradients)


def _check_gradients(folder: Path) -> None:
    profile = tfprof.load(folder)
    resolved = resolve(profile, REPAIRED)
    is_backward = np.array(["gradient_tape" in n for n in resolved.nodes.name.to_pylist()])
    report = profile.report("code", select=["micros"], max_depth=1000, step=profile.steps[0])
    shown = sum(
        row.total["exec_micros"] for row in report.root.children if "(gradient)" in row.name
    )
    records = next(r for r in resolved.records if r.step == profile.steps[0])
    time = np.zeros(len(resolved.nodes), np.int64)
    np.add.at(time, records.node, records.duration)
    # Each node of the tape that ran may be rounded by up to a microsecond.
    assert shown >= 0.98 * time[is_backward].sum() - 5
    assert shown > 0


def test_time_is_on_lines_of_the_model(captures: Captures) -> None:
    """The rest is the loss, the optimizer, and the input that is awaited."""

    def check(folder: Path) -> None:
        in_model, total = micros_of_model(tfprof.load(folder))
        assert in_model >= 0.9 * total

    captures.check("transformer", check)


def micros_of_model(profile: tfprof.Profile) -> tuple[int, int]:
    """The time of all steps on lines of the model, and on all lines."""

    def in_model(row: Any) -> int:
        if re.match(r"programs.py:\d+:call", row.name):
            return int(row.total["exec_micros"])
        return sum(map(in_model, row.children))

    reports = [
        profile.report("code", select=["micros"], max_depth=1000, step=step)
        for step in profile.steps
    ]
    total = sum(int(report.root.total["exec_micros"]) for report in reports)
    return sum(in_model(report.root) for report in reports), total


@pytest.mark.parametrize(("name", "is_hinted"), [("cnn", True), ("transformer", False)])
def test_layers_that_keras_calls(captures: Captures, name: str, is_hinted: bool) -> None:
    """Of a Sequential model code view has only the line of `fit`, and says where to look."""
    options = {"select": ["micros"], "order_by": "micros", "max_depth": 1000}
    overview = make_overview(tfprof.load(captures / name).report("code", options))
    assert ("Keras calls the layers itself: see scope" in overview.omitted) == is_hinted


@pytest.mark.parametrize("name", [*FUNCTIONS, "eager"])
def test_counts_are_those_of_the_file(captures: Captures, name: str) -> None:
    expected: collections.Counter[str] = collections.Counter()
    for space in _spaces(captures / name):
        for plane in space.planes:
            for line in plane.lines:
                for event in line.events:
                    text = plane.event_metadata[event.metadata_id].name
                    if OP.fullmatch(text):
                        expected[text.rpartition(":")[0]] += 1
                    elif re.fullmatch(r"EagerLocalExecute: (?!__)\w+", text):
                        expected[text.removeprefix("EagerLocalExecute: ")] += 1
    counts: collections.Counter[str] = collections.Counter()
    for records in tfprof.load(captures / name).records:
        counts.update(records.names.cast("string").to_pylist())
    in_file = collections.Counter[str]()
    for node, count in counts.items():
        in_file[_name_in_file(node, has_root=name != "session")] += count
    assert in_file == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_is_the_union_of_events(captures: Captures, name: str) -> None:
    """Of nested events each moment counts once."""
    busy = 0
    for space in _spaces(captures / name):
        for plane in space.planes:
            for line in plane.lines:
                spans = sorted(
                    (event.offset_ps, event.offset_ps + event.duration_ps)
                    for event in line.events
                    if OP.fullmatch(plane.event_metadata[event.metadata_id].name)
                )
                end = 0
                for first, last in spans:
                    busy += max(last - max(first, end), 0)
                    end = max(end, last)
    profile = tfprof.load(captures / name)
    time = sum(
        int(records.duration[~_starts_with(records.names, "eager/")].sum())
        for records in profile.records
    )
    nodes = sum(len(set(records.node.tolist())) for records in profile.records)
    assert abs(time - busy / 1e6) <= nodes


def _name_in_file(node: str, *, has_root: bool) -> str:
    """The name of a node without its root; of an op that Python called only the op type."""
    if node.startswith("eager/"):
        return re.sub(r"_\d+$", "", node.rpartition("/")[2])
    return node.partition("/")[2] if has_root else node


def test_lines_of_eager_ops(captures: Captures) -> None:
    profile = tfprof.load(captures / "eager")
    report = profile.report("code", select=["micros", "occurrence"], max_depth=1000)
    text = report.text()
    for line in ("x = tf.nn.relu(x", "return tf.reduce_", "weights.assign_su", "loss = forward(x)"):
        assert line in text
    assert "0us/0us" not in text.splitlines()[1]
    scope = profile.report("scope", select=["micros", "occurrence"])
    # Each op has a node for each line that runs it.
    for name in ("MatMul_1", "MatMul_2", "Mul_1", "Mul_2"):
        assert scope[f"eager/{name}"].own["run_count"] == 5


def _starts_with(names: Any, prefix: str) -> Any:
    return np.array([name.startswith(prefix) for name in names.cast("string").to_pylist()], bool)


def test_level_steps_and_versions(captures: Captures) -> None:
    for space in _spaces(captures / "cnn"):
        plane = next(p for p in space.planes if p.name == "Task Environment")
        names = {number: entry.name for number, entry in plane.stat_metadata.items()}
        stats = {names[stat.metadata_id]: stat for stat in plane.stats}
        options = ProfileOptions.FromString(stats["profile_options"].bytes_value)
        assert options.host_tracer_level == 3
    about = json.loads((captures / "cnn" / "capture.json").read_text())
    assert about["steps"] == [3, 4, 5]
    assert about["notes"] == []
    assert {"python", "tensorflow", "keras"} <= about["versions"].keys()
    assert tfprof.load(captures / "cnn").steps == (3, 4, 5)
    assert tfprof.load(captures / "custom_loop").steps == (0, 1, 2)
    assert tfprof.load(captures / "fit_evaluate_predict").steps == tuple(range(16))
    for name in FUNCTIONS:
        about = json.loads((captures / name / "capture.json").read_text())
        assert tuple(about["steps"]) == tfprof.load(captures / name).steps


def test_names_of_different_functions_stay_apart(captures: Captures) -> None:
    profile = tfprof.load(captures / "fit_evaluate_predict")
    resolved = resolve(profile, REPAIRED)
    time = _times(resolved)
    inside = _is_in_function(resolved) & ~np.array(
        [name.startswith("eager/") for name in resolved.nodes.name.to_pylist()]
    )
    roots = {
        name.split("/")[0]
        for name, micros, keep in zip(
            resolved.nodes.name.to_pylist(), time.tolist(), inside.tolist(), strict=True
        )
        if micros and keep
    }
    assert roots == {"fit", "evaluate", "predict"}


def test_lambdas(captures: Captures) -> None:
    profile = tfprof.load(captures / "lambdas")
    assert profile.steps == (0, 1, 2)
    names = profile.report("scope", select=["micros"]).names
    found = {tuple(name.split("/")) for name in names if name.endswith(("/matmul", "/truediv"))}
    assert {root for root, _ in found} == {"<lambda>", "<lambda>_1"}
    assert {op for _, op in found} == {"matmul", "truediv"}
    lines = profile.report("code", select=["micros"]).names
    assert any("programs.py" in line and "lambda" in line for line in lines)


def test_parameters_and_float_operations(captures: Captures) -> None:
    profile = tfprof.load(captures / "cnn")
    trainable = profile.report(
        "scope", select=["params"], account_type_regexes=["_trainable_variables"]
    )
    assert trainable.root.total["parameters"] == 80 + 13530
    batch = 64
    convolution = 2 * 9 * batch * 26 * 26 * 8
    report = profile.report("op", select=["float_ops"])
    # Ops outside functions have no shapes.
    assert all("no formula" in message for message in report.messages)
    assert report.root.total["float_ops"] > 2 * convolution


def _macs(profile: tfprof.Profile, step: int) -> Any:
    report = profile.report("scope", select=["macs"], step=step)
    assert not any("per example" in message or "in B" in message for message in report.messages)
    return report.root.total["macs"]


def test_float_operations_of_the_batch_that_ran(captures: Captures) -> None:
    """Of a partial batch those of its examples, on average those of the mean."""
    # Forward, gradients of both weights, and that of the hidden layer.
    per_example = 2 * (20 * 30 + 30) + 30
    profile = tfprof.load(captures / "partial_batch")
    assert [_macs(profile, step) for step in profile.steps] == [
        size * per_example for size in (64, 64, 32)
    ]
    assert _macs(profile, -1) == (64 + 64 + 32) * per_example // 3
    bound = tfprof.load(captures / "partial_batch", bind={"B": 10})
    assert _macs(bound, profile.steps[0]) == 10 * per_example
    # Tables have one number for each node.
    profile.save_tables(captures / "tables")
    assert _macs(tfprof.load(captures / "tables"), -1) == _macs(profile, -1)


def test_float_operations_of_a_function_of_any_batch(captures: Captures) -> None:
    profile = tfprof.load(captures / "open_batch")
    assert [_macs(profile, step) for step in (0, 1, 2)] == [size * 600 for size in (8, 16, 16)]


def test_runs_equal_those_of_run_metadata(captures: Captures) -> None:
    """One program, recorded both ways: every node that both have ran equally often."""
    message = RunMetadata.FromString((captures / "session" / "run_meta").read_bytes())
    expected = collections.Counter(
        record.node_name for device in message.step_stats.dev_stats for record in device.node_stats
    )
    profile = tfprof.load(captures / "session")
    records = profile.records[0]
    counts = collections.Counter(records.names.cast("string").to_pylist())
    shared = counts.keys() & expected.keys()
    assert len(shared) > 0.8 * len(counts)
    assert {name: counts[name] for name in shared} == {name: expected[name] for name in shared}


def test_all_views_and_outputs(captures: Captures, tmp_path: Path) -> None:
    profile = tfprof.load(captures / "transformer")
    for view in ("scope", "graph", "op", "code"):
        report = profile.report(view, select=["micros"], max_depth=10)
        assert report.root.total["exec_micros"] > 1000
        report.write(f"json:outfile={tmp_path / view}")
        if view != "op":
            report.write(f"timeline:outfile={tmp_path / view}.trace")
            assert list(tmp_path.glob(f"{view}*.trace"))
    expected = profile.report("op", select=["micros"]).root.total["exec_micros"]
    profile.save_tables(tmp_path / "tables")
    again = tfprof.load(tmp_path / "tables").report("op", select=["micros"])
    assert again.root.total["exec_micros"] == expected
    # A ProfileProto has microseconds, rounded for each node.
    proto = tfprof.load(profile=profile.serialize()).report("op", select=["micros"])
    assert abs(proto.root.total["exec_micros"] - expected) <= len(profile.nodes)
    assert profile.advise().findings is not None
