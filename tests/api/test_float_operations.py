"""Float operations in columns against the count node by node, and for graphs from files."""

from __future__ import annotations

from typing import Any

import pytest

import tfprof
from tests.api.models import Training
from tfprof.definitions.quirks import quirks_for
from tfprof.flops.count_nodes import count_float_ops
from tfprof.flops.graph_count import graph_float_ops
from tfprof.flops.tf_formulas import Unknown
from tfprof.protos.graph_pb2 import GraphDef


@pytest.mark.parametrize("compat", [True, False])
def test_columns_and_nodes_agree(training: Training, compat: bool) -> None:
    graph = GraphDef.FromString(training.serialized())
    profile = tfprof.load(graph, compat=True)
    counted = count_float_ops(profile, quirks_for(compat))
    found = dict(zip(profile.nodes.name.to_pylist(), counted.value.tolist(), strict=True))
    one_by_one = graph_float_ops(graph, compat=compat)
    for name, value in one_by_one.float_ops.items():
        assert found[name] == value
    if compat:
        assert {name for name, value in found.items() if value} == {
            name for name, value in one_by_one.float_ops.items() if value
        }
        assert counted.unknown == one_by_one.reasons()
    assert counted.unknown[Unknown.RULE] == one_by_one.reasons()[Unknown.RULE]


def test_graph_from_a_file_has_float_operations(training: Training) -> None:
    options = tfprof.ProfileOptionBuilder.float_operation() | {"output": "none"}
    live = tfprof.profile(training.graph, options=options)
    loaded = tfprof.load(training.serialized())
    report = loaded.report("scope", options)
    assert report.proto() == live
    assert "no rule" in report.messages[-1]
    assert not loaded.report("scope", select=["params"]).messages


def test_op_log_wins(training: Training) -> None:
    name = training.loss.op.name
    log = tfprof.OpLogProto()
    log.log_entries.add(name=name, float_ops=5)
    loaded = tfprof.load(training.serialized(), op_log=log)
    assert int(loaded.nodes.float_ops.sum()) == 5
    log.log_entries[0].float_ops = 0
    assert int(tfprof.load(training.serialized(), op_log=log).nodes.float_ops.sum()) > 5
    assert not tfprof.load(training.serialized(), count_float_ops=False).nodes.float_ops.any()
    assert not tfprof.load(training.serialized(), compat=True).nodes.float_ops.any()


def test_run_time_shapes_count_without_static_ones(resnet: Training) -> None:
    bare = resnet.graph.as_graph_def().SerializeToString()
    static: Any = tfprof.load(bare).nodes.float_ops
    run: Any = tfprof.load(bare, resnet.runs[0]).nodes.float_ops
    assert run.sum() > static.sum()
