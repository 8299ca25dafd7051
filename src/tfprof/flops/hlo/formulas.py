"""Float operations of instructions, by opcode.

One operation is one arithmetic result, as in `flops.rules`. Contractions count whatever their
type, other arithmetic only on floating point.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from tfprof.definitions.limits import MAX_COUNT, MAX_RANK
from tfprof.flops.rules.formula import NOTHING, TOO_LARGE, Work
from tfprof.protos.hlo_pb2 import HloInstruction, HloShape

Formula = Callable[[HloInstruction, Sequence[HloShape]], Work]
"""A function of an instruction and the shapes of its operands."""

_FLOATS = frozenset({10, 11, 12, 15, 16, 18, 19, 20, 23, 24, 25, 28, 29, 32, 33})
"""The element types that are floating-point or complex numbers."""


def elements(shape: HloShape) -> int:
    """The number of elements of an array, or of the first array of a tuple."""
    return _product(_first_array(shape).dimensions)


def _product(sizes: Iterable[int]) -> int:
    """The product of the sizes of some dimensions; a ValueError if they are too many."""
    factors = list(islice(sizes, MAX_RANK + 1))
    if len(factors) > MAX_RANK:
        raise ValueError("too many dimensions")
    return math.prod(factors)


def is_float(shape: HloShape) -> bool:
    """Whether an array, or one of a tuple, has floating-point numbers."""
    pending = [shape]
    while pending:
        item = pending.pop()
        pending += item.tuple_shapes
        if not item.tuple_shapes and item.element_type in _FLOATS:
            return True
    return False


def _per_output(factor: int) -> Formula:
    return lambda item, _operands: Work(elementwise=factor * elements(item.shape))


def _dot(item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    lhs = operands[0].dimensions
    contracted = item.dot_dimension_numbers.lhs_contracting_dimensions
    return Work(macs=elements(item.shape) * _product(lhs[axis] for axis in contracted))


def _convolution(item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    """Each output reads the window, for each input feature.

    Along an axis that is dilated, as in the gradient of a strided convolution, most of what the
    window covers is padding: there each input is multiplied once by each element of the window.
    """
    axes, image, kernel = item.convolution_dimension_numbers, operands[0], operands[1]
    result = _first_array(item.shape)
    outer = result.dimensions[axes.output_batch_dimension]
    outer *= result.dimensions[axes.output_feature_dimension]
    outer *= kernel.dimensions[axes.kernel_input_feature_dimension]
    sizes = zip(
        item.window.dimensions,
        (image.dimensions[axis] for axis in axes.input_spatial_dimensions),
        (result.dimensions[axis] for axis in axes.output_spatial_dimensions),
        strict=True,
    )
    return Work(
        macs=outer
        * _product(
            given * min(made, window.size) if window.base_dilation > 1 else made * window.size
            for window, given, made in sizes
        )
    )


def _first_array(shape: HloShape) -> HloShape:
    while shape.tuple_shapes:
        shape = shape.tuple_shapes[0]
    return shape


def _reduce(item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    # The second half of the operands are initial values.
    return Work(elementwise=max(elements(operands[0]) - elements(item.shape), 0))


def _window_size(item: HloInstruction) -> int:
    return _product(axis.size for axis in item.window.dimensions)


def _reduce_window(item: HloInstruction, _operands: Sequence[HloShape]) -> Work:
    return Work(elementwise=elements(item.shape) * (_window_size(item) - 1))


def _select_and_scatter(item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    return Work(elementwise=elements(operands[1]) * _window_size(item))


def _scatter(_item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    return Work(elementwise=elements(operands[-1]))


def _fourier(item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    """Of n points: 5 n log2 n."""
    size = max(elements(operands[0]), elements(item.shape))
    return Work(elementwise=5 * size * (_product(item.fft_length) - 1).bit_length())


def _cholesky(item: HloInstruction, _operands: Sequence[HloShape]) -> Work:
    return Work(elementwise=elements(item.shape) * item.shape.dimensions[-1] // 3)


def _triangular_solve(item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    return Work(elementwise=elements(item.shape) * operands[0].dimensions[-1])


def _custom_call(item: HloInstruction, operands: Sequence[HloShape]) -> Work:
    """Matmuls and convolutions of libraries."""
    if item.HasField("convolution_dimension_numbers"):
        return _convolution(item, operands)
    contracted = _contracted_axes(item.backend_config) or [len(operands[0].dimensions) - 1]
    sizes = (operands[0].dimensions[axis] for axis in contracted)
    return Work(macs=elements(item.shape) * _product(sizes))


def _contracted_axes(config: bytes) -> list[int]:
    """The contracted axes of the first operand, as the configuration of a library call has them."""
    pending = [json.loads(config)] if config.startswith(b"{") else []
    while pending:
        value = pending.pop()
        if "lhs_contracting_dimensions" in value:
            return [int(axis) for axis in value["lhs_contracting_dimensions"]]
        pending += [item for item in value.values() if isinstance(item, dict)]
    return []


_ONE = """
abs add atan2 cbrt ceil compare complex cosine divide erf exponential exponential-minus-one floor
is-finite log log-plus-one maximum minimum multiply negate power remainder round-nearest-afz
round-nearest-even sign sine sqrt subtract tan tanh acos acosh asin asinh atanh cosh sinh
"""
FORMULAS: Mapping[str, Formula] = {
    **dict.fromkeys(_ONE.split(), _per_output(1)),
    "clamp": _per_output(2),
    "rsqrt": _per_output(2),
    "logistic": _per_output(4),
    "reduce": _reduce,
    "reduce-window": _reduce_window,
    "select-and-scatter": _select_and_scatter,
    "scatter": _scatter,
    "fft": _fourier,
    "cholesky": _cholesky,
    "triangular-solve": _triangular_solve,
}
"""Opcode -> formula of arithmetic, which counts on floating point."""

CONTRACTIONS: Mapping[str, Formula] = {"dot": _dot, "convolution": _convolution}
"""Opcode -> formula of matmuls and convolutions."""

_LIBRARY_CALLS = ("gemm", "matmul", "conv")

_ZERO_COST = """
after-all all-gather all-gather-done all-gather-start all-to-all and async-done async-start
async-update bitcast bitcast-convert broadcast call collective-permute collective-permute-done
collective-permute-start concatenate conditional constant convert copy copy-done copy-start
count-leading-zeros domain dynamic-reshape dynamic-slice dynamic-update-slice fusion gather
get-dimension-size get-tuple-element imag infeed iota not opt-barrier optimization-barrier or
outfeed pad parameter partition-id popcnt ragged-all-to-all real recv recv-done reduce-precision
replica-id reshape reverse rng rng-bit-generator rng-get-and-update-state select send send-done
set-dimension-size shift-left shift-right-arithmetic shift-right-logical slice sort
stochastic-convert topk transpose tuple while xor map all-reduce all-reduce-start
all-reduce-done reduce-scatter
"""
ZERO_COST = frozenset(_ZERO_COST.split())
"""Opcodes that move data, or whose computations are counted on their own."""


def count_instruction(item: HloInstruction, operands: Sequence[HloShape]) -> Work | str:
    """The work of an instruction, or the reason why it is not known."""
    contraction = CONTRACTIONS.get(item.opcode)
    if item.opcode == "custom-call":
        target = item.custom_call_target.lower()
        if not any(name in target for name in _LIBRARY_CALLS):
            has_floats = any(map(is_float, (item.shape, *operands)))
            return "custom call" if has_floats else NOTHING
        contraction = _custom_call
    if contraction is None and item.opcode in ZERO_COST:
        return NOTHING
    if contraction is None and not any(map(is_float, (item.shape, *operands))):
        return NOTHING
    formula = contraction or FORMULAS.get(item.opcode)
    if formula is None:
        return "no formula"
    try:
        work = formula(item, operands)
    except (ArithmeticError, AttributeError, IndexError, RecursionError, TypeError, ValueError):
        return "unknown shape"
    return work if abs(int(work.float_ops())) <= MAX_COUNT else TOO_LARGE
