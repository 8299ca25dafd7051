"""Float operations by the original's 46 formulas, one table, with the repairs beside it.

`ORIGINAL_RULES` gives the original's values, mistakes included; `REPAIRED_RULES` differs from it
only in the entries that the original gets wrong.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tfprof.protos.graph_pb2 import AttrValue

__all__ = [
    "CONTRACTIONS",
    "ORIGINAL_RULES",
    "REPAIRED_RULES",
    "Operands",
    "Rule",
    "Shape",
    "Unknown",
    "count",
]

Shape = tuple[int, ...]
"""Sizes in order, -1 for an unknown one. A shape of unknown rank is None."""


class Unknown(enum.Enum):
    """Why a node has no count."""

    RULE = "no rule"
    SHAPE = "unknown shape"
    FORMAT = "data format without a formula"
    MALFORMED = "malformed node"


class _RefusedError(Exception):
    """A formula cannot be applied; carries the reason."""

    def __init__(self, reason: Unknown) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Operands:
    """What a formula may look at: attributes and shapes, refusing what is not fully known."""

    attrs: Mapping[str, AttrValue]
    inputs: Sequence[Shape | None]
    outputs: Sequence[Shape | None]

    def input(self, index: int) -> Shape:
        """The fully known shape of one input."""
        return _known(self.inputs, index)

    def output(self, index: int = 0) -> Shape:
        """The fully known shape of one output."""
        return _known(self.outputs, index)

    def flag(self, name: str) -> bool:
        """A boolean attribute; one that is absent is false."""
        return name in self.attrs and self.attrs[name].b

    def ints(self, name: str) -> Sequence[int]:
        """An attribute that is a list of integers."""
        if name not in self.attrs:
            raise _RefusedError(Unknown.MALFORMED)
        return tuple(self.attrs[name].list.i)

    def require_nhwc(self) -> None:
        """Refuse any other layout, as the original does; writers may strip the default."""
        if "data_format" in self.attrs and self.attrs["data_format"].s != b"NHWC":
            raise _RefusedError(Unknown.FORMAT)


def _known(shapes: Sequence[Shape | None], index: int) -> Shape:
    shape = shapes[index] if index < len(shapes) else None
    if shape is None or -1 in shape:
        raise _RefusedError(Unknown.SHAPE)
    return shape


Rule = Callable[[Operands], int]


def count(
    op: str,
    attrs: Mapping[str, AttrValue],
    inputs: Sequence[Shape | None],
    outputs: Sequence[Shape | None],
    *,
    compat: bool,
) -> int | Unknown:
    """Float operations of one node, or the reason why they are not known."""
    rule = (ORIGINAL_RULES if compat else REPAIRED_RULES).get(op)
    if rule is None:
        return Unknown.RULE
    try:
        return rule(Operands(attrs, inputs, outputs))
    except _RefusedError as refusal:
        return refusal.reason
    except (IndexError, ZeroDivisionError):
        return Unknown.MALFORMED


def _per_input(factor: int) -> Rule:
    return lambda x: factor * prod(x.input(0))


def _per_output(factor: int) -> Rule:
    return lambda x: factor * prod(x.output())


def _l2_loss(x: Operands) -> int:
    return 3 * prod(x.input(0)) - 1


def _mean(x: Operands) -> int:
    x.output()
    return prod(x.input(0))


def _reduction(x: Operands) -> int:
    return prod(x.input(0)) - prod(x.output())


def _pool(x: Operands) -> int:
    return prod(x.ints("ksize")) * prod(x.output())


def _avg_pool_grad(x: Operands) -> int:
    return 2 * prod(x.ints("ksize")) * prod(x.input(1))


def _max_pool_grad(x: Operands) -> int:
    return (prod(x.ints("ksize")) + 1) * prod(x.input(1))


def _nhwc(rule: Rule) -> Rule:
    def checked(x: Operands) -> int:
        x.require_nhwc()
        return rule(x)

    return checked


def _convolution(filter_dims: int) -> Rule:
    """Two per multiply-add: every output element sums over the filter's leading dimensions."""

    def rule(x: Operands) -> int:
        x.input(0)
        kernel = x.input(1)
        if len(kernel) < filter_dims:
            raise _RefusedError(Unknown.MALFORMED)
        return 2 * prod(x.output()) * prod(kernel[:filter_dims])

    return rule


def _conv_gradient_original(image: Shape, kernel: Shape, strides: Sequence[int]) -> int:
    # A float quotient, truncated: it differs from the truth when strides do not divide the image.
    return int(2 * prod(image) * prod(kernel) / (image[-1] * strides[1] * strides[2]))


def _conv_backprop_input_original(x: Operands) -> int:
    return _conv_gradient_original(x.output(), x.input(1), x.ints("strides"))


def _conv_backprop_filter_original(x: Operands) -> int:
    return _conv_gradient_original(x.input(0), x.output(), x.ints("strides"))


def _conv_backprop_input(x: Operands) -> int:
    """As many multiply-adds as the forward convolution, whose output has the shape of input 2."""
    return 2 * prod(x.input(2)) * prod(x.input(1)[:3])


def _conv_backprop_filter(x: Operands) -> int:
    return 2 * prod(x.input(2)) * prod(x.output()[:3])


def _matmul(x: Operands) -> int:
    return 2 * x.input(0)[0 if x.flag("transpose_a") else 1] * prod(x.output())


def _batch_matmul(transposed: str) -> Rule:
    return lambda x: 2 * x.input(0)[-2 if x.flag(transposed) else -1] * prod(x.output())


def _add_n(x: Operands) -> int:
    return prod(x.input(0)) * (len(x.inputs) - 1) if x.inputs else 0


def _each(ops: str, rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys(ops.split(), rule)


_BROADCAST = (
    "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow "
    "GreaterEqual Greater LessEqual Less Equal NotEqual"
)

ORIGINAL_RULES: dict[str, Rule] = {
    **_each("Reciprocal Square Log Neg AssignSub AssignAdd", _per_input(1)),
    "Rsqrt": _per_input(2),
    "Softmax": _per_input(5),
    "L2Loss": _l2_loss,
    **_each(_BROADCAST, _per_output(1)),
    "SquaredDifference": _per_output(2),
    "RsqrtGrad": _per_output(4),
    "Mean": _mean,
    **_each("Sum ArgMax ArgMin BiasAddGrad", _reduction),
    "AvgPool": _nhwc(_pool),
    "MaxPool": _nhwc(_pool),
    "AvgPoolGrad": _nhwc(_avg_pool_grad),
    "MaxPoolGrad": _nhwc(_max_pool_grad),
    "Conv2D": _convolution(3),
    "Conv3D": _convolution(4),
    "DepthwiseConv2dNative": _convolution(2),
    "Dilation2D": _convolution(2),
    "Conv2DBackpropInput": _nhwc(_conv_backprop_input_original),
    "Conv2DBackpropFilter": _nhwc(_conv_backprop_filter_original),
    "MatMul": _matmul,
    # These ops have no attribute of this name: the original never sees them as transposed.
    **_each("BatchMatMul BatchMatMulV2 BatchMatMulV3", _batch_matmul("transpose_a")),
    "BiasAdd": _per_input(1),
    "AddN": _add_n,
}
"""Op type -> the original's formula."""

REPAIRED_RULES: dict[str, Rule] = {
    **ORIGINAL_RULES,
    "L2Loss": lambda x: max(0, _l2_loss(x)),
    "AvgPool": _pool,
    "MaxPool": _pool,
    "AvgPoolGrad": _avg_pool_grad,
    "MaxPoolGrad": _max_pool_grad,
    "Conv2DBackpropInput": _conv_backprop_input,
    "Conv2DBackpropFilter": _conv_backprop_filter,
    **_each("BatchMatMul BatchMatMulV2 BatchMatMulV3", _batch_matmul("adj_x")),
}
"""Op type -> the right formula, for the same op types."""

CONTRACTIONS = frozenset(
    [
        "MatMul",
        "SparseMatMul",
        "SparseTensorDenseMatMul",
        "BatchMatMul",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "Einsum",
        "Conv",
        "Conv2D",
        "Conv3D",
        "DepthwiseConv2dNative",
        "Conv2DBackpropInput",
        "Conv2DBackpropInputV2",
        "Conv2DBackpropFilter",
        "Conv2DBackpropFilterV2",
        "Conv3DBackpropInput",
        "Conv3DBackpropInputV2",
        "Conv3DBackpropFilter",
        "Conv3DBackpropFilterV2",
        "DepthwiseConv2dNativeBackpropInput",
        "DepthwiseConv2dNativeBackpropFilter",
    ]
)
"""The op types that do nothing but multiply-adds."""
