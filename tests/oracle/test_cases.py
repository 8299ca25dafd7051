"""What the random cases are made of."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.cases import Action, Case, Reload, Request, Step, generate
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.log_pb2 import OpLogProto
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


def test_in_clean_cases_only_nodes_that_ran_have_float_operations() -> None:
    counted = 0
    for case in (generate(seed, clean=True) for seed in SEEDS):
        if case.steps and case.op_log:
            run = RunMetadata.FromString(case.steps[0].run_meta)
            ran = {r.node_name for device in run.step_stats.dev_stats for r in device.node_stats}
            log = OpLogProto.FromString(case.op_log)
            names = {entry.name for entry in log.log_entries if entry.float_ops}
            assert names <= ran or not ran
            counted += len(names & ran)
    assert counted > len(SEEDS)


def test_a_seed_gives_the_same_case() -> None:
    assert generate(7) == generate(7) != generate(8)


def test_a_share_of_the_cases_has_advice_or_a_reload_before_a_step() -> None:
    cases = [generate(seed) for seed in SEEDS]
    asked = sum(_before_a_step(case.script, _is_advice) for case in cases)
    assert 0.05 < asked / len(cases) < 0.5
    assert all(sum(map(_is_reload, case.reloaded)) == 1 for case in cases)
    reloaded = sum(_before_a_step(case.reloaded, _is_reload) for case in cases)
    assert 0.05 < reloaded / len(cases) < 0.5


def _is_advice(action: Action) -> bool:
    return isinstance(action, Request) and action.cmd == "advise"


def _is_reload(action: Action) -> bool:
    return isinstance(action, Reload)


def _before_a_step(actions: tuple[Action, ...], wanted: Callable[[Action], bool]) -> bool:
    last = max((i for i, action in enumerate(actions) if isinstance(action, Step)), default=0)
    return any(map(wanted, actions[:last]))


def test_a_share_of_the_records_is_at_the_limits_of_64_bits() -> None:
    runs = [RunMetadata.FromString(s.run_meta) for seed in SEEDS for s in generate(seed).steps]
    devices = [device for run in runs for device in run.step_stats.dev_stats]
    records = [record for device in devices for record in device.node_stats]
    sizes = [
        sum(output.tensor_description.allocation_description.allocated_bytes for output in r.output)
        for r in records
    ]
    assert sum(size >= 2**63 for size in sizes) > 3
    assert sum("\n" in device.device for device in devices) > 3
