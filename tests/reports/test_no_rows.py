"""A report whose filters leave no row says which one, and the nearest that would leave some."""

from __future__ import annotations

from typing import Any

import pytest

import tfprof
from tests.cli.conftest import Tfprof
from tests.test_goldens import CPU, graph_of, run_of


@pytest.fixture(scope="module")
def small() -> tfprof.Profile:
    variables = [(f"layer_{i}/kernel", "VarHandleOp") for i in range(12)]
    others = [("layer_0/Conv2D", "Conv2D"), ("layer_0/Relu", "Relu"), ("layer_0", "NoOp")]
    graph = graph_of(*variables, *others)
    return tfprof.load(graph, run_of(CPU, ("layer_0/Conv2D", 1, 70), ("layer_0/Relu", 80, 5)))


def says(profile: tfprof.Profile, view: str, **options: Any) -> str:
    """The message of a report without rows."""
    report = profile.report(view, options)
    assert len(report) == 1
    (message,) = report.messages
    return message


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
@pytest.mark.parametrize(
    ("regexes", "nearest"),
    [
        (["VariableV2"], "this model has 12 VarHandleOp"),
        (["Variable", "VariableV2"], "this model has 12 VarHandleOp"),
        (["_trainable_variables"], "this model has 12 VarHandleOp"),
        (["conv2d"], "this model has 1 Conv2D"),
        (["Conv"], "this model has 1 Conv2D"),
        (["Rel"], "this model has 1 Relu"),
        ([".*gpu:0"], "this model ran on /device:cpu:0"),
        (["zzz"], "this model has 12 VarHandleOp, 1 Conv2D, 1 NoOp"),
    ],
)
def test_types(small: tfprof.Profile, view: str, regexes: list[str], nearest: str) -> None:
    message = says(small, view, account_type_regexes=regexes)
    option = f"-account_type_regexes {','.join(regexes)}"
    assert message == f"no node has a type that matches {option}; {nearest}"


@pytest.mark.parametrize("option", ["show_name_regexes", "start_name_regexes"])
@pytest.mark.parametrize(
    ("regex", "nearest"),
    [
        ("kernel", "'.*kernel.*' matches 12"),
        ("layer_1", "'.*layer_1.*' matches"),
        ("conv|relu", "'(?i).*(conv|relu).*' matches 2"),
        (".*KERNEL.*", "'(?i).*KERNEL.*' matches 12"),
        ("layer_11/kernels", "did you mean 'layer_11/kernel'?"),
        ("zzz", "a name is 'layer_0'"),
    ],
)
def test_names(small: tfprof.Profile, option: str, regex: str, nearest: str) -> None:
    message = says(small, "graph", **{option: [regex]})
    assert message.startswith(f"no name matches -{option} {regex}; {nearest}")
    if "matches" in nearest:
        pattern = nearest.split("'")[1]
        assert len(small.report("graph", {option: [pattern]})) > 1


def test_hidden_and_trimmed(small: tfprof.Profile, demo_profile: tfprof.Profile) -> None:
    assert says(small, "graph", hide_name_regexes=["layer.*"]) == (
        "-hide_name_regexes layer.* hides all 15 rows"
    )
    assert says(small, "op", trim_name_regexes=[".*"]) == (
        "-trim_name_regexes .* leaves out all 4 rows"
    )
    assert "leaves out all" in says(demo_profile, "code", trim_name_regexes=[".*"])


@pytest.mark.parametrize(
    ("view", "option", "largest"),
    [
        ("scope", "min_micros", "self value is 70"),
        ("scope", "min_total_micros", "inclusive value is 75"),
        ("graph", "min_self_micros", "self value is 70"),
        ("op", "min_micros", "inclusive value is 75"),
        ("op", "min_occurrence", "self value is 12"),
    ],
)
def test_minima(small: tfprof.Profile, view: str, option: str, largest: str) -> None:
    message = says(small, view, **{option: 1000})
    assert message == f"no row passes -{option} 1000; the largest {largest}"
    least = int(message.split()[-1])
    assert len(small.report(view, {option: least})) > 1


def test_depth(small: tfprof.Profile) -> None:
    message = says(small, "scope", max_depth=2, account_type_regexes=["Conv2D"])
    assert message == "no row is within -max_depth 2; the nearest is at depth 3"
    # Only the root is what one asks for with these.
    assert not small.report("scope", max_depth=1).messages
    assert not small.report("scope", max_depth=0).messages


def test_filters_that_leave_nothing_together(small: tfprof.Profile) -> None:
    message = says(small, "graph", show_name_regexes=[".*kernel"], min_micros=50)
    assert message == (
        "with -show_name_regexes .*kernel: no row passes -min_micros 50; the largest self value is "
        "0"
    )
    message = says(small, "scope", start_name_regexes=["layer_1/.*"], hide_name_regexes=[".*rnel"])
    assert message == (
        "with -start_name_regexes layer_1/.*: -hide_name_regexes .*rnel hides the only row"
    )


def test_filters_that_do_not_matter_are_not_named(small: tfprof.Profile) -> None:
    message = says(small, "graph", show_name_regexes=["layer_0.*"], min_micros=1000)
    assert message == "no row passes -min_micros 1000; the largest self value is 70"


def test_a_profile_without_nodes() -> None:
    for view in ("scope", "graph", "op"):
        assert says(tfprof.Profile(), view) == "the profile has no nodes"


def test_rows_need_no_message(small: tfprof.Profile) -> None:
    for view in ("scope", "graph", "op"):
        assert small.report(view).messages == ()


def test_compat_says_nothing(small: tfprof.Profile, run_demo: Tfprof) -> None:
    options = {"account_type_regexes": ["VariableV2"], "show_name_regexes": [".*"]}
    for view in ("scope", "graph", "op"):
        report = small.report(view, options, compat=True)
        assert (len(report), report.messages) == (1, ())
    assert run_demo("--compat", "op", "-account_type_regexes=nothing").err == ""


def test_the_command_says_it_on_stderr(run_demo: Tfprof) -> None:
    done = run_demo("scope", "-account_type_regexes", "VarHandleOp", "-select", "params")
    assert (done.status, done.lines[1:]) == (0, ["_TFProfRoot (--/0 params)"])
    assert done.err == (
        "no node has a type that matches -account_type_regexes VarHandleOp; this model has 253 "
        "VariableV2\n"
    )
    quiet = run_demo("--quiet", "scope", "-account_type_regexes", "VarHandleOp", "-select=params")
    assert quiet.err == ""


def test_one_row_is_enough() -> None:
    report = tfprof.load(graph_of(("a", "A"))).report("scope")
    assert (len(report), report.messages) == (2, ())
