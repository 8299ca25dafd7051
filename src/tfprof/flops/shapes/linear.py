"""Shapes of matmuls, einsum and linear algebra."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.definitions.limits import MAX_RANK
from tfprof.flops.shapes.elementwise import broadcast
from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    each,
    shape_of,
)
from tfprof.flops.tensors import Dim, Dims


def _matmul(c: InferenceContext) -> list[Dims | None]:
    a, b = c.dims(0, 2), c.dims(1, 2)
    rows = a[1] if c.flag("transpose_a") else a[0]
    columns = b[0] if c.flag("transpose_b") else b[1]
    return [(rows, columns)]


def _batch_matmul(c: InferenceContext) -> list[Dims | None]:
    a, b = c.dims(0), c.dims(1)
    if len(a) < 2 or len(b) < 2:
        raise IndeterminateError
    batch = broadcast(c, a[:-2], b[:-2])
    rows = a[-1] if c.flag("adj_x") else a[-2]
    columns = b[-2] if c.flag("adj_y") else b[-1]
    return [None if batch is None else (*batch, rows, columns)]


ELLIPSIS = "."


def einsum_labels(equation: str, ranks: list[int]) -> tuple[list[list[str]], list[str]]:
    """Labels per axis of every input and of the output; dots become one label per axis, from 0.

    The axes that dots stand for broadcast together, aligned at the right.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    if not arrow or len(operands) != len(ranks) or len(right) > MAX_RANK + len("..."):
        raise IndeterminateError
    hidden = [
        rank - len(text.replace("...", "")) if "..." in text else 0
        for text, rank in zip(operands, ranks, strict=True)
    ]
    ellipsis_rank = max(hidden, default=0)
    inputs = [
        _labels(text, count, ellipsis_rank) for text, count in zip(operands, hidden, strict=True)
    ]
    for labels, rank in zip(inputs, ranks, strict=True):
        if len(labels) != rank:
            raise IndeterminateError
    return inputs, _labels(right, ellipsis_rank, ellipsis_rank)


def _labels(text: str, hidden: int, rank: int) -> list[str]:
    before, dots, after = text.partition("...")
    middle = [f"{ELLIPSIS}{index}" for index in range(rank - hidden, rank)] if dots else []
    return [*before, *middle, *after]


def _einsum(c: InferenceContext) -> list[Dims | None]:
    shapes = [c.dims(index) for index in range(len(c.inputs))]
    inputs, output = einsum_labels(c.text("equation"), [len(shape) for shape in shapes])
    sizes: dict[str, Dim] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for label, size in zip(labels, shape, strict=True):
            known = sizes.get(label, 1 if label.startswith(ELLIPSIS) else None)
            if label.startswith(ELLIPSIS):
                merged = broadcast(c, (known,), (size,))
                sizes[label] = merged[0] if merged else None
            elif known is None or isinstance(size, int):
                sizes[label] = size
    return [tuple(sizes.get(label) for label in output)]


def _sparse_matmul(c: InferenceContext) -> list[Dims | None]:
    """SparseTensorDenseMatMul: indices, values, shape, dense."""
    rows = c.sizes_in(2)
    dense = c.dims(3, 2)
    left = rows[1] if c.flag("adjoint_a") else rows[0]
    return [(left, dense[0] if c.flag("adjoint_b") else dense[1])]


def _diag(c: InferenceContext) -> list[Dims | None]:
    return [(*c.dims(0), c.dims(0)[-1])]


def _diag_part(c: InferenceContext) -> list[Dims | None]:
    dims = c.dims(0)
    rows, columns = dims[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        return [(*dims[:-2], min(rows, columns))]
    return [(*dims[:-2], rows if rows == columns else None)]


def _main_diagonal(rule: ShapeRule) -> ShapeRule:
    """The newer forms, where they are asked for the main diagonal and nothing else."""

    def checked(c: InferenceContext) -> Sequence[Dims | None]:
        wanted = [c.ints_in(index) for index in range(1, min(4, len(c.inputs) - 1))]
        if wanted[0] != (0,) or any(sizes != (-1,) for sizes in wanted[1:]):
            raise IndeterminateError
        return rule(c)

    return checked


RULES: dict[str, ShapeRule] = {
    **each("MatMul SparseMatMul _FusedMatMul", _matmul),
    **each("BatchMatMul BatchMatMulV2 BatchMatMulV3 _FusedBatchMatMulV2", _batch_matmul),
    "Einsum": _einsum,
    "SparseTensorDenseMatMul": _sparse_matmul,
    "MatrixDiag": _diag,
    "MatrixDiagPart": _diag_part,
    **each("MatrixDiagV2 MatrixDiagV3", _main_diagonal(_diag)),
    **each("MatrixDiagPartV2 MatrixDiagPartV3", _main_diagonal(_diag_part)),
    **each("MatrixSolve MatrixTriangularSolve", shape_of(1)),
}
