"""Small traces that once took long to advise on: each keeps a budget of 2 s and 300 MB."""

from __future__ import annotations

import numpy as np

import tfprof
from tests.robustness.budget import run_measured
from tfprof.outputs.profile_tables import save_tables
from tfprof.profiles.intervals import Intervals
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.run_metadata_pb2 import RunMetadata


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
