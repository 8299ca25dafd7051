"""Small traces that advice once took long for or failed on: each keeps 2 s and 300 MB."""

from __future__ import annotations

import numpy as np
import pytest

import tfprof
from tests.robustness.budget import run_measured
from tests.robustness.models import CPU, graph_of, run_of
from tfprof.outputs.profile_tables import save_tables
from tfprof.profiles.intervals import Intervals
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.protos.xplane_pb2 import XSpace


def test_functions_that_run_while_much_input_is_prepared(tmp_path):
    graph, run = GraphDef(), RunMetadata()
    device = run.step_stats.dev_stats.add(device="/device:CPU:0")
    for i in range(3000):
        for name, start, micros in ((f"s{i}/a", 1 + i, 20_000), (f"tf_data/d{i}", 1 + 3 * i, 1)):
            graph.node.add(name=name, op="A")
            device.node_stats.add(
                node_name=name,
                all_start_micros=start,
                op_end_rel_micros=micros,
                all_end_rel_micros=micros,
            )
    profile = tfprof.load(graph=graph, run_meta=run).replace(exact_durations=True)
    save_tables(profile, tmp_path / "tables")
    assert run_measured(tmp_path / "tables", "advise").check().status == 0


def test_intersection_is_the_union_of_all_parts():
    random = np.random.default_rng(7)

    def draw(count):
        start = random.integers(0, 40, count)
        return start, start + random.integers(0, 8, count)

    for _ in range(300):
        one, (start, end) = Intervals(*draw(6)), draw(5)
        parts = [one.clip(*period) for period in zip(start.tolist(), end.tolist(), strict=True)]
        expected, found = parts[0].union(*parts[1:]), one.intersect(Intervals(start, end))
        assert (found.start.tolist(), found.end.tolist()) == (
            expected.start.tolist(),
            expected.end.tolist(),
        )


@pytest.mark.parametrize("command", ["advise", "summary"])
def test_devices_that_each_run_an_op_of_no_time(command, tmp_path):
    space = XSpace()
    for i in range(490):
        plane = space.planes.add(name=f"/device:GPU:{i}")
        plane.event_metadata[1].name = "k"
        plane.lines.add(name="Stream #1").events.add(metadata_id=1, duration_ps=5)
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(space.SerializeToString())
    assert run_measured(path, command).check().status == 0


@pytest.mark.parametrize("micros", [(0, 5), (0, 0, 5)], ids=["two steps", "three steps"])
def test_step_that_takes_longer_than_steps_of_no_time(micros, tmp_path):
    runs = [run_of(CPU, ("a", 1, end)) for end in micros]
    profile = tfprof.load(graph=graph_of(("a", "MatMul")), run_meta=runs)
    save_tables(profile.replace(exact_durations=True), tmp_path / "tables")
    for command in ("advise", "summary"):
        assert run_measured(tmp_path / "tables", command).check().status == 0
