"""Predictions of memory against what memray measured around real training steps.

`tests/data/memory` has graphs, traces and truth of three models, as `make memory-truth` makes them;
that target compares seven models.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

import tfprof
from benchmarks.memory_truth.compare import Row, compare
from tests.advisor.models import Model
from tfprof import demo
from tfprof.memory.prediction import MARGINS, OUTSIDE_ALLOCATOR, memory_limit
from tfprof.memory.prediction_text import prediction_text
from tfprof.protos.graph_pb2 import DataType

DATA = Path(__file__).parents[1] / "data" / "memory"
SAVED_MODELS = DATA.parent / "keras_2"
MODELS = ("cnn", "embedding", "mlp")


@pytest.fixture(scope="module", params=MODELS)
def rows(request: pytest.FixtureRequest) -> list[Row]:
    return compare(request.param, DATA / request.param)


def test_recorded_and_predicted_are_within_their_margins(rows: list[Row]) -> None:
    assert len(rows) >= 3
    assert any(row.half for row in rows)
    assert any(row.quarter for row in rows)
    assert [miss for row in rows for miss in row.misses()] == []


def test_recorded_is_a_lower_bound(rows: list[Row]) -> None:
    assert all(row.recorded <= row.memray for row in rows)


def test_at_the_traced_size_it_is_what_was_recorded(rows: list[Row]) -> None:
    folder = DATA / rows[0].model
    for row in rows:
        profile = tfprof.load(graph=folder / "graph.pb", run_meta=folder / f"run_meta_{row.batch}")
        prediction = profile.memory()
        assert prediction.step_bytes == row.recorded
        assert prediction.traced_sizes == {"B": row.batch}


@pytest.mark.parametrize("model", MODELS)
def test_a_saved_profile_predicts_as_what_it_was_saved_from(model: str, tmp_path: Path) -> None:
    (*_, run) = sorted((DATA / model).glob("run_meta_*"))
    profile = tfprof.load(graph=DATA / model / "graph.pb", run_meta=run)
    (tmp_path / "saved.profile").write_bytes(profile.serialize())
    profile.save_tables(tmp_path / "tables")
    for saved in (tmp_path / "saved.profile", tmp_path / "tables"):
        again = tfprof.load(saved)
        for bind in ({}, {"B": 300}):
            assert again.memory(bind).to_dict() == profile.memory(bind).to_dict()


def test_a_saved_profile_whose_outputs_disagree_asks_for_the_size() -> None:
    """Half of the outputs are of a batch of 5, half of 6."""
    kind = DataType.DT_FLOAT
    model = Model().node("x", "Placeholder", shape=(-1, 10), dtype=kind)
    model.node("a", "Relu", "x", T=kind).node("b", "Tanh", "x", T=kind).step()
    for name, batch in (("a", 5), ("b", 6)):
        model.ran(name, 100, 9, output=40 * batch, allocations=((101, 40 * batch),))
    with pytest.raises(tfprof.OptionError, match="depends on B"):
        tfprof.load(profile=model.load().serialize()).memory()


@pytest.fixture(scope="module")
def graph() -> tfprof.Profile:
    return tfprof.load(graph=DATA / "cnn" / "graph.pb")


def test_the_answer(graph: tfprof.Profile) -> None:
    prediction = graph.memory({"B": 64})
    assert prediction.method == "graph"
    assert prediction.margin == MARGINS["graph"]
    assert prediction.highest is not None
    assert prediction.fits(prediction.highest) == "yes"
    assert prediction.fits(prediction.highest - 1) == "too close"
    assert prediction.fits(prediction.bytes) == "too close"
    assert prediction.fits(prediction.lowest) == "too close"
    assert prediction.fits(prediction.lowest - 1) == "no"
    fixed = prediction.variable_bytes + prediction.input_bytes
    assert prediction.step_bytes + fixed == prediction.bytes


@pytest.mark.parametrize("run", [None, "run_meta_32"])
def test_the_largest_that_fits(run: str | None) -> None:
    folder = DATA / "cnn"
    profile = tfprof.load(graph=folder / "graph.pb", run_meta=folder / run if run else None)
    largest = profile.memory({"B": 8}).largest("B", "300MB")
    assert largest is not None
    assert profile.memory({"B": largest}).fits("300MB") == "yes"
    assert profile.memory({"B": largest + 1}).fits("300MB") != "yes"
    assert profile.memory({"B": 8}).largest("B", "9MB") is None


def test_sizes_beyond_all_memory(graph: tfprof.Profile) -> None:
    with pytest.raises(tfprof.OptionError, match=r"'largest': B = [\d,]+ fits"):
        graph.memory({"B": 8}).largest("B", "9000000000TB")
    folder = DATA / "cnn"
    profile = tfprof.load(graph=folder / "graph.pb", run_meta=folder / "run_meta_32")
    with pytest.raises(tfprof.OptionError, match="more memory than 64 bits can count"):
        profile.memory({"B": 10**16})


def test_open_sizes_are_asked_for_by_name(graph: tfprof.Profile) -> None:
    with pytest.raises(tfprof.OptionError, match=r"depends on B \(batch size\).*--bind B="):
        graph.memory()
    with pytest.raises(tfprof.OptionError, match="cannot bind 'Q'"):
        graph.memory({"Q": 2})
    with pytest.raises(tfprof.OptionError, match="cannot bind 'B' to 0"):
        graph.memory({"B": 0})


def test_two_open_sizes_are_asked_for_by_the_names_that_are_shown() -> None:
    kind = DataType.DT_FLOAT
    model = Model().node("x", "Placeholder", shape=(-1, -1, 64), dtype=kind)
    profile = tfprof.load(graph=model.node("y", "Relu", "x", T=kind).graph)
    with pytest.raises(tfprof.OptionError, match=r"B \(batch size\), T \(.*\); .* B=…,T=…"):
        profile.memory()
    with pytest.raises(tfprof.OptionError, match=r"depends on T .* --bind T=…"):
        profile.memory({"B": 4})
    assert profile.memory({"B": 4, "T": 10}).step_bytes == 4 * 10 * 64 * 4


def test_a_saved_model_without_tensorflow() -> None:
    profile = tfprof.load(SAVED_MODELS / "sequential")
    small, large = (profile.memory({"B": batch}) for batch in (10, 1000))
    assert large.step_bytes == 100 * small.step_bytes
    assert large.variable_bytes == small.variable_bytes > 0
    assert any("no training step" in text for text in large.not_counted)


def test_a_graph_of_fixed_sizes() -> None:
    profile = tfprof.load(**demo.paths())
    assert profile.memory().step_bytes == 480_003_112
    with pytest.raises(tfprof.OptionError, match="cannot bind 'B': this model has no symbols"):
        profile.memory({"B": 64})


def test_no_graph() -> None:
    paths = demo.paths()
    with pytest.raises(tfprof.OptionError, match="no graph to predict memory from"):
        tfprof.load(run_meta=paths["run_meta"]).memory()


def test_lifetimes_by_hand() -> None:
    """X feeds two products; the first is kept for the last sum, which is written in place."""
    kind = DataType.DT_FLOAT
    model = Model().node("x", "Placeholder", shape=(-1, 100), dtype=kind)
    model.node("w", "VariableV2", shape=(100, 100), dtype=kind)
    model.node("a", "MatMul", "x", "w", T=kind).node("b", "MatMul", "a", "w", T=kind)
    model.node("c", "Relu", "b", T=kind).node("d", "AddV2", "c", "a", T=kind)
    prediction = tfprof.load(graph=model.graph).memory({"B": 10})
    assert prediction.step_bytes == 2 * 10 * 100 * 4  # a and b; c is b's buffer, d is c's
    assert prediction.variable_bytes == 100 * 100 * 4
    assert {holder.node for holder in prediction.holders} == {"a", "b"}


def test_what_a_step_is_fed_is_counted_once() -> None:
    kind = DataType.DT_FLOAT
    model = Model().node("x", "Placeholder", shape=(-1, 100), dtype=kind)
    model.node("unused", "Placeholder", shape=(-1, 7), dtype=kind)
    model.node("a", "Relu", "x", T=kind).node("b", "Tanh", "x", T=kind)
    from_graph = tfprof.load(graph=model.graph).memory({"B": 10})
    assert from_graph.input_bytes == 10 * 100 * 4
    assert "Inputs      4.00KB, fed to the step" in prediction_text(from_graph)
    folder = DATA / "cnn"
    profile = tfprof.load(graph=folder / "graph.pb", run_meta=folder / "run_meta_32")
    assert profile.memory({"B": 64}).input_bytes == 64 * (64 * 64 * 3 + 1) * 4


def test_tensors_in_lists_grow_with_the_sizes() -> None:
    """ZerosLike of a list allocates its elements; its own shape has no open size."""
    kind, integer = DataType.DT_FLOAT, DataType.DT_INT32
    model = Model().node("x", "Placeholder", shape=(3, -1, 64), dtype=kind)
    model.node("shape", "Const", dtype=integer)
    value = model.graph.node[1].attr["value"].tensor
    value.dtype, value.tensor_content = integer, struct.pack("<2i", -1, 64)
    value.tensor_shape.dim.add(size=2)
    model.node("x2", "Relu", "x", T=kind)
    model.node(
        "list", "TensorListFromTensor", "x2", "shape", element_dtype=kind, shape_type=integer
    )
    model.node("zeros", "ZerosLike", "list", T=DataType.DT_VARIANT).step()
    size = 5 * 64 * 4
    model.ran("x2", 90, 10, output=3 * size, allocations=((91, 3 * size),))
    shape = model.steps[0].step_stats.dev_stats[0].node_stats[0].output[0].tensor_description.shape
    for count in (3, 5, 64):
        shape.dim.add(size=count)
    model.ran("zeros", 100, 50, allocations=tuple((101, size) for _ in range(3)))
    profile = model.load()
    assert profile.memory().step_bytes == 6 * size
    assert profile.memory().sizes == {"T": 5}
    for symbol in ("T", "x.1"):  # two names of one size
        prediction = profile.memory({symbol: 10})
        assert (prediction.step_bytes, prediction.sizes) == (12 * size, {symbol: 10})
        assert profile.memory().largest(symbol, "1GB") == profile.memory().largest("T", "1GB")


def test_orders_of_execution() -> None:
    """Two chains of different sizes: which one is finished first decides the peak."""
    kind = DataType.DT_FLOAT
    model = Model().node("x", "Placeholder", shape=(-1, 100), dtype=kind)
    model.node("w", "VariableV2", shape=(100, 100), dtype=kind)
    for chain in "ab":
        model.node(f"{chain}1", "MatMul", "x", "w", T=kind)
        model.node(f"{chain}2", "MatMul", f"{chain}1", "w", T=kind)
        model.node(f"{chain}3", "ApplyGradientDescent", "w", "x", f"{chain}2", T=kind)
    prediction = tfprof.load(graph=model.graph).memory({"B": 10})
    tensor = 10 * 100 * 4
    assert prediction.highest is not None
    fixed = prediction.variable_bytes + prediction.input_bytes
    low, high = prediction.lowest - fixed, prediction.highest - fixed
    margin = MARGINS["graph"]
    assert low == int(2 * tensor * (1 - margin))  # one chain after the other
    assert high == int(3 * tensor * (1 + margin)) + OUTSIDE_ALLOCATOR  # both at once


def test_loops_are_a_lower_bound() -> None:
    kind = DataType.DT_FLOAT
    model = Model().node("x", "Placeholder", shape=(-1, 100), dtype=kind)
    model.node("enter", "Enter", "x", T=kind).node("merge", "Merge", "enter", "next", T=kind)
    model.node("body", "Tanh", "merge", T=kind).node("next", "NextIteration", "body", T=kind)
    prediction = tfprof.load(graph=model.graph).memory({"B": 10})
    assert prediction.highest is None
    assert prediction.fits("1TB") == "too close"
    assert "Range       at least" in prediction_text(prediction)
    assert any("loops" in text for text in prediction.not_counted)
    with pytest.raises(tfprof.OptionError, match="the graph has loops"):
        prediction.largest("B", "1TB")


def test_unknown_shapes_are_a_lower_bound() -> None:
    kind = DataType.DT_FLOAT
    model = Model().node("x", "Placeholder", shape=(-1, 100), dtype=kind)
    model.node("known", "Tanh", "x", T=kind).node("a", "MyOp", "x", T=kind)
    profile = tfprof.load(graph=model.node("b", "Relu", "a", T=kind).graph)
    prediction = profile.memory({"B": 10})
    assert prediction.highest is None
    assert prediction.fits("1TB") == "too close"
    assert any("2 nodes with outputs of unknown shape" in t for t in prediction.not_counted)
    with pytest.raises(tfprof.OptionError, match="outputs of 2 of 4 nodes have unknown shapes"):
        prediction.largest("B", "1GB")


def test_text_and_json(graph: tfprof.Profile) -> None:
    prediction = graph.memory({"B": 64})
    text = prediction_text(prediction, 10**9)
    assert "Fits        yes: needs at most" in text
    assert prediction.holders[0].node in text
    found = json.loads(prediction.json())
    assert found["bytes"] == prediction.bytes
    assert found["sizes"] == {"B": 64}
    assert found["holders"][0]["bytes"] == prediction.holders[0].bytes


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("16GB", 16 * 10**9), ("1.5GiB", 3 * 2**29), ("800m", 8 * 10**8), ("12", 12), (7, 7)],
)
def test_sizes_of_memory(text: str | int, bytes_: int) -> None:
    assert memory_limit(text) == bytes_


@pytest.mark.parametrize("text", ["", "16 elephants", "-1GB", "0", 0, True, 1.5, "GB"])
def test_bad_sizes_of_memory(text: object) -> None:
    with pytest.raises(tfprof.OptionError, match="is not a size such as 16GB"):
        memory_limit(text)  # type: ignore[arg-type]
