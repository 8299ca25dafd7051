"""Reports on a terminal: they fit, show the numbers of the text, and leave out columns of zeros."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import tfprof
from tests.test_goldens import graph_of, run_of
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.api.report import Report
from tfprof.outputs.terminal_report import report_lines
from tfprof.runtime.terminal import Span, Terminal, line_width, plain_text

NUMBER = re.compile(r"\d[\d.]*(?:us|ms|sec|B|KB|MB|k|m|b)?")
CASES: dict[str, dict[str, Any]] = {
    "op": {"select": ["micros", "bytes", "occurrence"], "order_by": "micros"},
    "scope": {"select": ["micros", "params", "float_ops"], "order_by": "micros", "max_depth": 3},
    "graph": {"select": ["micros", "bytes"], "max_depth": 40, "min_micros": 30_000},
    "code": {"select": ["micros", "params"], "order_by": "micros", "max_depth": 9},
}


@pytest.fixture(scope="module")
def profile() -> Profile:
    return tfprof.load(**demo.paths())


def shown(report: Report, width: int = 100, **more: Any) -> list[str]:
    """The lines of a report on a terminal."""
    return plain_text(report_lines(report, Terminal(width), **more)).splitlines()


@pytest.mark.parametrize("width", [60, 80, 100, 133, 200])
@pytest.mark.parametrize("view", CASES)
def test_every_line_fits(profile: Profile, view: str, width: int) -> None:
    report = profile.report(view, **CASES[view])
    assert len(report) > 10
    assert max(map(line_width, report_lines(report, Terminal(width)))) <= width


@pytest.mark.parametrize("width", [60, 200])
@pytest.mark.parametrize("view", ["scope", "graph", "code"])
def test_all_numbers_of_the_text_are_there(profile: Profile, view: str, width: int) -> None:
    report = profile.report(view, **CASES[view])
    printed = set(" ".join(shown(report, width)).replace("/", " ").split())
    micros = report.total[:, "exec_micros"].tolist()
    texts = {tfprof.definitions.units.format_time(value) for value in micros}
    assert texts <= printed


@pytest.mark.parametrize("width", [60, 200])
def test_the_footer_is_the_last_line(profile: Profile, width: int) -> None:
    footer = "57 of 67 op types are not shown; to see all: op -max_depth 66 -select micros,bytes"
    plain = shown(profile.report("op"), width)
    lines = shown(replace(profile.report("op"), footer=footer), width)
    assert lines[: len(plain)] == plain
    assert " ".join(lines[len(plain) :]) == footer
    assert max(map(len, lines)) <= width


def test_rows_are_names_with_own_and_inclusive_numbers(profile: Profile) -> None:
    options = {"select": ["params"], "account_type_regexes": ["VariableV2"], "max_depth": 3}
    report = profile.report("scope", show_name_regexes=["pool_logit.*"], **options)
    assert shown(report) == [
        "node name            shape  # parameters   share",
        "_TFProfRoot                   --/930.58k  100.0%  ██████████",
        "  pool_logit/DW      64x10     640/1.28k    0.1%",
        "  pool_logit/biases  10            10/20    0.0%",
    ]


def test_op_types_have_their_shares(profile: Profile) -> None:
    report = profile.report("op", select=["bytes"], order_by="bytes")
    assert shown(report, 80)[:3] == [
        "node name                         requested bytes",
        "Conv2DBackpropFilter  1414.99MB (100.00%, 60.85%)  ██████▏",
        "Conv2DBackpropInput     248.05MB (39.15%, 10.67%)  █▏",
    ]
    narrow = shown(report, 45)
    assert narrow[1] == "Conv2DBackpropFilter  1414.99MB (60.85%)"


def test_columns_of_zeros_are_left_out(profile: Profile) -> None:
    report = profile.report("op", select=["accelerator_micros", "bytes"])
    assert "accelerator" in report.text().splitlines()[0]
    assert "accelerator" not in shown(report)[0]
    assert "requested bytes" in shown(report)[0]


def test_one_column_stays_if_all_are_zero(profile: Profile) -> None:
    lines = shown(profile.report("op", select=["accelerator_micros"]))
    assert lines[0].split() == ["node", "name", "accelerator", "execution", "time"]
    assert lines[1].split()[1:] == ["0us", "(0.00%,", "0.00%)"]


def test_heat_follows_the_share(profile: Profile) -> None:
    report = profile.report("op", select=["bytes"], order_by="bytes")
    rows = list(report_lines(report, Terminal(80)))[1:]
    styles = [next(span.style for span in row if "MB" in span.text) for row in rows[:3]]
    assert styles == ["hot", "warm", ""]


def test_a_bar_shows_what_rows_are_sorted_by(profile: Profile) -> None:
    options = {"select": ["bytes", "params"], "max_depth": 2, "show_name_regexes": ["unit_3_4"]}
    by_bytes = shown(profile.report("scope", order_by="bytes", **options), 120)[2]
    by_params = shown(profile.report("scope", order_by="params", **options), 120)[2]
    assert by_bytes.split()[:3] == by_params.split()[:3]
    assert by_bytes.split()[3] != by_params.split()[3]


def test_deep_rows_keep_room_for_their_names() -> None:
    names = [f"node_{i}" for i in range(60)]
    graph = graph_of((names[0], "A"), *((name, "A", names[i]) for i, name in enumerate(names[1:])))
    run = run_of("/device:CPU:0", *((name, 1, 5) for name in names))
    report = tfprof.load(graph=graph, run_meta=run).report("graph", max_depth=100)
    lines = shown(report, 60)
    assert max(map(len, lines)) <= 60
    assert "▸node_0" in lines[-1]


@pytest.mark.parametrize("width", [1, 5, 20, 30])
@pytest.mark.parametrize("view", CASES)
def test_too_narrow_a_terminal_is_no_failure(profile: Profile, view: str, width: int) -> None:
    assert len(shown(profile.report(view, **CASES[view]), width)) > 10


def test_names_cannot_upset_the_terminal() -> None:
    report = tfprof.load(graph=graph_of(("a\x1b[2J\nb", "Op\x07"))).report(
        "scope", select=["op_types"]
    )
    text = "\n".join(shown(report))
    assert r"a\x1b[2J\nb" in text
    assert r"Op\x07" in text
    assert "\x1b" not in text


def test_labels_are_shortened_in_the_middle() -> None:
    graph = graph_of(("a", "AVeryLongOpTypeThatDoesNotFit" * 3))
    lines = shown(tfprof.load(graph=graph).report("scope", select=["op_types"]), 40)
    assert max(map(len, lines)) <= 40
    assert "AVery" in lines[-1]
    assert "…" in lines[-1]
    assert lines[-1].endswith("Fit")


def test_values_and_input_shapes_follow_their_rows(profile: Profile) -> None:
    values = profile.report(
        "scope", select=["params", "tensor_value"], show_name_regexes=["pool_logit/biases"]
    )
    assert shown(values)[2].split()[0] == "pool_logit/biases"
    assert shown(values)[3].startswith("[-0.01 -0.02 0.04 ")
    shapes = profile.report("op", select=["micros", "input_shapes"], order_by="micros")
    assert "input_type: 0:" in shown(shapes)[3]


def test_the_legend_comes_first(profile: Profile) -> None:
    report = profile.report("op", select=["bytes"])
    lines = shown(report, legend=True)
    assert lines[:3] == report.text(legend=True).splitlines()[:3]
    assert lines[-len(shown(report)) :] == shown(report)


def test_an_empty_view_is_its_root() -> None:
    report = tfprof.load(graph=graph_of()).report("op", select=["params"])
    assert [line.split()[0] for line in shown(report)] == ["node", "_TFProfRoot"]
    assert all(isinstance(span, Span) for line in report_lines(report, Terminal()) for span in line)
