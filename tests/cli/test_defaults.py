"""Defaults that suit what is loaded and selected, and the block that shows them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Tfprof
from tfprof import demo
from tfprof.cli.console import options_block
from tfprof.cli.defaults import ADAPTED, default_text, options_for
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import OPTIONS, Options
from tfprof.outputs import OUTPUTS

VARIABLES = ("Variable", "VariableV2", "VarHandleOp")


@pytest.mark.parametrize(
    ("given", "has_runs", "expected"),
    [
        ({}, False, (("params",), VARIABLES, 4)),
        ({}, True, (("micros",), (".*",), 10)),
        ({"select": ("params",)}, True, (("params",), VARIABLES, 4)),
        ({"select": ("tensor_value", "params")}, True, (("tensor_value", "params"), VARIABLES, 4)),
        ({"select": ("device", "params")}, False, (("device", "params"), (".*",), 10)),
        ({"select": ("params",), "max_depth": 7}, True, (("params",), VARIABLES, 7)),
        ({"account_type_regexes": ("a",)}, False, (("params",), ("a",), 4)),
        ({"select": ()}, False, ((), (".*",), 10)),
        ({"order_by": "float_ops"}, True, (("float_ops",), (".*",), 10)),
        ({"min_self_params": 3}, True, (("params",), VARIABLES, 4)),
        ({"order_by": "name", "min_bytes": 0}, True, (("micros",), (".*",), 10)),
        ({"min_bytes": 1, "order_by": "micros"}, False, (("micros", "bytes"), (".*",), 10)),
    ],
)
def test_defaults_adapt(given: dict[str, Any], has_runs: bool, expected: object) -> None:
    options = options_for(given, has_runs=has_runs, compat=False)
    assert (options.select, options.account_type_regexes, options.max_depth) == expected
    assert options.hide_name_regexes == (
        "IsVariableInitialized_[0-9]+",
        r"save\/.*",
        "^zeros[0-9_]*",
    )


@pytest.mark.parametrize(
    ("view", "select"), [("scope", "params"), ("op", "float_ops"), ("graph", "float_ops")]
)
def test_a_view_of_a_graph_alone_selects_what_it_has(view: str, select: str) -> None:
    options = options_for({}, has_runs=False, compat=False, view=view)
    assert options.select == (select,)


def test_rows_of_a_graph_are_complete_as_data(run: Tfprof) -> None:
    graph = f"--graph_path={demo.paths()['graph']}"
    rows = json.loads(run(graph, "op", "--json").out)
    shown = run(graph, "op", "-select", "float_ops").lines
    assert [row["name"] for row in rows[1:]] == [line.split()[0] for line in shown[1:]]
    assert rows[1]["name"] == "Conv2D"


@pytest.mark.parametrize("has_runs", [False, True])
def test_compat_has_the_original_defaults(has_runs: bool) -> None:
    options = options_for({}, has_runs=has_runs, compat=True)
    assert options == Options()
    assert (options.max_depth, options.select, options.hide_name_regexes) == (10, ("micros",), ())


def test_help_tells_every_default_that_is_not_the_original() -> None:
    for has_runs in (False, True):
        options = options_for({}, has_runs=has_runs, compat=False)
        changed = {name for name in OPTIONS if options[name] != OPTIONS[name].default}
        assert changed <= set(ADAPTED)
    assert default_text("max_depth").startswith("10; 4 while")


def test_an_empty_line_shows_the_options_as_the_documents_do(run: Tfprof) -> None:
    lines = run(f"--graph_path={demo.paths()['graph']}", stdin="\n").lines
    assert lines[0] == "-max_depth                  4"
    assert "-account_type_regexes       Variable,VariableV2,VarHandleOp" in lines
    assert "-trim_name_regexes" in lines
    assert "-account_displayed_op_only  false" in lines
    at = lines.index("-select                     params")
    assert lines[at - 2].startswith("# supported select fields. Availability depends on")
    assert lines[at - 1] == f"# [{'|'.join(METRICS)}]"
    assert all(name in line for name in OUTPUTS for line in lines if "output_types:" in line)


def test_compat_shows_the_original_block() -> None:
    block = options_block(Options(select=("params", "bytes")), compat=True)
    assert len(block.splitlines()) == 21
    assert f"{'-trim_name_regexes':<28}\n" in block
    assert f"{'-select':<28}bytes,params\n" in block
    assert block.endswith(f"{'-output':<28}stdout:\n")


def test_what_the_block_shows_can_be_typed_again(run_demo: Tfprof) -> None:
    given = r"-show_name_regexes 'a\,b,c d' -step 1 -account_displayed_op_only"
    first = run_demo(stdin=f"set {given}\n\n").lines
    shown = [line for line in first if line.startswith("-") and " " in line]
    words = " ".join(f"{name} '{value}'" for name, value in (line.split(None, 1) for line in shown))
    assert run_demo(stdin=f"set {words}\n\n").lines == first
