"""One engine: views, `tfprof.cost` and the table of layers agree on every model, node by node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import tfprof
from benchmarks.truth.case import Case
from benchmarks.truth.functions import concrete
from benchmarks.truth.original import save_function
from tests.cli.conftest import call
from tests.flops.test_truth import QUICK
from tfprof.flops.polynomial import bind, symbol

EXAMPLE = {"B": 1}


def check(loaded: tfprof.Profile, source: Any, sizes: Mapping[str, int]) -> None:
    """What the views show is what the cost has, per example if all is linear in the batch."""
    cost = tfprof.cost(source, bind=sizes)
    loaded = loaded.replace(bind=sizes)
    scope = loaded.report("scope", select=["float_ops", "macs"], max_depth=1000)
    op = loaded.report("op", select=["float_ops", "macs"])
    messages = "; ".join(op.messages)
    per_example = "B = 1" in messages
    if per_example:
        assert cost.symbols.keys() == {"B"}
    else:
        assert ("give sizes with --bind" in messages) == bool(cost.symbols)
    example = EXAMPLE if per_example else {}
    of_nodes = {
        node.name: (bind(node.float_ops, example), bind(node.macs, example))
        for node in cost.nodes()
        if node.float_ops != 0
    }
    shown = {row.name: (row.own["float_ops"], row.own["macs"]) for row in scope}
    assert {name: work for name, work in shown.items() if any(work)} == of_nodes
    totals = bind(cost.float_ops, example), bind(cost.macs, example)
    for report in (op, scope):
        assert (report.root.total["float_ops"], report.root.total["macs"]) == totals
    assert ("unavailable" in messages) == (not cost.ledger.complete)
    table = tfprof.model(source, bind=sizes)
    assert table.cost.float_ops == cost.float_ops
    leaves = [layer for layer in table.layers if not layer.children]
    assert sum(layer.float_ops for layer in leaves) == bind(cost.float_ops, EXAMPLE)


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


def test_open_trip_counts_are_symbols(tf: Any) -> None:
    def model(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x = x @ x
        return x

    spec = tf.TensorSpec((8, 8)), tf.TensorSpec((), tf.int32)
    function = tf.function(model).get_concrete_function(*spec)
    profile = tfprof.Profiler(function).profile
    report = profile.report("op", select=["float_ops"])
    assert report.root.total["float_ops"] == symbol("T") * 2 * 8**3
    meaning = "T = trip count of loop while"
    assert report.messages == (f"float_ops: in T ({meaning}); give sizes with --bind T=100",)
    bound = profile.replace(bind={"T": 7}).report("op", select=["float_ops"])
    assert bound.root.total["float_ops"] == 7 * 2 * 8**3
    assert not bound.messages


def keras_models(tf: Any) -> dict[str, Any]:
    """Models with unknown batch, with unknown steps, and with two inputs of them."""
    layers = tf.keras.layers
    images = [layers.Input((8, 8, 1)), layers.Conv2D(2, 3, activation="relu"), layers.Flatten()]
    steps = [layers.Input((None, 4)), layers.LSTM(3, return_sequences=True), layers.GRU(2)]
    ids, mask = (tf.keras.Input((None,), dtype="int32", name=name) for name in ("ids", "mask"))
    x = layers.Embedding(9, 4)(ids)
    attended = layers.MultiHeadAttention(2, 2)(x, x, attention_mask=mask[:, None])
    return {
        "images": tf.keras.Sequential([*images, layers.Dense(3)]),
        "steps": tf.keras.Sequential([*steps, layers.Dense(3)]),
        "attention": tf.keras.Model([ids, mask], layers.Dense(2)(attended)),
    }


def test_commands_agree_on_exported_models(tf: Any, tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    for name, built in keras_models(tf).items():
        folder = tmp_path / name
        built.export(folder, verbose=False)
        symbols = set(json.loads(call("cost", str(folder), "--json").out)["symbols"])
        assert symbols == ({"B"} if name == "images" else {"B", "T"})
        for bind_words in ([], ["--bind", ",".join(f"{unknown}=3" for unknown in symbols)]):
            table = json.loads(call("model", str(folder), "--json", *bind_words).out)
            total = table["float_ops"]
            if name == "images" and not bind_words:
                total = int(total.removesuffix("·B"))
            for view in ("op", "scope", "graph"):
                words = ["-select", "float_ops", "-max_depth", "99", *bind_words]
                done = call(str(folder), view, *words, "-output", f"json:outfile={rows}")
                assert done.status == 0, done.err
                assert json.loads(rows.read_text())[0]["total_float_ops"] == total
        done = call(str(folder), "op", "-select", "float_ops", "--bind", "Q=3")
        assert done.status != 0
        known = ", ".join(sorted(symbols))
        assert f"cannot bind 'Q': the symbols of this model are {known}" in done.err
