"""Traces of real models: attribution, op types, float operations, and compat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.oracle.compare import MESSAGES, parsed
from tests.oracle.original import Original
from tests.resolve.models import BATCH, STEPS, UNITS
from tfprof.definitions.metrics import METRICS

Traces = dict[str, dict[str, bytes]]
MODELS = ["seq2seq", "transformer", "convnet"]
MATMUL = 2 * BATCH * UNITS * UNITS
# Four blocks of a 3x3 convolution with 16 filters on two images, in the first of 3 channels; each
# with a batch norm (subtract, multiply, add) and a Relu of its outputs.
CONV_MACS = sum(2 * 32 * 32 * 16 * (9 * channels) for channels in (3, 16, 16, 16))
NORM_AND_RELU = 4 * (3 + 1) * (2 * 32 * 32 * 16)
REQUEST = {
    "max_depth": 10000,
    "step": -1,
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "show_name_regexes": [".*"],
    "select": list(METRICS),
    "order_by": "name",
}


def _load(traces: Traces, model: str, **more: Any) -> tfprof.Profile:
    files = traces[model]
    return tfprof.load(files["graph"], files["run"], **more)


@pytest.mark.parametrize("model", MODELS)
def test_time_is_attributed_to_graph_nodes(traces: Traces, model: str) -> None:
    profile = _load(traces, model)
    assert profile.attributed_share >= 0.99
    apart = profile.report("scope", compat=True, select=["micros"], **_everything())
    mapped = profile.report("scope", select=["micros"])
    assert mapped.rows[0].total["exec_micros"] == apart.rows[0].total["exec_micros"]


def _everything() -> dict[str, Any]:
    return {name: [".*"] for name in REQUEST if name.endswith("_regexes")}


def test_fused_kernels_have_their_time_and_float_operations(traces: Traces) -> None:
    report = _load(traces, "convnet").report("op", select=["micros", "float_ops", "macs"])
    fused = report["_FusedConv2D"]
    assert fused.own["macs"] == CONV_MACS
    assert fused.own["float_ops"] == 2 * CONV_MACS + NORM_AND_RELU
    assert fused.own["exec_micros"] > 0
    matmul = report["_FusedMatMul"].own
    assert matmul["macs"] == 2 * 16 * 10
    assert matmul["float_ops"] == 2 * matmul["macs"] + (1 + 1) * 2 * 10  # a bias and a Relu
    assert not {"Conv2D", "MatMul"} & set(report.names)


def test_types_of_the_graph_still_count(traces: Traces) -> None:
    profile = _load(traces, "convnet")
    expected = {"Conv2D": 2 * CONV_MACS, "_FusedConv2D": 2 * CONV_MACS + NORM_AND_RELU}
    for op_type, float_ops in expected.items():
        report = profile.report("scope", select=["float_ops"], account_type_regexes=[op_type])
        assert report.rows[0].total["float_ops"] == float_ops


def test_loops_count_every_iteration(traces: Traces) -> None:
    report = _load(traces, "seq2seq").report(
        "scope", select=["float_ops"], account_type_regexes=["MatMul"]
    )
    # The loop and its two gradients, the branch that was taken, and the call, with gradients too.
    assert report.rows[0].total["float_ops"] == (3 * STEPS + 3 + 3) * MATMUL
    assert report["decode/body/MatMul"].own["float_ops"] == STEPS * MATMUL
    assert report["cond/else/MatMul"].own["float_ops"] == MATMUL


def test_run_counts_are_those_of_the_node(traces: Traces) -> None:
    report = _load(traces, "seq2seq").report("scope", select=["micros", "occurrence"])
    assert report["decode"].own["run_count"] == 1
    assert report["decode/cond/Less"].own["run_count"] == STEPS + 1
    assert report["x"].own["run_count"] == 1


def test_function_nodes_have_the_stack_of_their_caller(traces: Traces) -> None:
    log = traces["seq2seq"]["tfprof_log"]
    profile = _load(traces, "seq2seq", op_log=log)
    report = profile.report("code", select=["micros", "float_ops"], max_depth=100)
    total = profile.report("scope", select=["micros"]).rows[0].total["exec_micros"]
    assert report.rows[0].total["exec_micros"] >= 0.99 * total
    assert any("seq2seq (gradient)" in name for name in report.names)


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_compat_is_the_original(
    traces: Traces, view: str, original: Original, tmp_path: Path
) -> None:
    for files in traces.values():
        inputs = files["graph"], files["run"], files["tfprof_log"]
        request = REQUEST | {"output": "file"}
        theirs = original.run([[("one_shot", *inputs, view, request)]])[0][0]
        out = tmp_path / "out"
        ours = tfprof.profile(
            *inputs, view, REQUEST | {"output": f"file:outfile={out}"}, compat=True
        )
        assert not theirs.error
        assert out.read_bytes() == dict(theirs.files)[""]
        assert parsed(MESSAGES[view], theirs.result, compat=True) == ours


@pytest.fixture(scope="module")
def original() -> Any:
    running = Original()
    yield running
    running.close()


@pytest.mark.parametrize("model", MODELS)
def test_saved_profiles_and_tables_show_the_same(
    traces: Traces, model: str, tmp_path: Path
) -> None:
    profile = _load(traces, model, op_log=traces[model]["tfprof_log"])
    again = [tfprof.load(profile=profile.serialize())]
    profile.save_tables(tmp_path / "tables")
    again.append(tfprof.Profile.from_tables(tmp_path / "tables"))
    options = {"select": ["micros", "bytes", "occurrence"], "order_by": "name"}
    for view in ("scope", "op", "code"):
        text = profile.report(view, options).text()
        assert [other.report(view, options).text() for other in again] == [text, text]
    compat = profile.serialize(compat=True)
    assert again[1].serialize(compat=True) == compat
