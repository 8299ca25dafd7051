"""Multiply-adds in the views: equal to what was worked out by hand and to `tfprof.cost`."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow.parquet
import pytest
import tensorflow as tf

import tfprof
from tests.cli.conftest import call
from tfprof import demo
from tfprof.flops.rules import MULTIPLY_ADDS, RULES
from tfprof.protos import output_pb2
from tfprof.views import VIEWS

v1 = tf.compat.v1
BY_HAND = {
    "dense/MatMul": 4 * 32 * 10,
    "image/Conv2D": 2 * 8 * 8 * 5 * (3 * 3 * 3),
    "image/depthwise": 2 * 8 * 8 * 3 * (3 * 3),
    "pairs/MatMul": 6 * 4 * 7 * 5,
}


@pytest.fixture(scope="module")
def graph() -> tf.Graph:
    graph = tf.Graph()
    with graph.as_default():
        with v1.name_scope("dense"):
            v1.add(tf.matmul(tf.ones([4, 32]), tf.ones([32, 10])), 1.0)
        with v1.name_scope("image"):
            image = tf.ones([2, 8, 8, 3])
            v1.nn.conv2d(image, tf.ones([3, 3, 3, 5]), padding="SAME")
            v1.nn.depthwise_conv2d_native(
                image, tf.ones([3, 3, 3, 1]), [1, 1, 1, 1], "SAME", name="depthwise"
            )
        with v1.name_scope("pairs"):
            tf.matmul(tf.ones([6, 5, 4]), tf.ones([6, 5, 7]), transpose_a=True)
    return graph


@pytest.fixture(scope="module")
def loaded(graph: tf.Graph) -> tfprof.Profile:
    return tfprof.load(graph.as_graph_def(add_shapes=True))


def test_macs_are_right(graph: tf.Graph, loaded: tfprof.Profile) -> None:
    report = loaded.report("scope", select=["macs"], max_depth=9)
    found = {row.name: row.own["macs"] for row in report if row.own["macs"]}
    assert found == BY_HAND
    assert report.rows[0].total["macs"] == tfprof.cost(graph.as_graph_def()).macs


@pytest.mark.parametrize("kind", VIEWS)
def test_all_views_have_them(kind: str) -> None:
    profile = tfprof.load(**demo.paths())
    report = profile.report(kind, select=["macs", "float_ops"], order_by="macs", max_depth=99)
    root = report.rows[0].total
    assert 0 < 2 * root["macs"] < root["float_ops"]
    # The convolutions of a batch of 128, forward and twice backward, and the last layer.
    convolution = sum(
        row.own["float_ops"]
        for row in profile.report("op", account_type_regexes=["Conv2D.*|MatMul"])
    )
    assert 2 * root["macs"] == convolution
    children = [row.total["macs"] for row in report.rows[0].children]
    assert children == sorted(children, reverse=True)
    assert b" | # macs" in report.text().encode().partition(b"\n")[0]
    least = profile.report(kind, min_macs=10**9, max_depth=99)
    column = "own" if kind in ("scope", "graph") else "total"
    assert all(getattr(row, column)["macs"] >= 10**9 for row in least.rows[1:])
    assert len(least) < len(report)


def test_text_without_macs_has_none(loaded: tfprof.Profile) -> None:
    assert "macs" not in loaded.report("scope", select=["float_ops", "params"]).text(legend=True)


def test_files_have_them(loaded: tfprof.Profile, tmp_path) -> None:
    for kind in ("json", "csv", "parquet"):
        loaded.report("op").write(f"{kind}:outfile={tmp_path}/rows.{kind}")
    rows = [
        json.loads((tmp_path / "rows.json").read_text()),
        list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines())),
        pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pylist(),
    ]
    for each in rows:
        conv = next(row for row in each if row["name"] == "Conv2D")
        assert int(conv["own_macs"]) == BY_HAND["image/Conv2D"]
    assert {row["own_macs"] for row in json.loads(loaded.report("op", compat=True).json())} == {
        None
    }


def test_messages_have_them(loaded: tfprof.Profile) -> None:
    tree = loaded.report("scope", select=["macs"], max_depth=9).proto()
    assert tree.total_macs == sum(BY_HAND.values())
    found = {node.name: node.macs for scope in tree.children for node in scope.children}
    assert {name: number for name, number in found.items() if number} == BY_HAND
    first = loaded.report("op", select=["macs"], order_by="macs").proto().children[0]
    assert (first.name, first.macs) == ("Conv2D", BY_HAND["image/Conv2D"])
    assert not _names(loaded.report("op").proto()) & {"macs", "total_macs"}


def _names(message: output_pb2.MultiGraphNodeProto) -> set[str]:
    found = {field.name for field, _ in message.ListFields()}
    return found.union(*(_names(child) for child in message.children))


@pytest.mark.parametrize("kind", VIEWS)
def test_compat_knows_no_macs(kind: str) -> None:
    profile = tfprof.load(**demo.paths(), compat=True)
    everything = {"account_type_regexes": [".*"], "start_name_regexes": [".*"]}
    everything["show_name_regexes"] = [".*"]

    def answer(word: str) -> bytes:
        options = {"select": [word, "micros"], "order_by": word, f"min_{word}": 5, "max_depth": 3}
        report = profile.report(kind, {**options, **everything}, compat=True)
        return report.text().replace(word, "WORD").encode() + report.proto().SerializeToString()

    assert answer("macs") == answer("maze")
    assert b"Unknown select: WORD" in answer("macs")


def test_the_command_refuses_them_in_compat() -> None:
    for words in (["-select", "macs"], ["-order_by", "macs"], ["-min_macs", "1"]):
        done = call("--demo", "--compat", "op", *words)
        assert (done.status, done.out) == (2, b"")
        assert done.err.count("\n") == 1
        assert "unknown" in done.err


def test_contractions_are_all_multiply_adds() -> None:
    assert {"MatMul", "Conv2D", "Einsum", "BatchMatMulV2"} < MULTIPLY_ADDS
    for op in MULTIPLY_ADDS:
        assert RULES[op].contraction, op
        assert "+" not in RULES[op].text, op


def test_a_product_that_ran_as_a_convolution_has_none() -> None:
    """TensorFlow puts the factor into the filter, and runs the convolution under its name."""
    with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
        image = v1.placeholder(tf.float32, [1, 8, 8, 3], "image")
        filters = tf.reshape(tf.range(3 * 3 * 3 * 5, dtype=tf.float32), [3, 3, 3, 5])
        tf.multiply(tf.nn.conv2d(image, filters, 1, "SAME", name="conv"), 2.0, name="scaled")
        run = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        fed = {image: np.zeros((1, 8, 8, 3))}
        session.run("scaled:0", fed, options=options, run_metadata=run)
        for record in run.step_stats.dev_stats[0].node_stats:  # whether oneDNN is in use or not
            record.timeline_label = record.timeline_label.replace("_MklNativeConv2D", "Conv2D")
        profile = tfprof.load(graph.as_graph_def(add_shapes=True), run)
    report = profile.report("scope", select=["macs", "op_types"], max_depth=9)
    assert "scaled (0/0 macs, /job:localhost/replica:0/task:0/device:cpu:0|Conv2D|Mul)" in (
        report.text()
    )
    assert report["conv"].own["macs"] == 8 * 8 * 5 * 3 * 3 * 3
