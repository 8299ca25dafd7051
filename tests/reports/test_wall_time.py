"""Wall time: instants are shared by what runs, and everything adds up to the time of a step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof
from tests.outputs.samples import random_profile
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.definitions.quirks import REPAIRED
from tfprof.profiles.executions import executions_of
from tfprof.reports.wall_time import wall_time
from tfprof.resolve import resolve


def _wall(profile, step=None):
    resolved = resolve(profile, REPAIRED)
    wall = wall_time(executions_of(resolved, REPAIRED), len(resolved.nodes), step)
    names = resolved.nodes.name.to_pylist()
    return dict(zip(names, wall.node_micros.tolist(), strict=True)), wall.idle_micros


def _profile(*runs):
    graph = graph_of(("a", "Add"), ("b", "Mul"), ("c", "Sub"))
    return tfprof.load(graph, [run_of(CPU, *run) for run in runs])


def test_what_runs_at_the_same_time_shares_it():
    # a alone for 10us, a and b for 10, b alone for 10, nothing for 20, c for 50
    profile = _profile([("a", 100, 20), ("b", 110, 20), ("c", 150, 50)])
    assert _wall(profile) == ({"a": 15, "b": 15, "c": 50}, 20)


def test_three_share_ten_microseconds_without_loss():
    profile = _profile([("a", 100, 10), ("b", 100, 10), ("c", 100, 10)])
    shares, idle = _wall(profile)
    assert sum(shares.values()) == 10
    assert set(shares.values()) == {3, 4}
    assert idle == 0


def test_the_average_is_over_all_steps():
    profile = _profile([("a", 100, 10)], [("a", 200, 30), ("b", 240, 20)])
    assert _wall(profile) == ({"a": 20, "b": 10, "c": 0}, 5)
    assert _wall(profile, 1) == ({"a": 30, "b": 20, "c": 0}, 10)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_all_adds_up_to_the_time_of_the_step(seed):
    profile = random_profile(seed)
    totals = {step.step: step for step in profile.totals.steps}
    for position, step in enumerate(profile.steps):
        shares, idle = _wall(profile, position)
        if step not in totals:
            assert (set(shares.values()), idle) in ((set(), 0), ({0}, 0))
            continue
        assert idle >= 0
        wall = totals[step].wall_ns
        assert abs(1000 * (sum(shares.values()) + idle) - wall) <= 500 or wall >= 2**60


def test_shares_are_those_of_exact_fractions():
    rng = np.random.default_rng(0)
    for _ in range(20):
        start = rng.integers(0, 200, 12)
        end = start + rng.integers(1, 60, 12)
        times = zip("abc" * 4, start.tolist(), end.tolist(), strict=True)
        run = [(name, s + 100, e - s) for name, s, e in times]
        expected = dict.fromkeys("abc", 0.0)
        for t in range(300):
            running = [name for name, s, d in run if s <= t + 100 < s + d]
            for name in running:
                expected[name] += 1 / len(running)
        shares, _ = _wall(_profile(run))
        assert shares == pytest.approx(expected, abs=1)


def test_times_that_are_no_times_have_no_wall_time():
    profile = _profile([("a", 1, 10), ("b", 2**62, 10)])
    assert profile.report("scope", select=["wall_micros"]).total["wall_micros"] >= 0


def test_in_a_window_of_the_step():
    profile = _profile([("a", 100, 20), ("b", 110, 20), ("c", 150, 50)])
    report = profile.report("op", select=["wall_micros"], step=0, until="25us")
    assert report.total["wall_micros"] == 30


def test_a_report_has_it():
    profile = _profile([("a", 100, 20), ("b", 110, 20)])
    report = profile.report("op", select=["wall_micros"], order_by="wall_micros")
    assert [(row.name, row.own["wall_micros"]) for row in report.rows[1:]] == [
        ("Add", 15),
        ("Mul", 15),
        ("Sub", 0),
    ]
    assert "15us" in report.text()
