"""What pages show beside rows agrees with the summary, advice and memory peaks."""

from __future__ import annotations

import numpy as np
import pytest

import tfprof
from tfprof import demo
from tfprof.api.page_panels import page_panels


@pytest.fixture(scope="module")
def profile():
    return tfprof.load(**demo.paths())


@pytest.fixture(scope="module")
def panels(profile):
    return page_panels(profile.report("scope"))


def test_memory_adds_up_to_the_peak(profile, panels):
    peak = max(profile.summary().memory_peaks, key=lambda peak: peak.bytes)
    (memory,) = [
        m
        for m in panels["memory"]
        if (m["step"], m["device"], m["allocator"]) == (peak.step, peak.device, peak.allocator)
    ]
    running = np.cumsum(memory["change"])
    assert running.max() == peak.bytes
    assert memory["recorded"] == peak.recorded
    at = int(np.argmax(running))
    assert memory["micros"][at] == peak.micros
    held = np.zeros(len(peak.node_bytes), np.int64)
    np.add.at(held, memory["node"][: at + 1], memory["change"][: at + 1])
    assert np.array_equal(held, peak.node_bytes)


def test_overview_is_the_summary(profile, panels):
    summary = profile.summary()
    assert panels["overview"]["params"] == summary.params
    walls = {step["step"]: step["wall"] for step in panels["overview"]["steps"]}
    assert walls == dict(summary.steps)
    for step in panels["overview"]["steps"]:
        assert step["busy"] <= step["wall"]
        assert step["busy"] <= step["summed"]


def test_advice_is_that_of_advise(profile, panels):
    findings = [finding for result in panels["advice"] for finding in result["findings"]]
    assert [f["message"] for f in findings] == [f.message for f in profile.advise().findings]


def test_uncounted_nodes_have_reasons(panels):
    assert panels["uncounted"]["count"] == len(panels["uncounted"]["nodes"]) == 5
    assert all(node["reason"] for node in panels["uncounted"]["nodes"])
