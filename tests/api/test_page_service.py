"""A served page gets searches, comparisons and blocks, of which only a budget is kept."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pytest

import tfprof
from tfprof import demo
from tfprof.api import page_service
from tfprof.api.page_service import PageService
from tfprof.definitions.options import ALL_LEVELS
from tfprof.errors import OptionError


@pytest.fixture(scope="module")
def profile():
    return tfprof.load(**demo.paths())


@pytest.fixture
def service(profile):
    return PageService.of_profile(profile.report("scope"), "tfprof --demo")


def ask(service, name, **query):
    return json.loads(service.answer(f"/api/{name}", query))


def integers(service, answer, ref):
    count, least, width, delta = answer["specs"][str(ref)]
    data = service.answer(f"/api/block/{ref}", {})
    values = np.full(count, least, np.int64)
    for i, plane in enumerate(np.frombuffer(data, np.uint8).reshape(width, count)):
        values += plane.astype(np.int64) << (8 * i)
    return np.cumsum(values) if delta else values


REPORT = {"preset": "time and memory", "view": "scope", "step": "-1", "user": "false"}


def test_find_is_a_search_by_re2(service, profile):
    regex = r"bn\d/(?P<which>gamma|beta)\z"
    found = ask(service, "find", regex=regex, **REPORT)
    names = profile.report("scope", order_by="depth", max_depth=ALL_LEVELS).names
    expected = [name for name in names if re.search(r"bn\d/(gamma|beta)$", name)]
    assert expected
    assert [names[row] for row in integers(service, found, found["rows"])] == expected


def test_find_is_the_same_before_and_after_its_report(service):
    before = ask(service, "find", regex="unit_1", **REPORT)
    ask(service, "report", **REPORT)
    after = ask(service, "find", regex="(unit_1)", **REPORT)
    first, second = (integers(service, a, a["rows"]).tolist() for a in (before, after))
    assert first == second


def test_an_invalid_regex_is_one_line(service):
    with pytest.raises(OptionError, match="invalid regex 'unit_\\('"):
        ask(service, "find", regex="unit_(", **REPORT)


def test_steps_and_metrics_of_a_comparison_are_checked(service):
    assert ask(service, "compare", before="0", after="1", metric="micros")["before"] == 0
    with pytest.raises(OptionError, match="there is no step 7"):
        ask(service, "compare", before="0", after="7", metric="micros")
    with pytest.raises(OptionError, match="there is no metric 'speed'"):
        ask(service, "compare", before="0", after="1", metric="speed")


def test_a_long_session_stays_within_its_budget(service):
    """Blocks of old answers are dropped, and made again with the same numbers when asked for."""
    ask(service, "page")
    first = ask(service, "report", **REPORT)
    number = first["numbers"]["micros"]["own"]
    before = integers(service, first, first["depth"]).tolist(), integers(service, first, number)
    service.budget = service.kept_bytes + 200_000
    for least in range(60):
        ask(service, "report", **REPORT, options=json.dumps({"min_micros": str(1 + 50 * least)}))
        assert service.kept_bytes <= service.budget
    assert service.builder.blocks.data(first["depth"]) is None
    again = integers(service, first, first["depth"]).tolist(), integers(service, first, number)
    assert again[0] == before[0]
    assert np.array_equal(again[1], before[1])
    assert ask(service, "report", **REPORT) == first
    assert service.kept_bytes <= service.budget


@pytest.mark.parametrize("name", ["panels", "sources"])
def test_views_are_answered_while_what_is_slow_is_made(service, monkeypatch, name):
    started, release = threading.Event(), threading.Event()
    make = page_service._SLOW[name]

    def slow(builder):
        started.set()
        assert release.wait(timeout=60)
        return make(builder)

    monkeypatch.setitem(page_service._SLOW, name, slow)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(ask(service, name)))
    waiting.start()
    assert started.wait(timeout=60)
    assert ask(service, "report", **REPORT)["rows"] > 1
    assert not answers
    release.set()
    waiting.join(timeout=60)
    assert answers[0].keys() & {"overview", "sources"}
