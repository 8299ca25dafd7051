"""The rules of the trace event format that viewers rely on, as far as timelines use it."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict


def read(path):
    """The events of a timeline file."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data, object_pairs_hook=_no_repeats)["traceEvents"]


def _no_repeats(pairs):
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def check(events):
    """Fail unless every viewer can show the events; give them back by phase."""
    found = defaultdict(list)
    for event in events:
        found[event["ph"]].append(event)
        assert isinstance(event["name"], str)
        assert event["pid"] > 0
    assert found.keys() <= set("MXsfCi")
    named = {(e["pid"], e["tid"]) for e in found["M"] if e["name"] == "thread_name"}
    processes = {e["pid"] for e in found["M"] if e["name"] == "process_name"}
    lanes = defaultdict(list)
    for event in found["X"] + found["i"] + found["s"] + found["f"]:
        assert (event["pid"], event["tid"]) in named
        assert event["ts"] >= 0
    for event in found["X"]:
        assert event["dur"] >= 0
        lanes[event["tid"]].append((event["ts"], -event["dur"]))
    for event in found["C"]:
        assert all(isinstance(value, int) for value in event["args"].values())
    assert {e["pid"] for e in events} <= processes
    for lane in lanes.values():
        _check_nesting(lane)
    _check_flows(found, lanes)
    return found


def _check_nesting(lane):
    open_until = []
    for start, negative in sorted(lane):
        while open_until and open_until[-1] <= start:
            open_until.pop()
        end = start - negative
        assert not open_until or end <= open_until[-1]
        if end > start:
            open_until.append(end)


def _check_flows(found, lanes):
    begins, ends = ({e["id"]: e for e in found[phase]} for phase in "sf")
    assert begins.keys() == ends.keys()
    assert len(begins) == len(found["s"])
    for key, begin in begins.items():
        end = ends[key]
        assert begin["ts"] <= end["ts"]
        assert end["bp"] == "e"
        for event in (begin, end):
            at = event["ts"]
            assert any(t <= at < t - dur or t == at for t, dur in lanes[event["tid"]])
