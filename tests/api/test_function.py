"""Graphs of TensorFlow 2 functions: captured variables are parameters."""

from __future__ import annotations

from typing import Any

import pytest

import tfprof
from tfprof import ProfileOptionBuilder

QUIET = ProfileOptionBuilder.trainable_variables_parameter() | {"output": "none"}


@pytest.fixture(scope="module")
def function(tf: Any) -> Any:
    weights, bias = tf.Variable(tf.ones([3, 4])), tf.Variable(tf.ones([4]))
    steps = tf.Variable(5, trainable=False)

    @tf.function
    def model(x: Any) -> Any:
        steps.assign_add(1)
        return tf.nn.relu(x @ weights + bias)

    concrete = model.get_concrete_function(tf.TensorSpec([2, 3]))
    concrete.variables_kept = (weights, bias, steps)  # a function holds them only weakly
    return concrete


def test_captured_variables_are_trainable(function: Any) -> None:
    for graph in (function, function.graph):
        assert tfprof.profile(graph, options=QUIET).total_parameters == 3 * 4 + 4


def test_original_sees_none(tf: Any, function: Any) -> None:
    theirs = tf.compat.v1.profiler.profile(function.graph, options=QUIET)
    ours = tfprof.profile(function.graph, options=QUIET, compat=True)
    assert theirs.total_parameters == ours.total_parameters == 0


def test_float_operations_of_a_function(function: Any) -> None:
    options = ProfileOptionBuilder.float_operation() | {"output": "none"}
    answer = tfprof.profile(function, cmd="op", options=options)
    by_op = {child.name: child.float_ops for child in _all(answer)}
    assert by_op == {"MatMul": 2 * 2 * 3 * 4, "AddV2": 2 * 4, "Relu": 2 * 4}


def test_code_of_a_function(function: Any) -> None:
    root = tfprof.profile(function, cmd="code", options={**QUIET, "account_type_regexes": [".*"]})
    assert any(node.name.startswith("test_function.py:") for node in _all(root))


def _all(root: Any) -> list[Any]:
    nodes, waiting = [], list(root.children)
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting += node.children
    return nodes
