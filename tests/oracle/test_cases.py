"""What the random cases are made of."""

from __future__ import annotations

from tests.oracle.cases import Case, generate
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.run_metadata_pb2 import RunMetadata

SEEDS = range(200)


def _calls(case: Case) -> int:
    graph = GraphDef.FromString(case.graph)
    functions = {function.signature.name for function in graph.library.function}
    called = {value.func.name for node in graph.node for value in node.attr.values()}
    return len(functions & (called | {node.op for node in graph.node}))


def _labels(case: Case) -> int:
    runs = [RunMetadata.FromString(step.run_meta) for step in case.steps]
    records = [r for run in runs for device in run.step_stats.dev_stats for r in device.node_stats]
    return sum(bool(record.timeline_label) for record in records)


def test_a_share_of_the_cases_has_functions_and_labels() -> None:
    cases = [generate(seed) for seed in SEEDS]
    assert 0.15 < sum(_calls(case) > 0 for case in cases) / len(cases) < 0.5
    assert 0.15 < sum(_labels(case) > 0 for case in cases) / len(cases) < 0.6


def test_clean_cases_have_neither() -> None:
    cases = [generate(seed, clean=True) for seed in SEEDS]
    assert not any(_calls(case) or _labels(case) for case in cases)


def test_a_seed_gives_the_same_case() -> None:
    assert generate(7) == generate(7) != generate(8)
