"""Idle times of devices are what no interval covers."""

from __future__ import annotations

import numpy as np
import pytest

import tfprof
from tfprof import demo
from tfprof.outputs.html.blocks import Blocks
from tfprof.outputs.html.timeline_blocks import add_timeline
from tfprof.outputs.timeline.trace_layout import lay_out_trace
from tfprof.reports.make_report import make_report


@pytest.fixture(scope="module")
def report():
    return tfprof.load(**demo.paths()).report("scope")


@pytest.mark.parametrize("step", [0, 1])
def test_busy_and_idle_time(report, step):
    entry = add_timeline(Blocks(), report, step)
    options = report.options.with_values({"step": step, "max_depth": 1000, "order_by": "depth"})
    layout = lay_out_trace(make_report(report.profile, "graph", options, report.quirks))
    covered = np.zeros(entry["micros"], bool)
    first = int(layout.start.min())
    for start, duration in zip(layout.start - first, layout.duration, strict=True):
        covered[start : start + duration] = True
    (device,) = entry["devices"]
    assert device["busy"] == covered.sum()
    assert device["summed"] == layout.duration.sum()
    for gap in device["idle"]:
        assert not covered[gap["start"] : gap["start"] + gap["micros"]].any()
        assert covered[gap["start"] - 1]
        assert gap["after"] < 0 or covered[gap["start"] + gap["micros"]]
    lengths = [gap["micros"] for gap in device["idle"]]
    assert lengths == sorted(lengths, reverse=True)
