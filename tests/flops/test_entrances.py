"""One engine: views, `tfprof.cost` and the table of layers agree on every model, node by node."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import tfprof
from benchmarks.truth.case import Case
from benchmarks.truth.functions import concrete
from benchmarks.truth.original import save_function
from tests.flops.test_truth import QUICK
from tfprof.flops.polynomial import bind

EXAMPLE = {"B": 1}


def check(loaded: tfprof.Profile, source: Any, sizes: Mapping[str, int]) -> None:
    """What the views show is what the cost has; what depends on an open symbol is missing."""
    cost = tfprof.cost(source, bind=sizes)
    loaded = loaded.replace(bind=sizes)
    scope = loaded.report("scope", select=["float_ops", "macs"], max_depth=1000)
    of_nodes = {
        node.name: (bind(node.float_ops, EXAMPLE), bind(node.macs, EXAMPLE))
        for node in cost.nodes()
        if node.float_ops != 0
    }
    known = {name: work for name, work in of_nodes.items() if isinstance(work[0], int)}
    shown = {row.name: (row.own["float_ops"], row.own["macs"]) for row in scope}
    assert {name: work for name, work in shown.items() if any(work)} == known
    op = loaded.report("op", select=["float_ops", "macs"])
    messages = "; ".join(op.messages)
    if cost.symbols.keys() <= {"B"}:
        totals = bind(cost.float_ops, EXAMPLE), bind(cost.macs, EXAMPLE)
        assert (op.root.total["float_ops"], op.root.total["macs"]) == totals
        assert ("B = 1" in messages) == ("B" in cost.symbols)
        assert ("unavailable" in messages) == (not cost.ledger.complete)
        table = tfprof.model(source, bind=sizes)
        assert table.cost.float_ops == cost.float_ops
        assert sum(bind(layer.float_ops, EXAMPLE) for layer in table.layers) <= totals[0]
    else:
        assert "FLOPs unavailable" in messages


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_entrances_agree(tf: Any, case: Case, tmp_path: Path) -> None:
    built = case.build(tf if case.kind == "function" else tf.keras)
    if case.kind == "function":
        save_function(tf, tf.Module(), built, str(tmp_path))
    else:
        built.export(str(tmp_path), verbose=False)
    loaded = tfprof.load(tmp_path)
    check(loaded, tmp_path, {})
    check(loaded, tmp_path, dict.fromkeys(tfprof.cost(tmp_path).symbols, 3))
    if case.kind == "function":
        live = tfprof.Profiler(built).profile
        check(live, built, {})
        check(live, built, dict.fromkeys(tfprof.cost(built).symbols, 3))


def test_dead_nodes_and_other_branches_count_nothing(tf: Any) -> None:
    def model(x: Any) -> Any:
        tf.matmul(x, x, name="dead")
        large = tf.reduce_sum(x) > 0.0
        return tf.cond(large, lambda: x @ x @ x, lambda: x @ x)

    function = concrete(tf, model, (8, 8))
    profile = tfprof.Profiler(function).profile
    check(profile, function, {})
    report = profile.report("scope", select=["macs"], max_depth=99)
    assert report["dead"].own["macs"] == 0
    assert report.root.total["macs"] == 2 * 8**3


def test_open_trip_counts_are_unavailable(tf: Any) -> None:
    def model(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = x @ x
        return x

    spec = tf.TensorSpec((8, 8)), tf.TensorSpec((), tf.int32)
    function = tf.function(model).get_concrete_function(*spec)
    profile = tfprof.Profiler(function).profile
    report = profile.report("op", select=["float_ops"])
    assert report.root.total["float_ops"] == 0
    reason = "T = trip count of loop while: give it with --bind"
    assert report.messages == (f"float_ops: FLOPs unavailable for 1 node ({reason})",)
    bound = profile.replace(bind={"T": 7}).report("op", select=["float_ops"])
    assert bound.root.total["float_ops"] == 7 * 2 * 8**3
    assert not bound.messages
