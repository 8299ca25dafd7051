"""Inferred shapes and types against TensorFlow's own, on random valid nodes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.flops.random_ops import FAMILIES, build, interpret
from tfprof.flops.interpreter import Instance
from tfprof.flops.polynomial import bind, symbol
from tfprof.flops.rules import RULES, CountKind, count_node
from tfprof.flops.shapes import SHAPE_RULES
from tfprof.flops.tensors import Tensor
from tfprof.flops.totals import operation

SEEDS = range(12)
# Work that depends on data, or that has no agreed count.
UNKNOWN = {
    "TopKV2",
    "MatrixSolve",
    "MatrixTriangularSolve",
    "Cholesky",
    "MatrixInverse",
    "ResizeArea",
}


def compare(graph: Any, instance: Instance, values: dict[str, int]) -> dict[str, list[str]]:
    """Differences by op type; TensorFlow may know less than we do, we may not."""
    wrong: dict[str, list[str]] = {}
    for position, node in enumerate(instance.body.nodes):
        theirs = graph.get_operation_by_name(node.name).outputs
        ours = instance.outputs[position]
        for index, tensor in enumerate(theirs):
            mine = ours[index] if index < len(ours) else Tensor()
            if mine.dtype != tensor.dtype.base_dtype.as_datatype_enum:
                wrong.setdefault(node.op, []).append(f"type {mine.dtype} not {tensor.dtype}")
            if tensor.shape.rank is None:
                continue
            expected = tensor.shape.as_list()
            found = None if mine.shape is None else [
                None if size is None else bind(size, values) for size in mine.shape
            ]  # fmt: skip
            if (
                found is None
                or len(found) != len(expected)
                or any(a != b for a, b in zip(found, expected, strict=True) if b is not None)
            ):
                wrong.setdefault(node.op, []).append(f"{index}: {found} not {expected}")
    return wrong


@pytest.mark.parametrize("family", FAMILIES)
def test_shapes_and_types(tf: Any, family: str) -> None:
    for seed in SEEDS:
        graph, message = build(tf, family, seed)
        assert compare(graph, interpret(message), {}) == {}, seed


def test_number_of_op_types(tf: Any) -> None:
    seen: set[str] = set()
    for family in FAMILIES:
        seen |= {node.op for node in build(tf, family, 0)[1].node}
    assert len(seen & SHAPE_RULES.keys()) > 150
    assert len(seen & RULES.keys()) > 90


@pytest.mark.parametrize("family", FAMILIES)
def test_symbols_bound_give_the_numbers(tf: Any, family: str) -> None:
    """With unknown sizes as symbols, no answer may be wrong once the symbols are bound."""
    for seed in SEEDS:
        graph, message = build(tf, family, seed)
        rng = random.Random(seed)
        values: dict[str, int] = {}
        shapes: dict[str, Any] = {}
        for node in message.node:
            if node.op == "Placeholder":
                sizes = [dim.size for dim in node.attr["shape"].shape.dim]
                # A size of 1 broadcasts: a symbol stands for another size.
                axes = [axis for axis, size in enumerate(sizes) if size > 1 and rng.random() < 0.5]
                for axis in axes:
                    values[f"s{sizes[axis]}"] = sizes[axis]
                shapes[node.name] = tuple(
                    symbol(f"s{size}") if axis in axes else size for axis, size in enumerate(sizes)
                )
        wrong = {}
        for op, lines in compare(graph, interpret(message, shapes), values).items():
            told = [line for line in lines if "None" not in line]  # not known is not wrong
            if told:
                wrong[op] = told
        assert wrong == {}, seed


@pytest.mark.parametrize("family", FAMILIES)
def test_every_node_is_counted_or_zero_cost(tf: Any, family: str) -> None:
    _, message = build(tf, family, 0)
    instance = interpret(message)
    unknown = {
        node.op
        for position, node in enumerate(message.node)
        if count_node(operation(instance, position)).kind is CountKind.UNKNOWN
    }
    assert unknown <= UNKNOWN
