"""What a page shows of two steps is the difference of their reports."""

from __future__ import annotations

import json

import pytest

import tfprof
from tests.outputs.html.decoder import Page
from tfprof import demo
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import ALL_LEVELS
from tfprof.definitions.units import FORMATS
from tfprof.outputs.html.comparison_blocks import compared_steps


@pytest.fixture(scope="module", params=demo.NAMES)
def profile(request):
    return tfprof.load(**demo.paths(request.param))


@pytest.fixture(scope="module")
def page(profile, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "demo.html"
    profile.save_page(path)
    return Page(path.read_bytes())


def signed(value, text):
    return f"\N{MINUS SIGN}{text(-value)}" if value < 0 else f"+{text(value)}"


def numbers_of(profile, metric, step):
    """The number of each node, and of all of them, in the report of a step."""
    report = profile.report("graph", select=["micros", metric], step=step, max_depth=ALL_LEVELS)
    own = report.own[:, METRICS[metric].measure].tolist()
    nodes = {node: own[row] for row, node in enumerate(report.node.tolist()) if node >= 0}
    return nodes, report.total[0, METRICS[metric].measure]


def test_tables_are_differences_of_reports(profile, page):
    entries = page.description["comparisons"]
    pairs = {(e["before"], e["after"]) for e in entries}
    assert pairs == set(compared_steps(profile.steps))
    for entry in entries:
        metric, text = entry["metric"], FORMATS[METRICS[entry["metric"]].unit]
        (old, all_old), (new, all_new) = (
            numbers_of(profile, metric, entry[side]) for side in ("before", "after")
        )
        changes = {node: new[node] - old[node] for node in sorted(old) if new[node] != old[node]}
        largest = sorted(changes, key=lambda node: -abs(changes[node]))
        table = json.loads(page.texts(entry["table"])[0])
        assert table["total"] == [text(all_old), text(all_new), signed(all_new - all_old, text)]
        shown = largest[: len(table["rows"])]
        assert [row[:4] for row in table["rows"]] == [
            [node, text(old[node]), text(new[node]), signed(changes[node], text)] for node in shown
        ]
        assert len(largest) - len(shown) == table["more"]
        if shown:
            assert abs(table["rows"][0][4]) == 1_000_000


def test_many_steps_are_compared_with_the_last():
    assert list(compared_steps((0, 1, 2))) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert list(compared_steps(tuple(range(5)))) == [(4, 0), (4, 1), (4, 2), (4, 3)]
    assert not list(compared_steps((7,)))
