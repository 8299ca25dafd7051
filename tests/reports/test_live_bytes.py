"""Live bytes: equal to the recorded total in every view, at the peak or at any other time."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof
from tests.advisor.models import Model
from tests.outputs.samples import random_profile
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.definitions.quirks import REPAIRED
from tfprof.memory.peaks import step_memory
from tfprof.resolve import resolve

VIEWS = ("scope", "graph", "op", "code")


@pytest.fixture(scope="module")
def profile() -> Profile:
    return tfprof.load(**demo.paths())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("at", [-1, 0, "300ms", 641_000, "1.2s"])
def test_sums_are_the_live_total(profile: Profile, view: str, at: int | str) -> None:
    report = profile.report(view, select="live_bytes", step=0, at=at, max_depth=10_000)
    live = step_memory(resolve(profile, REPAIRED), REPAIRED).peaks(0, report.options.at)
    total = sum(peak.bytes for peak in live)
    assert report.total["live_bytes"] == total
    assert sum(report.own[:, "live_bytes"].tolist()) == total


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), view=st.sampled_from(["scope", "graph", "op"]))
def test_sums_of_random_models(seed: int, view: str) -> None:
    profile = random_profile(seed)
    peaks = step_memory(resolve(profile, REPAIRED), REPAIRED).peaks()
    report = profile.report(view, select=["micros", "live_bytes"], max_depth=10_000)
    if view == "graph":
        return  # a node below several consumers is shown once; nodes in cycles may have no row
    assert report.total["live_bytes"] == sum(
        int(peak.node_bytes[report.match_count > 0].sum()) for peak in peaks
    )


def test_the_message_names_the_moment(profile: Profile) -> None:
    (line,) = [text for text in _messages(profile, step=1) if text.startswith("live_bytes")]
    assert line.startswith("live_bytes: 480.00MB at the peak of /job:localhost")
    assert "into step 1" in line


def _messages(profile: Profile, **options: object) -> tuple[str, ...]:
    return profile.report("op", select="live_bytes", **options).messages


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"at": "4s"}, "option 'at': step 0 ends after 2.95sec; give an earlier time"),
        ({"at": "soon"}, "option 'at': 'soon' is not a time such as 641ms"),
        ({"at": -7}, "option 'at': -7 is before the start of the step"),
        ({"at": 1.5}, "option 'at': 1.5 is not a whole number"),
        ({"at": "1ms", "select": "micros"}, "option 'at': nothing to show at that time"),
    ],
)
def test_bad_times(profile: Profile, options: dict[str, object], problem: str) -> None:
    with pytest.raises(tfprof.OptionError) as error:
        profile.report("op", **{"select": "live_bytes", "step": 0, **options})
    assert problem in str(error.value)


def test_no_memory_at_all() -> None:
    bare = Model().node("a", "MatMul").step().ran("a", 1, 1).load()
    with pytest.raises(tfprof.OptionError, match="live_bytes: no allocation was recorded"):
        bare.report("op", select="live_bytes")
    report = bare.report("op", select=["micros", "live_bytes"])
    assert any("no allocation was recorded" in text for text in report.messages)
    estimated = Model().node("a", "MatMul").step().ran("a", 1, 1, peak=10**6, live=10**6).load()
    assert estimated.report("op", select="live_bytes").total["live_bytes"] == 10**6
    with pytest.raises(tfprof.OptionError, match="option 'at': no allocation was recorded"):
        estimated.report("op", select="live_bytes", at=0)


def test_compat_does_not_know_it(profile: Profile) -> None:
    report = profile.report("op", {"select": ["live_bytes"], "order_by": "name"}, compat=True)
    assert "live bytes" not in report.text()


def test_outputs_have_it(profile: Profile) -> None:
    report = profile.report("scope", select="live_bytes", max_depth=1)
    assert json.loads(report.json())[0]["total_live_bytes"] == 480_003_112


def test_other_reports_do_not_look_at_allocations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairing allocations and releases costs time: only what shows live memory pays for it."""

    def refuse(*_: object) -> None:
        raise AssertionError("the allocations are looked at")

    monkeypatch.setattr("tfprof.memory.peaks.find_blocks", refuse)
    profile = tfprof.load(**demo.paths())
    for view in VIEWS:
        profile.report(view, select=["micros", "bytes", "peak_bytes", "params"]).text()
    profile.serialize()
    with pytest.raises(AssertionError, match="are looked at"):
        profile.report("op", select="live_bytes")
