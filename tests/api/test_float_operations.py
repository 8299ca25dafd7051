"""Float operations in columns against the count node by node, and for graphs from files."""

from __future__ import annotations

from typing import Any

import pytest

import tfprof
from tests.api.models import Training


def _sum(profile: tfprof.Profile, **options: Any) -> int:
    report = profile.report("op", select=["float_ops"], **options)
    return report.root.total["float_ops"]


def test_graph_from_a_file_has_float_operations(training: Training) -> None:
    options = tfprof.ProfileOptionBuilder.float_operation() | {"output": "none"}
    live = tfprof.profile(training.graph, options=options)
    loaded = tfprof.load(training.serialized())
    report = loaded.report("scope", options)
    assert report.proto() == live
    assert report.messages
    assert all(message.startswith("float_ops: ") for message in report.messages)
    assert not loaded.report("scope", select=["params"]).messages


def test_op_log_wins(resnet: Training) -> None:
    graph, name = resnet.serialized(), resnet.loss.op.name
    counted = _sum(tfprof.load(graph))
    of_node = tfprof.load(graph).report("scope", max_depth=99)[name].own["float_ops"]
    log = tfprof.OpLogProto()
    log.log_entries.add(name=name, float_ops=of_node + 5)
    assert _sum(tfprof.load(graph, op_log=log)) == counted + 5
    log.log_entries[0].float_ops = 0
    assert _sum(tfprof.load(graph, op_log=log)) == counted
    assert _sum(tfprof.load(graph, count_float_ops=False)) == 0
    assert _sum(tfprof.load(graph), compat=True) == 0


def test_loading_counts_nothing(training: Training, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("counted")

    monkeypatch.setattr("tfprof.flops.count_profile.count_profile", refuse)
    loaded = tfprof.load(training.serialized())
    loaded.report("scope", select=["params", "micros"], order_by="micros", min_micros=1).text()
    with pytest.raises(AssertionError, match="counted"):
        loaded.report("scope", min_float_ops=1)


def test_run_time_shapes_give_the_batch_size(resnet: Training) -> None:
    bare = resnet.graph.as_graph_def().SerializeToString()
    loaded = tfprof.load(bare, resnet.runs[0])
    assert not loaded.report("op", select=["float_ops"]).messages
    assert _sum(loaded) > _sum(tfprof.load(bare))


def test_bound_sizes(training: Training) -> None:
    open_cost = tfprof.cost(training.serialized())
    sizes = dict.fromkeys(open_cost.symbols, 32)
    bound = tfprof.load(training.serialized(), bind=sizes)
    messages = bound.report("op", select=["float_ops"]).messages
    assert not any("--bind" in message for message in messages)
    assert _sum(bound) == open_cost.bind(**sizes).float_ops
    with pytest.raises(tfprof.OptionError, match="the symbols of this model are"):
        _sum(tfprof.load(training.serialized(), bind={"nothing": 1}))


def test_saved_profiles_and_tables_keep_them(training: Training, tmp_path: Any) -> None:
    sizes = dict.fromkeys(tfprof.cost(training.serialized()).symbols, 32)
    options: dict[str, Any] = {"select": ["float_ops", "macs"], "max_depth": 99}
    for bind in ({}, sizes):
        loaded = tfprof.load(training.serialized(), bind=bind)
        report = loaded.report("scope", options)
        loaded.save_tables(tmp_path / "tables")
        tables = tfprof.Profile.from_tables(tmp_path / "tables").report("scope", options)
        assert (tables.text(), tables.messages) == (report.text(), report.messages)
        saved = tfprof.load(profile=loaded.serialize())
        if "give sizes" in "".join(report.messages):
            continue
        # A saved profile does not know that its numbers are those of one example.
        _, rows = report.text().split("\n", 1)
        assert saved.report("scope", options).text() == "node name | # float_ops | # macs\n" + rows


def test_op_log_leaves_the_batch_open(resnet: Training, tmp_path: Any) -> None:
    training = resnet
    tfprof.write_op_log(training.graph, tmp_path, add_trace=False)
    log = tfprof.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    alone = _sum(tfprof.load(training.serialized(), op_log=log, count_float_ops=False))
    counted = _sum(tfprof.load(training.serialized()))
    assert 0 < alone < counted
    assert _sum(tfprof.load(training.serialized(), op_log=log)) == counted
