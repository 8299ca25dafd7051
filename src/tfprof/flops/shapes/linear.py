"""Shapes of matmuls, einsum and linear algebra."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.flops.shapes.elementwise import broadcast
from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    each,
)
from tfprof.flops.tensors import Dim, Dims


def _matmul(site: InferenceContext) -> list[Dims | None]:
    a, b = site.dims(0, 2), site.dims(1, 2)
    rows = a[1] if site.flag("transpose_a") else a[0]
    columns = b[0] if site.flag("transpose_b") else b[1]
    return [(rows, columns)]


def _batch_matmul(site: InferenceContext) -> list[Dims | None]:
    a, b = site.dims(0), site.dims(1)
    if len(a) < 2 or len(b) < 2:
        raise IndeterminateError
    batch = broadcast(site, a[:-2], b[:-2])
    rows = a[-1] if site.flag("adj_x") else a[-2]
    columns = b[-2] if site.flag("adj_y") else b[-1]
    return [None if batch is None else (*batch, rows, columns)]


ELLIPSIS = "."


def einsum_labels(equation: str, ranks: list[int]) -> tuple[list[list[str]], list[str]]:
    """Labels per axis of every input and of the output; dots become one label per axis, from 0.

    The axes that dots stand for broadcast together, aligned at the right.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    if not arrow or len(operands) != len(ranks):
        raise IndeterminateError
    hidden = [
        rank - len(text.replace("...", "")) if "..." in text else 0
        for text, rank in zip(operands, ranks, strict=True)
    ]
    most = max(hidden, default=0)
    inputs = [_labels(text, count, most) for text, count in zip(operands, hidden, strict=True)]
    for labels, rank in zip(inputs, ranks, strict=True):
        if len(labels) != rank:
            raise IndeterminateError
    return inputs, _labels(right, most, most)


def _labels(text: str, hidden: int, most: int) -> list[str]:
    before, dots, after = text.partition("...")
    middle = [f"{ELLIPSIS}{index}" for index in range(most - hidden, most)] if dots else []
    return [*before, *middle, *after]


def _einsum(site: InferenceContext) -> list[Dims | None]:
    shapes = [site.dims(index) for index in range(len(site.inputs))]
    inputs, output = einsum_labels(site.text("equation"), [len(shape) for shape in shapes])
    sizes: dict[str, Dim] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for label, size in zip(labels, shape, strict=True):
            known = sizes.get(label, 1 if label.startswith(ELLIPSIS) else None)
            if label.startswith(ELLIPSIS):
                merged = broadcast(site, (known,), (size,))
                sizes[label] = merged[0] if merged else None
            elif known is None or isinstance(size, int):
                sizes[label] = size
    return [tuple(sizes.get(label) for label in output)]


def _sparse_matmul(site: InferenceContext) -> list[Dims | None]:
    """SparseTensorDenseMatMul: indices, values, shape, dense."""
    rows = site.sizes_in(2)
    dense = site.dims(3, 2)
    left = rows[1] if site.flag("adjoint_a") else rows[0]
    return [(left, dense[0] if site.flag("adjoint_b") else dense[1])]


def _diag(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    return [(*dims, dims[-1])]


def _diag_part(site: InferenceContext) -> list[Dims | None]:
    dims = site.dims(0)
    rows, columns = dims[-2:]
    if isinstance(rows, int) and isinstance(columns, int):
        return [(*dims[:-2], min(rows, columns))]
    return [(*dims[:-2], rows if rows == columns else None)]


def _main_diagonal(rule: ShapeRule) -> ShapeRule:
    """The newer forms, where they are asked for the main diagonal and nothing else."""

    def checked(site: InferenceContext) -> Sequence[Dims | None]:
        wanted = [site.ints_in(index) for index in range(1, min(4, len(site.inputs) - 1))]
        if wanted[0] != (0,) or any(sizes != (-1,) for sizes in wanted[1:]):
            raise IndeterminateError
        return rule(site)

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
    **each("MatrixSolve MatrixTriangularSolve", lambda site: [site.shape(1)]),
}
