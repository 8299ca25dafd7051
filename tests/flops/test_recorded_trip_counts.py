"""Data-dependent trip counts: a traced run records them, and then the count is exact."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfprof
from tests.cli.conftest import call
from tfprof.flops.recorded_trip_counts import LoopId, RunCounts, recorded_trip_counts
from tfprof.functions.expand import expand
from tfprof.functions.library import FunctionLibrary
from tfprof.protos.graph_pb2 import GraphDef

v1 = tf.compat.v1
BATCH, UNITS, TRIPS = 4, 8, 7
MATMUL = 2 * BATCH * UNITS * UNITS


def _state() -> tuple[Any, Any, Any]:
    limit = v1.placeholder(tf.int32, [], "limit")
    weights = v1.get_variable("w", [UNITS, UNITS], use_resource=True)
    return limit, tf.ones([BATCH, UNITS]), weights


def _looped(limit: Any, start: Any, weights: Any, name: str = "decode") -> Any:
    def step(count: Any, state: Any) -> tuple[Any, Any]:
        return count + 1, tf.tanh(state @ weights)

    # Twice the counter is nothing that the graph could be asked about.
    return v1.while_loop(lambda count, _: 2 * count < limit, step, [0, start], name=name)[1]


def forward() -> Any:
    limit, start, weights = _state()
    return _looped(limit, start, weights), {limit: 2 * TRIPS}


def trained() -> Any:
    limit, start, weights = _state()
    loss = tf.reduce_sum(_looped(limit, start, weights))
    return v1.train.GradientDescentOptimizer(0.1).minimize(loss), {limit: 2 * TRIPS}


def nested() -> Any:
    """Each of 3 iterations has 5 iterations inside."""
    limit, start, weights = _state()

    def step(count: Any, state: Any) -> tuple[Any, Any]:
        return count + 1, _looped(limit + 4, state, weights, "inner")

    y = v1.while_loop(lambda count, _: 2 * count < limit, step, [0, start], name="outer")[1]
    return y, {limit: 6}


def uneven() -> Any:
    """The function of both calls is one, and its loop has 2 iterations here and 5 there."""
    limit, start, weights = _state()
    function = tf.function(lambda n, x: _looped(n, x, weights), autograph=False)
    return function(limit, start) + function(limit + 6, start), {limit: 4}


def calls() -> Any:
    """The same with equal trip counts."""
    limit, start, weights = _state()
    function = tf.function(lambda n, x: _looped(n, x, weights), autograph=False)
    return function(limit, start) + function(limit, start), {limit: 4}


def none() -> Any:
    limit, start, weights = _state()
    return _looped(limit, start, weights), {limit: 0}


@pytest.fixture(params=["functions", "frames"])
def old_loops(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Loops as While nodes, and as Enter and NextIteration nodes."""
    if request.param == "frames":
        v1.disable_control_flow_v2()
    yield request.param == "frames"
    v1.enable_control_flow_v2()


def traced(build: Callable[[], Any], steps: int = 1) -> tuple[bytes, list[bytes]]:
    """The graph of a model, and the records of some of its steps."""
    with tf.Graph().as_default() as graph:
        fetched, fed = build()
        runs = []
        with v1.Session(graph=graph) as session:
            session.run(v1.global_variables_initializer())
            for _ in range(steps):
                run = v1.RunMetadata()
                options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
                session.run(fetched, fed, options=options, run_metadata=run)
                runs.append(run.SerializeToString())
        return graph.as_graph_def(add_shapes=True).SerializeToString(), runs


def namesakes() -> Any:
    """A loop of the graph and one of a function that run under the same names."""
    limit, start, weights = _state()
    function = tf.function(lambda n, x: _looped(n, x, weights), autograph=False)
    called = function(limit + 6, start) + function(limit + 6, start)
    return _looped(limit, start, weights) + called, {limit: 4}


TRUTH = {forward: TRIPS * MATMUL, trained: 3 * TRIPS * MATMUL, nested: 3 * 5 * MATMUL, none: 0}


@pytest.mark.parametrize("build", TRUTH)
def test_runs_make_the_count_exact(build: Callable[[], Any], old_loops: bool) -> None:
    graph, runs = traced(build)
    unknown = tfprof.cost(graph)
    assert "T" in unknown.symbols
    known = tfprof.cost(graph, run_meta=runs[0])
    assert known.contraction_float_ops == TRUTH[build]
    assert isinstance(known.float_ops, int)
    assert not known.symbols
    notes = [note for note in known.ledger.notes if "in the run" in note]
    assert len(notes) == len([name for name in unknown.symbols if name.startswith("T")])


def test_calls_of_one_function_share_a_trip_count(old_loops: bool) -> None:
    graph, runs = traced(calls)
    assert tfprof.cost(graph, run_meta=runs).contraction_float_ops == 2 * 2 * MATMUL


def test_uneven_trip_counts_stay_symbolic() -> None:
    graph, runs = traced(uneven)
    cost = tfprof.cost(graph, run_meta=runs)
    assert cost.symbols.keys() == {"T"}
    assert any("T stays symbolic" in note for note in cost.ledger.notes)


def test_equal_names_in_two_functions() -> None:
    graph, runs = traced(namesakes)
    assert tfprof.cost(graph, run_meta=runs).contraction_float_ops == 12 * MATMUL
    # Without the names of the calls nobody knows whose trip counts they are.
    library = FunctionLibrary(GraphDef.FromString(graph))
    loops = {LoopId(inlined.body.name, "decode") for inlined in expand(library).bodies[:2]}
    assert len(loops) == 2
    assert not recorded_trip_counts(library, loops, RunCounts(1, {"decode/body/matmul": 12}))


def test_trip_counts_are_per_step() -> None:
    graph, runs = traced(forward, steps=3)
    assert tfprof.cost(graph, run_meta=runs).contraction_float_ops == TRIPS * MATMUL


def test_bound_trip_counts_win() -> None:
    graph, runs = traced(forward)
    cost = tfprof.cost(graph, run_meta=runs, bind={"T": 2})
    assert cost.contraction_float_ops == 2 * MATMUL
    assert not any("in the run" in note for note in cost.ledger.notes)


def test_run_of_another_model_is_ignored() -> None:
    graph, _ = traced(forward)
    with tf.Graph().as_default() as other, v1.Session(graph=other) as session:
        run = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(tf.ones([3]) + np.float32(1), options=options, run_metadata=run)
    cost = tfprof.cost(graph, run_meta=run)
    assert cost.symbols.keys() == {"T"}
    assert any("T stays symbolic" in note for note in cost.ledger.notes)


def test_command_accepts_run_metadata(tmp_path: Any) -> None:
    graph, runs = traced(forward)
    (tmp_path / "graph.pb").write_bytes(graph)
    (tmp_path / "run").write_bytes(runs[0])
    words = [str(tmp_path / "graph.pb"), "--run_meta_path", str(tmp_path / "run"), "--json"]
    for command in ("cost", "model"):
        done = call(command, *words)
        assert done.status == 0, done.err
        assert json.loads(done.out)["contraction_float_ops"] == TRIPS * MATMUL
    shown = call("cost", *words[:-1]).out.decode()
    assert "T = 7 in the run: trip count of loop decode" in shown
    (tmp_path / "run").write_bytes(b"\xff\xff")
    done = call("cost", *words)
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert str(tmp_path / "run") in done.err
