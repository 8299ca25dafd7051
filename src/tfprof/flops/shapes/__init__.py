"""Shape inference: what is known about a node's outputs, from what is known about its inputs.

A family of op types is a file with a table `RULES`, which this module merges:

    elementwise, linear, windows, reductions   ops with arithmetic
    layout, slices, creation, recurrent        ops that arrange or make tensors, fused cells
    handles                                    variables, tensor lists, optimizer slots
    text                                       strings, and rows of different lengths
    inference_context, dtypes                  the node that a rule looks at; types of outputs
    folding, arithmetic                        values of small integer tensors, such as shapes

Only `flops` imports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from tfprof.flops.shapes import (
    creation,
    elementwise,
    folding,
    handles,
    layout,
    linear,
    recurrent,
    reductions,
    slices,
    text,
    windows,
)
from tfprof.flops.shapes.dtypes import output_type
from tfprof.flops.shapes.inference_context import IndeterminateError, InferenceContext, ShapeRule
from tfprof.flops.tensors import MAX_VALUES, Dims, Tensor, is_float, read_constant

SHAPE_RULES: dict[str, ShapeRule] = {
    **elementwise.RULES,
    **linear.RULES,
    **windows.RULES,
    **reductions.RULES,
    **layout.RULES,
    **slices.RULES,
    **creation.RULES,
    **recurrent.RULES,
    **text.RULES,
}
"""Op type -> its outputs' shapes."""

_TENSOR_RULES = {**handles.RULES, **text.TENSORS}
"""Op type -> its outputs, where they carry more than a shape."""

# What a rule raises for a malformed or partly known node.
_RULE_ERRORS = (IndeterminateError, LookupError, ValueError, TypeError, ArithmeticError)


@cache
def canonical(op: str) -> str:
    """The op type whose rules hold: oneDNN's rewritten ops compute what the originals do."""
    for prefix in ("_MklNative", "_Mkl"):
        if op.startswith(prefix):
            plain = op[len(prefix) :]
            return f"_{plain}" if f"_{plain}" in _FUSED else plain
    return op


_FUSED = {
    "_FusedConv2D",
    "_FusedConv3D",
    "_FusedMatMul",
    "_FusedBatchMatMulV2",
    "_FusedBatchNormEx",
    "_FusedDepthwiseConv2dNative",
}


def infer(c: InferenceContext) -> list[Tensor]:
    """A node's outputs by the rules; empty if there is no rule or it needs what is not known."""
    if c.op == "Const" and "value" in c.attrs:
        return [read_constant(c.attrs["value"].tensor)]
    try:
        if c.op in _TENSOR_RULES and (tensors := _TENSOR_RULES[c.op](c)):
            return tensors
        rule = SHAPE_RULES.get(c.op)
        shapes: Sequence[Dims | None] = rule(c) if rule else ()
    except _RULE_ERRORS:
        shapes = (None,)  # the type of the first output is known
    tensors = [Tensor(output_type(c.op, c.attrs, i), s) for i, s in enumerate(shapes)]
    if c.op in _CARRIERS and tensors and c.inputs:
        source = c.inputs[0]
        tensors[0] = replace(
            tensors[0], element=source.element, length=source.length, filled=source.filled
        )
    return _with_values(c, tensors)


_CARRIERS = {"Identity", "Enter", "Exit", "NextIteration", "ZerosLike", "StopGradient"}


def _with_values(c: InferenceContext, tensors: list[Tensor]) -> list[Tensor]:
    rule = folding.RULES.get(c.op) or text.VALUES.get(c.op)
    if rule is None:
        return tensors
    dtype = output_type(c.op, c.attrs, 0)
    if is_float(dtype):
        return tensors
    try:
        values = rule(c)
    except _RULE_ERRORS:
        return tensors
    while len(tensors) < len(values):
        tensors.append(Tensor(dtype))
    distinct = {id(array): array for array in values if array is not None}
    flat = {
        key: tuple(np.asarray(array, dtype=object).ravel().tolist())
        for key, array in distinct.items()
        if array.size <= MAX_VALUES
    }
    for index, array in enumerate(values):
        if array is not None and id(array) in flat:
            tensors[index] = replace(tensors[index], shape=array.shape, value=flat[id(array)])
    return tensors
