"""A checkpoint beside a graph, and alone: what reports show of it."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfprof
from tfprof.api.profile import Profile
from tfprof.definitions.options import OPTIONS
from tfprof.demo import paths
from tfprof.loaders.checkpoint import open_checkpoint

# What the documents print for the demo's model (examples 4 and 5).
GAMMAS = """\
_TFProfRoot ()
  unit_1_0/shared_activation/init_bn/gamma ()
[1.80 2.10 2.06 1.91 2.26 1.86 1.81 1.37 1.78 1.85 1.96 1.54 2.04 2.34 2.22 1.99 ],
  unit_1_0/sub2/bn2/gamma ()
[1.57 1.83 1.30 1.25 1.59 1.14 1.26 0.82 1.19 1.10 1.48 1.01 0.82 1.23 1.21 1.14 ],
"""
VARIABLES = """\
_TFProfRoot (--/930.58k params)
  global_step (1/1 params)
  init/init_conv/DW (3x3x3x16, 432/864 params)
  pool_logit/DW (64x10, 640/1.28k params)
    pool_logit/DW/Momentum (64x10, 640/640 params)
  pool_logit/biases (10, 10/20 params)
    pool_logit/biases/Momentum (10, 10/10 params)
  unit_last/final_bn/beta (64, 64/128 params)
  unit_last/final_bn/gamma (64, 64/128 params)
  unit_last/final_bn/moving_mean (64, 64/64 params)
  unit_last/final_bn/moving_variance (64, 64/64 params)
"""


@pytest.fixture(scope="module")
def demo() -> Profile:
    """The demo with its checkpoint."""
    files = paths()
    return tfprof.load(files["graph"], op_log=files["op_log"], checkpoint=files["checkpoint"])


@pytest.fixture(scope="module")
def alone() -> Profile:
    """The demo's checkpoint and nothing else."""
    return tfprof.load(checkpoint=paths()["checkpoint"])


@pytest.fixture(scope="module")
def tf() -> Any:
    """TensorFlow, quiet; its own warnings on import are not ours."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        return tf


def rows(profile: Profile, **options: Any) -> str:
    """A scope report without its header line."""
    return profile.report("scope", options).text().partition("\n")[2]


def test_example_4(demo: Profile) -> None:
    show = {"show_name_regexes": "unit_1_0.*gamma", "select": "tensor_value", "max_depth": 5}
    assert rows(demo, **show) == GAMMAS


def test_example_5(demo: Profile, alone: Profile) -> None:
    show = {"account_type_regexes": "_checkpoint_variables", "select": "params", "max_depth": 4}
    assert rows(demo, **show) == VARIABLES
    assert rows(alone, **show) == VARIABLES


def test_values_in_graph_view_and_in_compat(demo: Profile) -> None:
    options = {
        "select": ["tensor_value"],
        "show_name_regexes": ["unit_1_0/sub2/bn2/gamma"],
        "account_type_regexes": ["VariableV2"],
        "start_name_regexes": [".*"],
        "max_depth": 10,
    }
    value = GAMMAS.splitlines()[-1]
    for kind in ("scope", "graph"):
        for compat in (False, True):
            assert f"{value}\n" in demo.report(kind, options, compat=compat).text()


def test_values_of_nodes_without_any_are_nothing(demo: Profile) -> None:
    text = rows(demo, select=["tensor_value"], show_name_regexes="unit_1_0/sub2/conv2/Conv2D")
    assert text == "_TFProfRoot ()\n  unit_1_0/sub2/conv2/Conv2D ()\n"


def test_messages_have_all_values(alone: Profile) -> None:
    options = {"select": ["tensor_value"], "show_name_regexes": ["init/init_conv/DW"]}
    (child,) = alone.report("scope", options).proto().children
    stored = open_checkpoint(paths()["checkpoint"]).read("init/init_conv/DW")
    assert child.tensor_value.dtype == 1
    assert np.array_equal(child.tensor_value.value_double, stored.reshape(-1))
    (plain,) = alone.report("scope", options, select="params").proto().children
    assert not plain.HasField("tensor_value")


def test_statistics_instead_of_values(alone: Profile) -> None:
    show = {"select": "tensor_value", "show_name_regexes": "init/init_conv/DW"}
    line = rows(alone, **show, tensor_statistics=True).splitlines()[-1]
    found = open_checkpoint(paths()["checkpoint"]).statistics("init/init_conv/DW")
    assert line.startswith(f"[float32 3x3x3x16, min {found.min:.6g}, max {found.max:.6g}, mean ")
    assert line.endswith("zeros 0, nan 0, inf 0, count 432],")


def test_few_values_by_default(alone: Profile) -> None:
    show = {"select": "tensor_value", "show_name_regexes": "init/init_conv/DW"}
    text = rows(alone, **show)
    assert text.endswith("\n...332 more of 432 values, see -max_values\n\n")
    assert rows(alone, **show, max_values=500).count(" ],\n") == 27


def test_extension_options_are_marked() -> None:
    own = [name for name, option in OPTIONS.items() if option.extension]
    assert {"max_values", "tensor_statistics"} <= set(own)
    assert len(OPTIONS) - len(own) == 21


def test_a_checkpoint_alone_has_parameters(alone: Profile) -> None:
    report = alone.report("op", select=["params", "occurrence"])
    assert [row.name for row in report][1:] == ["VariableV2"]
    assert report["VariableV2"].own["parameters"] == 930_581
    assert len(alone.nodes) == len(open_checkpoint(paths()["checkpoint"]).tensors)


def test_saving_keeps_the_nodes_of_a_checkpoint(alone: Profile) -> None:
    saved = tfprof.load(profile=alone.serialize())
    assert rows(saved, select="params") == rows(alone, select="params")


def test_runs_join_the_nodes_of_a_checkpoint() -> None:
    files = paths()
    profile = tfprof.load(run_meta=files["run_meta"], checkpoint=files["checkpoint"])
    report = profile.report("scope", select=["params", "micros"], max_depth=100)
    row = report["init/init_conv/DW"]
    assert (row.own["parameters"], row.own["run_count"]) == (432, 1)


def test_objects_of_tensorflow_2_have_names(tf: Any, tmp_path: Path) -> None:
    weight = tf.Variable(tf.ones([2, 3]), name="dense/kernel")
    bias = tf.Variable([1.5, 2.5], name="dense/bias")
    prefix = tf.train.Checkpoint(layer=tf.train.Checkpoint(w=weight, b=bias)).write(
        str(tmp_path / "objects")
    )
    text = rows(tfprof.load(checkpoint=prefix), select=["params", "tensor_value"])
    assert "    dense/bias (2, 2/2 params)\n[1.50 2.50 ],\n" in text
    assert "    dense/kernel (2x3, 6/6 params)\n" in text


def test_names_of_objects_are_found_in_a_graph(tf: Any, tmp_path: Path) -> None:
    weight = tf.Variable(tf.ones([2, 3]), name="dense/kernel")
    prefix = tf.train.Checkpoint(w=weight).write(str(tmp_path / "objects"))
    graph = tf.Graph()
    with graph.as_default():
        handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2, 3], shared_name="x", name="w")
        tf.identity(handle, name="other")
    definition = graph.as_graph_def()
    definition.node[0].name = "dense/kernel"
    profile = tfprof.load(definition.SerializeToString(), checkpoint=prefix)
    show = {"account_type_regexes": "_checkpoint_variables", "select": ["params", "tensor_value"]}
    assert rows(profile, **show) == (
        "_TFProfRoot (--/6 params)\n  dense/kernel (2x3, 6/6 params)\n"
        "[[1.00 1.00 1.00 ],\n[1.00 1.00 1.00 ],\n],\n"
    )


def test_the_variables_of_a_saved_model(tf: Any, tmp_path: Path) -> None:
    module = tf.Module()
    module.weight = tf.Variable([[7.0]], name="weight")
    tf.saved_model.save(module, str(tmp_path / "model"))
    text = rows(tfprof.load(checkpoint=tmp_path / "model"), select=["params", "tensor_value"])
    assert "  weight (1x1, 1/1 params)\n[[7.00 ],\n],\n" in text
