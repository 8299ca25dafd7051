"""The summary: what reports and advice say, on one screen, of whatever was loaded."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.robustness.models import log_of
from tests.test_goldens import graph_of, run_of
from tfprof import demo
from tfprof.advisor import Advice, Amount, Finding, Impact, Result
from tfprof.api.profile import Profile
from tfprof.api.summarize import most_valuable
from tfprof.api.summary import Summary
from tfprof.profiles.source_columns import LARGE_BLOCKS_ONLY
from tfprof.runtime.terminal import Terminal, line_width, plain_text

PATHS = demo.paths()
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture(scope="module")
def profile() -> Profile:
    return tfprof.load(**PATHS)


@pytest.fixture(scope="module")
def summary(profile: Profile) -> Summary:
    return profile.summary()


def test_the_demo_fits_a_screen(summary: Summary) -> None:
    lines = summary.text(command="tfprof --demo").splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert str(summary) == summary.text()
    assert repr(summary).startswith("<Summary: 2,684 nodes")


def test_the_costliest_are_named(profile: Profile, summary: Summary) -> None:
    op = profile.report("op", select=["micros"], order_by="micros").names[1]
    scope = profile.report("scope", select=["micros"], order_by="micros", max_depth=2).names[1]
    assert (summary.op_types.entries[0].name, summary.scopes.entries[0].name) == (op, scope)
    assert summary.lines_of_code.entries[0].name.startswith("resnet_model.py:122 _conv: ")
    for name in (op, scope, "resnet_model.py:122 _conv"):
        assert name in summary.text()


def test_numbers_are_those_of_reports(profile: Profile, summary: Summary) -> None:
    time = profile.report("op", select=["micros"], order_by="micros")
    assert summary.micros == time.root.total["exec_micros"]
    conv = time["Conv2DBackpropFilter"].own["exec_micros"]
    assert summary.op_types.entries[0].value == conv
    assert summary.op_types.entries[0].share == conv / summary.micros
    gradients = profile.report("scope", select=["micros"])["gradients"].total["exec_micros"]
    assert summary.scopes.entries[0].value == gradients
    variables = {"account_type_regexes": ["VariableV2"]}
    assert summary.params == profile.report("scope", **variables).root.total["parameters"]
    trainable = {"account_type_regexes": ["_trainable_variables"]}
    assert summary.trainable_params == profile.report("scope", **trainable).root.total["parameters"]
    flops = profile.report("op", select=["float_ops"])
    assert summary.float_ops.total == flops.root.total["float_ops"]
    assert [f"float_ops: {note}" for note in summary.float_ops.notes] == list(flops.messages)


def test_lines_of_code_have_the_time_of_their_nodes_and_gradients() -> None:
    graph = graph_of(("a", "A"), ("b", "B"), ("gradients/a_grad/g", "G"), ("c", "C"))
    names = {"a": 1, "b": 2, "gradients/a_grad/g": 4, "c": 8}
    run = run_of(CPU, *((name, 1, micros) for name, micros in names.items()))
    user, library = ("model.py", "f", 3), ("/x/site-packages/keras/layer.py", "call", 9)
    stacks = {
        "a": [user, library],
        "gradients/a_grad/g": [("train.py", "main", 7)],
        "b": [user],
    }
    lines = tfprof.load(graph=graph, run_meta=run, op_log=log_of(stacks)).summary().lines_of_code
    assert [(entry.name, entry.value) for entry in lines.entries] == [("model.py:3 f", 7)]
    assert lines.entries[0].share == 7 / 15


def test_scopes_that_only_wrap_are_named_once() -> None:
    names = ("call/model/conv/Conv2D", "call/model/dense/MatMul", "call/model/dense/BiasAdd")
    graph = graph_of(*((name, name.rpartition("/")[2]) for name in names))
    run = run_of(CPU, *zip(names, (1, 1, 1), (50, 30, 20), strict=True))
    made = tfprof.load(graph=graph, run_meta=run).summary()
    assert made.scopes.within == "call/model"
    assert [(entry.name, entry.value, entry.depth) for entry in made.scopes.entries] == [
        ("call/model/conv", 50, 0),
        ("call/model/conv/Conv2D", 50, 1),
        ("call/model/dense", 50, 0),
    ]
    text = made.text()
    assert "Scopes by time, in call/model\n" in text
    assert "  50us   50.0%  conv\n" in text


def test_the_costliest_of_several_layers_does_not_wrap_them() -> None:
    names = [f"model/{name}" for name in ("first/x", "second/x", "second/y")]
    run = run_of(CPU, *((name, 1, size) for name, size in zip(names, (9, 90, 1), strict=True)))
    made = tfprof.load(graph=graph_of(*((name, "A") for name in names)), run_meta=run).summary()
    assert made.scopes.within == "model"
    layers = [entry.name for entry in made.scopes.entries if not entry.depth]
    assert layers == ["model/second", "model/first"]


def test_many_steps_are_summed_up() -> None:
    runs = [run_of(CPU, ("a", 1, micros)) for micros in (30, 10, 20, 90)]
    made = tfprof.load(graph=graph_of(("a", "A")), run_meta=runs).summary()
    assert dict(made.steps) == {0: 30, 1: 10, 2: 20, 3: 90}
    assert "4 steps: 10us (step 1) to 90us (step 3), median 25us" in made.text()


def test_time_per_step_counts_ops_that_run_in_some_steps_only() -> None:
    runs = [run_of(CPU, ("train", 1, 60)), run_of(CPU, ("validate", 1, 40))]
    graph = graph_of(("train", "A"), ("validate", "A"))
    made = " ".join(tfprof.load(graph=graph, run_meta=runs).summary().text().split())
    views = "in views, which average each node over the steps in which it runs"
    assert f"Time in ops 50us per step (100us {views}); wall time" in made


def test_the_highest_of_several_peaks_is_told(summary: Summary) -> None:
    (cpu,) = summary.memory_peaks
    gpus = [replace(cpu, device=f"/device:gpu:{i}", bytes=10**i) for i in (7, 9, 8)]
    for peaks, told in (
        ([cpu], "480.00MB at the peak, 465.61ms into step 0, on device:cpu:0 "),
        ([replace(cpu, memory=None)], "into step 0, on device:cpu:0 (estimated)"),
        ([replace(cpu, allocator=LARGE_BLOCKS_ONLY)], "on device:cpu:0 (at least)"),
        (
            gpus[1:],
            "into step 0, on device:gpu:9; at most 100.00MB on another device",
        ),
        (gpus, "on device:gpu:9; at most 100.00MB on 2 other devices"),
    ):
        text = " ".join(replace(summary, memory_peaks=tuple(peaks)).text().split())
        assert told in text


def test_json_has_everything(summary: Summary) -> None:
    known = json.loads(summary.json())
    assert known == summary.to_dict()
    assert known["steps"][0] == {"step": 0, "micros": summary.steps[0]}
    assert known["metric"] == "micros"
    assert known["op_types"][0]["name"] == "Conv2DBackpropFilter"
    assert known["memory_peaks"][0]["bytes"] == summary.memory_peaks[0].bytes
    assert [finding["checker"] for finding in known["findings"]] == [
        "StepVariance",
        "ExpensiveOperationChecker",
        "MemoryPeak",
    ]


def saved(profile: Profile, folder: Path) -> Path:
    """The profile as a file."""
    path = folder / "model.profile"
    path.write_bytes(profile.serialize())
    return path


def tables(profile: Profile, folder: Path) -> Path:
    """The profile as tables."""
    profile.save_tables(folder / "tables")
    return folder / "tables"


def test_a_saved_profile_and_its_tables_say_the_same(
    profile: Profile, summary: Summary, tmp_path: Path
) -> None:
    for path in (saved(profile, tmp_path), tables(profile, tmp_path)):
        again = tfprof.load(path).summary().to_dict()
        wanted = summary.to_dict()
        for name in ("steps", "micros", "op_types", "scopes", "lines", "params", "float_ops"):
            assert again[name] == wanted[name], (path, name)


@pytest.mark.parametrize(
    ("inputs", "metric", "absent"),
    [
        ({"graph": PATHS["graph"]}, "float_ops", ["Steps", "Memory", "Lines of code"]),
        ({"checkpoint": PATHS["checkpoint"]}, "params", ["Steps", "FLOPs", "Lines of code"]),
        ({"run_meta": PATHS["run_meta"]}, "micros", ["Parameters", "FLOPs", "Lines of code"]),
        ({"graph": graph_of(("a", "A"), ("b", "A"))}, "occurrence", ["Parameters", "Steps"]),
    ],
)
def test_what_is_not_loaded_is_left_out(
    inputs: dict[str, Any], metric: str, absent: list[str]
) -> None:
    made = tfprof.load(**inputs).summary()
    text = made.text()
    assert made.op_types.metric == made.scopes.metric == metric
    assert made.op_types.entries
    assert not [word for word in absent if f"\n{word}" in text]
    assert "Not loaded  " in text


def test_of_many_messages_the_first_are_shown(summary: Summary) -> None:
    made = replace(summary, messages=tuple(f"message {i}" for i in range(5)))
    assert "message 2\n" in made.text()
    assert "message 3" not in made.text()
    assert "2 more notes, which views print" in made.text()
    assert len(made.to_dict()["messages"]) == 5


def test_nothing_at_all_is_no_failure() -> None:
    made = tfprof.load(graph=graph_of()).summary()
    assert made.text().startswith("0 nodes\n")
    assert json.loads(made.json())["op_types"] == []


@pytest.mark.parametrize("height", [24, 30, 40, 60])
@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_terminals_of_any_size(summary: Summary, height: int, width: int) -> None:
    lines = summary.lines(Terminal(width, height), command="")
    assert len(lines) <= height or width < 80
    *shown, commands = plain_text(lines).partition("Next\n")
    assert max(map(line_width, lines[: -commands.count("\n")])) <= width
    for name in ("Conv2DBackpropFilter", "gradients", "resnet_model.py:122"):
        assert name in shown[0]


@pytest.mark.parametrize(
    ("scope", "regex"),
    [
        ("conv.1", r"conv\.1"),
        ("a_scope_with_a_very_long_name", "a_scope_with_a_very_long_name"),
        ("a/scope/with/a/very/long/name", ".*/name"),
        ("with blank", "with blank"),
    ],
)
def test_commands_name_the_largest_scope(scope: str, regex: str) -> None:
    names = (f"{scope}/a", f"{scope}/b")
    run = run_of(CPU, *((name, 1, 5) for name in names))
    made = tfprof.load(graph=graph_of(*((name, "A") for name in names)), run_meta=run).summary()
    words = [shlex.split(command) for command in made.commands]
    (options,) = [words for words in words if words[0] == "scope"]
    assert options[options.index("-start_name_regexes") + 1] == regex


def finding(checker: str, value: float, unit: Any, severity: Any = "info") -> Result:
    impact = Impact(Amount(value, unit), "")
    return Result(checker, (Finding(checker, severity, checker, impact=impact),) * 2)


def test_the_most_valuable_findings() -> None:
    results = (
        finding("a", 10**9, "number"),
        finding("b", 5, "time"),
        finding("c", 7, "time"),
        finding("d", 10**9, "memory"),
        finding("e", 1, "number", "warning"),
        Result("f"),
    )
    assert [best.checker for best in most_valuable(Advice(results))] == ["e", "c", "b"]
