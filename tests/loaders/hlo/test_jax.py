"""Traces of JAX programs: every instruction is a node with a line, float operations are exact."""

from __future__ import annotations

import collections
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfprof
from tests.loaders.hlo.truth import MULTIPLY_ADDS, PARAMETERS, STEPS
from tfprof.api.profile import Profile
from tfprof.definitions.quirks import REPAIRED
from tfprof.loaders.hlo.module import Module
from tfprof.loaders.hlo.node_table import HloNodeTable
from tfprof.loaders.hlo.nodes import add_program
from tfprof.loaders.xplane.folders import find_traces
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.protos.hlo_pb2 import HloModule, HloProto
from tfprof.protos.xplane_pb2 import XSpace
from tfprof.resolve import resolve

if importlib.util.find_spec("jax") is None:
    pytest.skip("needs JAX", allow_module_level=True)

PROGRAMS = list(MULTIPLY_ADDS)
ROOT = Path(__file__).parent.parent.parent.parent


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    command = [sys.executable, "-W", "ignore", "-m", "tests.loaders.hlo.programs", str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    environment |= {"JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return folder


def _total(profile: Any, measure: str, **options: Any) -> int:
    report = profile.report("scope", select=[measure], step=0, **options)
    names = {"macs": "macs", "params": "parameters"}
    return int(report.root.total[names.get(measure, measure)])


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_instruction_is_a_node_with_a_stack(traces: Path, name: str) -> None:
    files = find_traces(traces / name)
    assert files is not None
    expected: collections.Counter[str] = collections.Counter()
    for plane in XSpace.FromString(files.traces[0].read_bytes()).planes:
        stats = {stat.name: number for number, stat in plane.stat_metadata.items()}
        for line in plane.lines:
            for event in line.events:
                if stats.get("hlo_op") in {stat.metadata_id for stat in event.stats}:
                    expected[plane.event_metadata[event.metadata_id].name] += 1
    resolved = resolve(tfprof.load(traces / name), REPAIRED)
    names, in_graph = resolved.nodes.name.to_pylist(), resolved.nodes.in_graph
    counts: collections.Counter[str] = collections.Counter()
    for records in resolved.records:
        assert in_graph[records.node].all()
        counts.update(names[node].rpartition("/")[2] for node in records.node.tolist())
        assert (resolved.nodes.stack[records.node[records.duration > 0]] >= 0).all()
    del counts["XlaModule"]
    assert counts == expected
    assert resolved.steps == tuple(range(STEPS))


@pytest.mark.parametrize("name", PROGRAMS)
def test_float_operations_and_parameters_are_those_of_the_model(traces: Path, name: str) -> None:
    profile = tfprof.load(traces / name)
    assert _total(profile, "macs") == MULTIPLY_ADDS[name]
    assert _total(profile, "params") == PARAMETERS[name]
    trained = _total(profile, "params", account_type_regexes=["_trainable_variables"])
    assert trained == PARAMETERS[name]
    report = profile.report("op", select=["float_ops", "executed_float_ops"], step=0)
    assert report.messages == ()
    model, executed = (report.root.total[key] for key in ("float_ops", "executed_float_ops"))
    assert model > 2 * MULTIPLY_ADDS[name]
    # A dense gradient of a depthwise convolution, and blocks that are computed again.
    assert (executed > 1.1 * model) == (name in ("depthwise", "remat_transformer"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_time_is_on_lines_of_the_program(traces: Path, name: str) -> None:
    """Of backward ops in the gradient branch of their forward line."""
    profile = tfprof.load(traces / name)
    report = profile.report("code", select=["micros"], max_depth=1000, step=1)
    total = report.root.total["exec_micros"]

    def on_lines(row: Any) -> int:
        own = row.own["exec_micros"] if row.name.startswith("programs.py:") else 0
        return int(own) + sum(map(on_lines, row.children))

    # Each row is rounded to microseconds by itself.
    assert abs(on_lines(report.root) - total) <= len(report)
    assert total > 0
    branches = [row for row in report.root.children if row.name.endswith("(gradient)")]
    shown = sum(row.total["exec_micros"] for row in branches)
    scope = profile.report("scope", select=["micros"], max_depth=3, step=1)
    expected = [row for row in scope if row.name == "jit_train_step/backward"]
    assert abs(shown - expected[0].total["exec_micros"]) <= len(branches)
    assert shown > 0
    functions = {row.name.split(":")[2].split(" ")[0] for row in report if ":" in row.name}
    assert {"train_step", "loss_fn"} <= functions


def test_all_views_and_outputs(traces: Path, tmp_path: Path) -> None:
    profile = tfprof.load(traces / "transformer")
    for view in ("scope", "graph", "op", "code"):
        report = profile.report(view, select=["micros", "bytes", "output_bytes"], max_depth=10)
        assert report.root.total["exec_micros"] > 100
        assert report.root.total["requested_bytes"] > 10**5
        report.write(f"json:outfile={tmp_path / view}")
        if view != "op":
            report.write(f"timeline:outfile={tmp_path / view}.trace")
            assert list(tmp_path.glob(f"{view}*.trace"))
    assert profile.advise().findings is not None
    select = ["micros", "float_ops", "params"]
    expected = profile.report("op", select=select).root.total
    profile.save_tables(tmp_path / "tables")
    for other in (tfprof.load(tmp_path / "tables"), tfprof.load(profile=profile.serialize())):
        total = other.report("op", select=select).root.total
        for key in ("float_ops", "parameters"):
            assert total[key] == expected[key]
        # A ProfileProto has microseconds, rounded for each node.
        lost = 0 if other.trace else len(profile.nodes)
        assert abs(total["exec_micros"] - expected["exec_micros"]) <= lost


def test_scopes_and_types(traces: Path) -> None:
    resolved = resolve(tfprof.load(traces / "transformer"), REPAIRED)
    names = resolved.nodes.name.to_pylist()
    for scope in ("block0/attention", "backward/block2/mlp"):
        assert any(name.startswith(f"jit_train_step/{scope}/dot_general/") for name in names)
    assert "jit_train_step/params/blocks/1/up" in names
    types = collections.defaultdict(set)
    for node, name in zip(resolved.type_node, resolved.type_name.to_pylist(), strict=True):
        types[names[node]].add(name)
    ops = resolved.nodes.op.to_pylist()
    is_matmul = [
        op == "dot" and "dot_general" in types[n] for n, op in zip(names, ops, strict=True)
    ]
    # 8 matmuls of a block and one of the logits; the backward pass has twice as many.
    assert sum(is_matmul) >= 2 * (8 * 3 + 1)


def test_loops_run_as_often_as_the_program_says(traces: Path) -> None:
    """What the HLO says about trip counts is what the trace recorded."""
    from tfprof.flops.node_flops import node_flops
    from tfprof.profiles.executions import executions_of

    for name in ("lstm", "scanned_transformer"):
        resolved = resolve(tfprof.load(traces / name), REPAIRED)
        executions = executions_of(resolved, REPAIRED)
        in_step = executions.execution_step == 1
        node, runs = executions.execution_node[in_step], executions.execution_runs[in_step]
        stated = node_flops(resolved, REPAIRED).executions[node]
        assert runs.max() >= (20 if name == "lstm" else 3)
        assert np.array_equal(stated, runs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_float_operations_before_compilation(traces: Path, name: str) -> None:
    """There trip counts follow from the conditions of loops, and nothing is rewritten yet."""
    module = HloModule.FromString((traces / f"{name}.hlo.pb").read_bytes())
    table = HloNodeTable(NameBudget(traces, 0))
    add_program(table, Module(HloProto(hlo_module=module)), "step", ran=set(), functions=None)
    profile = Profile.from_columns(Profile().with_graph(table.graph()))
    report = profile.report("op", select=["macs", "float_ops", "executed_float_ops"])
    assert report.root.total["macs"] == MULTIPLY_ADDS[name]
    total = report.root.total
    is_repeated = total["executed_float_ops"] > total["float_ops"]
    assert is_repeated == (name == "remat_transformer")


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_is_what_jax_tells_of_the_program(traces: Path, name: str) -> None:
    truth = json.loads((traces / f"{name}.memory.json").read_text())
    profile = tfprof.load(traces / name)
    (peak,) = profile.summary().memory_peaks
    assert (peak.temporary_bytes, peak.kept_bytes) == (truth["temp"], truth["output"])
    constants = peak.persistent_bytes - truth["argument"]
    assert 0 <= constants < 100
    # All but the addresses of results and gaps between buffers belongs to an instruction.
    gaps = profile.report("op", select=["live_bytes"])["XlaModule"].own["live_bytes"]
    assert gaps < 0.01 * peak.bytes
