"""Chains of layers, and their order."""

from __future__ import annotations

import pytest

from tfprof.flops.layers.functional_order import CallGraph, is_chain, sort_layers


def _graph(inputs: dict[int, list[int]], outputs: list[int]) -> CallGraph:
    """Calls below 10 are of layers of the same number."""
    return CallGraph({call: call if call < 10 else -call for call in inputs}, inputs, outputs)


def test_layers_one_after_the_other_are_a_chain() -> None:
    """The order of numbers does not matter."""
    assert is_chain(_graph({1: [], 0: [1], 2: [0]}, [2]), 3)


def test_masks_may_be_given_to_layers() -> None:
    """Call 10 is a mask of two layers."""
    assert is_chain(_graph({0: [], 10: [], 1: [0, 10], 2: [1, 10]}, [2]), 3)


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({0: [], 1: [0], 2: [0]}, [1, 2]),
        ({0: [], 1: [0], 2: [0, 1]}, [2]),
        ({0: [], 1: [], 2: [0, 1]}, [2]),
        ({0: [], 1: [0], 10: [1], 2: [10]}, [2]),
        ({0: [], 1: [0], 2: [1], 10: [2]}, [10]),
        ({0: [], 1: [0]}, [1]),
    ],
    ids=["two outputs", "skip", "two inputs", "between", "behind", "not needed"],
)
def test_others_are_none(inputs: dict[int, list[int]], outputs: list[int]) -> None:
    """Three layers that no sequential model has."""
    assert not is_chain(_graph(inputs, outputs), 3)


def test_layers_called_twice_are_none() -> None:
    """Two calls of layer 0."""
    assert not is_chain(CallGraph({0: 0, 1: 0}, {0: [], 1: [0]}, [1]), 1)


def test_a_layer_is_as_deep_as_those_that_run_after_it() -> None:
    """Layers 0 and 1 are a branch that is longer than it looks, 2 and 3 another one."""
    inputs: dict[int, list[int]] = {0: [], 1: [0], 2: [], 3: [2], 4: [3, 1]}
    layers = {call: call for call in inputs}
    assert sort_layers(CallGraph(layers, inputs, [4])) == [2, 0, 3, 1, 4]
    assert sort_layers(CallGraph(layers, inputs, [4], runs=[0, 1, 2, 3, 4])) == [0, 2, 1, 3, 4]


def test_an_order_of_calls_that_no_functional_model_has() -> None:
    """Layer 0 is called before and after what needs it, so that no depths fit."""
    layers = {0: 0, 1: 1, 2: 0, 3: 3}
    inputs: dict[int, list[int]] = {0: [], 1: [0], 2: [], 3: [2, 1]}
    graph = CallGraph(layers, inputs, [3], runs=[0, 1, 2, 3])
    assert sort_layers(graph) == sort_layers(CallGraph(layers, inputs, [3]))
