"""`since` and `until` count the executions that run in a part of a step, each as a whole."""

from __future__ import annotations

import numpy as np
import pytest

import tfprof
from tests.cli.conftest import call
from tfprof import demo
from tfprof.definitions.options import ALL_LEVELS
from tfprof.errors import OptionError
from tfprof.protos.run_metadata_pb2 import RunMetadata

EVERYTHING = {"max_depth": ALL_LEVELS, "order_by": "depth", "select": ["micros", "bytes"]}


@pytest.fixture(scope="module")
def profile():
    return tfprof.load(**demo.paths())


def records_of_step_0():
    """Name, start and end of each record, in microseconds, from the file itself."""
    run = RunMetadata.FromString(demo.paths()["run_meta"][0].read_bytes())
    for device in run.step_stats.dev_stats:
        for node in device.node_stats:
            if node.node_name.startswith("_"):
                continue  # the runtime's own nodes, which are in no graph
            start = node.all_start_micros
            yield node.node_name, start, start + max(node.op_end_rel_micros, 1)


@pytest.mark.parametrize(("since", "until"), [(0, 100), (600_000, 700_000), (2_900_000, -1)])
def test_what_overlaps_counts_as_a_whole(profile, since, until):
    records = list(records_of_step_0())
    first = min(start for _, start, _ in records)
    end = first + until if until >= 0 else 2**62
    expected: dict[str, int] = {}
    for name, start, stop in records:
        if start < end and stop > first + since:
            expected[name] = expected.get(name, 0) + stop - start
    report = profile.report("graph", step=0, since=since, until=until, **EVERYTHING)
    own = report.own[:, "exec_micros"].tolist()
    matched = report.matched.tolist()
    shown = {n: t for n, t, m in zip(report.names, own, matched, strict=True) if m}
    assert shown == expected
    assert report.total[0, "exec_micros"] == sum(expected.values())


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_a_whole_step_is_the_step(profile, view):
    options = {**EVERYTHING, "step": 0, "select": ["micros", "bytes", "float_ops", "occurrence"]}
    whole = profile.report(view, **options)
    window = profile.report(view, since="0us", until="10s", **options)
    for measure in ("exec_micros", "requested_bytes", "float_ops", "run_count"):
        assert window.total[0, measure] == whole.total[0, measure]
    rows = dict(zip(whole.names, whole.total[:, "exec_micros"].tolist(), strict=True))
    assert set(window.names) <= set(rows)


@pytest.mark.parametrize("view", ["scope", "code"])
def test_rows_without_anything_in_the_window_are_left_out(profile, view):
    report = profile.report(view, step=0, since="2.9s", **EVERYTHING)
    assert len(report) > 2
    assert np.all(report.total[:, "run_count"] > 0)


def test_timelines_of_a_window_have_only_what_runs_in_it(tmp_path):
    paths = [tmp_path / "whole.json", tmp_path / "window.json"]
    arguments = ["--demo", "graph", "-step", "0", "-max_depth", "1000"]
    call(*arguments, "-output", f"timeline:outfile={paths[0]}")
    done = call(*arguments, "-since", "2.9s", "-output", f"timeline:outfile={paths[1]}")
    assert done.status == 0, done.err
    counts = [path.read_text().count('"ph":"X"') for path in paths]
    assert 0 < counts[1] < counts[0] / 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"since": 5}, "option 'since': a time needs its step; add -step N"),
        ({"until": 5}, "option 'until': a time needs its step"),
        ({"step": 0, "since": 9, "until": 9}, "option 'until': 9us is not after since"),
        ({"step": 0, "since": "1h"}, "option 'since': '1h' is not a time"),
        ({"step": 0, "since": "9s"}, "nothing runs at that time of step 0, which takes 2.95sec"),
    ],
    ids=str,
)
def test_wrong_windows_are_errors(profile, options, words):
    with pytest.raises(OptionError, match=words):
        profile.report("scope", **options)
