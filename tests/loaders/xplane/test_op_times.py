"""Recorded traces: op times are those of xprof 2.24.2, and older TensorFlow is read too."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import tfprof
from tfprof.protos.xplane_pb2 import XSpace

DATA = Path(__file__).parents[2] / "data" / "traces"


def test_op_times_are_those_of_xprof() -> None:
    """The trace is of tests/recording/programs.py, made neutral by tools/neutral_trace.py."""
    expected = json.loads((DATA / "custom_loop.op_stats.json").read_text())
    nanoseconds: Counter[str] = Counter()
    for records in tfprof.load(DATA / "custom_loop.xplane.pb").records:
        names = records.names.cast("string").to_pylist()
        for name, time in zip(names, records.nanos_self.tolist(), strict=True):
            nanoseconds[name.partition("/")[2]] += time
    assert {name: time / 1000 for name, time in nanoseconds.items()} == expected


@pytest.mark.parametrize(
    ("version", "steps", "root"),
    [("2_15", (5, 6, 7), "train_step"), ("2_18", (0, 1, 2), "train_step")],
)
def test_older_versions(version: str, steps: tuple[int, ...], root: str) -> None:
    """Their traces do not tell the level. Steps of the first are marked, those of the other run."""
    file = DATA / f"tensorflow_{version}.xplane.pb"
    profile = tfprof.load(file)
    expected: Counter[str] = Counter()
    (plane,) = (p for p in XSpace.FromString(file.read_bytes()).planes if p.name == "/host:CPU")
    for line in plane.lines:
        for event in line.events:
            name, _, op = plane.event_metadata[event.metadata_id].name.rpartition(":")
            if name and op.isidentifier() and not name.endswith(":") and " " not in name + op:
                expected[f"{root}/{name}"] += 1
    found: Counter[str] = Counter()
    for records in profile.records:
        found.update(records.names.cast("string").to_pylist())
    found = Counter({name: n for name, n in found.items() if not name.startswith("eager/")})
    assert found == expected
    assert len(expected) > 10
    assert profile.steps == steps
    assert profile.trace is not None
    assert profile.trace.level == 0
