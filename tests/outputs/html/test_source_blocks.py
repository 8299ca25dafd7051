"""What a line costs: its own ops, and everything below it, counted once."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

import tfprof
from tfprof import demo
from tfprof.outputs.html.blocks import Blocks
from tfprof.outputs.html.source_blocks import (
    find_line_costs,
    line_costs,
    source_files,
    user_lines_of,
)

MEASURE = "exec_micros"


@pytest.fixture(scope="module")
def report():
    profile = tfprof.load(**demo.paths())
    return profile.report("code", max_depth=1000, order_by="depth")


def test_costs_of_lines(report):
    lines, line = user_lines_of(report)
    ((own, total),) = line_costs(report, [MEASURE], line, len(lines))
    expected_own, expected_total = defaultdict(int), defaultdict(int)
    for row in report.rows[1:]:
        frame = report.view.frames[int(report.view_positions[row.position])]
        key = (frame.file, frame.line)
        caller = row
        while caller.position and _line_of(report, caller) not in lines:
            caller = caller.parent
        expected_own[_line_of(report, caller)] += row.own[MEASURE] if row.counted else 0
        above = row.parent
        while above.position and key != _line_of(report, above):
            above = above.parent
        if not above.position:
            expected_total[key] += row.total[MEASURE]
    assert own.tolist() == [expected_own[key] for key in lines]
    assert own.sum() == report.total[0, MEASURE]  # every op was created by one of the user's lines
    assert total.tolist() == [expected_total[key] for key in lines]
    assert {file for file, _ in lines} == {"resnet_main.py", "resnet_model.py", "resnet_input.py"}


def _line_of(report, row):
    frame = report.view.frames[int(report.view_positions[row.position])]
    return frame.file, frame.line


def test_text_of_the_op_log(report):
    lines, _ = user_lines_of(report)
    files = {file["file"]: file for file in source_files(report.profile, lines)}
    texts = {line["line"]: line["text"] for line in files["resnet_model.py"]["lines"]}
    assert texts[122].strip().startswith("return tf.nn.conv2d(")
    assert not files["resnet_model.py"]["complete"]


def test_files_are_shown_whole_if_they_are_what_was_run(report, monkeypatch, tmp_path):
    sources = Path(__file__).parents[3] / "tools" / "demo_model"
    lines, _ = user_lines_of(report)
    monkeypatch.chdir(sources)
    files = {file["file"]: file for file in source_files(report.profile, lines)}
    shown = files["resnet_model.py"]
    assert shown["complete"]
    assert len(shown["lines"]) == len((sources / "resnet_model.py").read_text().splitlines())
    changed = tmp_path / "resnet_model.py"
    changed.write_text((sources / "resnet_model.py").read_text().replace("\n\n", "\n\f\n", 1))
    monkeypatch.chdir(tmp_path)
    files = {file["file"]: file for file in source_files(report.profile, lines)}
    assert len(files["resnet_model.py"]["lines"]) == len(shown["lines"])  # \f ends no line
    changed.write_text("# another program\n" + (sources / "resnet_model.py").read_text())
    monkeypatch.chdir(tmp_path)
    files = {file["file"]: file for file in source_files(report.profile, lines)}
    assert not files["resnet_model.py"]["complete"]


def test_steps_may_have_other_rows(report):
    few = report.profile.report("code", order_by="depth", max_depth=6)
    assert len(few.names) < len(report.names)
    costs = find_line_costs({0: report, 1: few}, {"micros": "exec_micros"}).add_to(Blocks())
    assert len(costs["micros"]) == 2
    assert all(costs["micros"].values())
