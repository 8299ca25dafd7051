"""TensorFlow's 46 FLOP formulas, mistakes included: what `compat` counts with."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tfprof.flops.shapes.inference_context import each
from tfprof.protos.graph_pb2 import AttrValue

Shape = tuple[int, ...]
"""Sizes in order, -1 for an unknown one. A shape of unknown rank is None."""


class Unknown(enum.Enum):
    """Why a node has no count."""

    RULE = "no formula"
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
) -> int | Unknown:
    """Float operations of one node, or the reason why they are not known."""
    rule = TF_FORMULAS.get(op)
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


def _mean(x: Operands) -> int:
    x.output()
    return prod(x.input(0))


def _pool(x: Operands) -> int:
    return prod(x.ints("ksize")) * prod(x.output())


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


def _conv_gradient(image: Shape, kernel: Shape, strides: Sequence[int]) -> int:
    # A float quotient, truncated: it is wrong when strides do not divide the image.
    return int(2 * prod(image) * prod(kernel) / (image[-1] * strides[1] * strides[2]))


def _matmul(x: Operands) -> int:
    return 2 * x.input(0)[0 if x.flag("transpose_a") else 1] * prod(x.output())


def _batch_matmul(x: Operands) -> int:
    # These ops have no attribute of this name: the original never sees them as transposed.
    return 2 * x.input(0)[-2 if x.flag("transpose_a") else -1] * prod(x.output())


def _add_n(x: Operands) -> int:
    return prod(x.input(0)) * (len(x.inputs) - 1) if x.inputs else 0


_BROADCAST = (
    "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow "
    "GreaterEqual Greater LessEqual Less Equal NotEqual"
)

TF_FORMULAS: dict[str, Rule] = {
    **each("Reciprocal Square Log Neg AssignSub AssignAdd", _per_input(1)),
    "Rsqrt": _per_input(2),
    "Softmax": _per_input(5),
    "L2Loss": lambda x: 3 * prod(x.input(0)) - 1,
    **each(_BROADCAST, _per_output(1)),
    "SquaredDifference": _per_output(2),
    "RsqrtGrad": _per_output(4),
    "Mean": _mean,
    **each("Sum ArgMax ArgMin BiasAddGrad", lambda x: prod(x.input(0)) - prod(x.output())),
    "AvgPool": _nhwc(_pool),
    "MaxPool": _nhwc(_pool),
    "AvgPoolGrad": _nhwc(lambda x: 2 * prod(x.ints("ksize")) * prod(x.input(1))),
    "MaxPoolGrad": _nhwc(lambda x: (prod(x.ints("ksize")) + 1) * prod(x.input(1))),
    "Conv2D": _convolution(3),
    "Conv3D": _convolution(4),
    "DepthwiseConv2dNative": _convolution(2),
    "Dilation2D": _convolution(2),
    "Conv2DBackpropInput": _nhwc(
        lambda x: _conv_gradient(x.output(), x.input(1), x.ints("strides"))
    ),
    "Conv2DBackpropFilter": _nhwc(
        lambda x: _conv_gradient(x.input(0), x.output(), x.ints("strides"))
    ),
    "MatMul": _matmul,
    **each("BatchMatMul BatchMatMulV2 BatchMatMulV3", _batch_matmul),
    "BiasAdd": _per_input(1),
    "AddN": _add_n,
}
"""Op type -> TensorFlow's formula."""
