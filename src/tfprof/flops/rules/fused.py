"""Float operations of fused runtime ops: those of the main op and of its fused members."""

from __future__ import annotations

from tfprof.flops.polynomial import Count
from tfprof.flops.rules import contractions, elementwise
from tfprof.flops.rules.formula import Formula, Operation, Work
from tfprof.flops.shapes.inference_context import IndeterminateError

# Operations per output element of what may be fused behind the main op.
_MEMBERS = {
    "BiasAdd": 1,
    "Add": 1,
    "Relu": 1,
    "Relu6": 2,
    "LeakyRelu": 2,
    "Elu": 3,
    "Tanh": 1,
    "Sigmoid": 4,
    "Mul": 1,
    "FusedBatchNorm": 3,
    "GeluExact": 5,
    "GeluApproximate": 9,
    "_MklSwish": 5,
    "_FusedHardSwish": 5,
}


def _fused(main: Formula) -> Formula:
    def work(x: Operation) -> Work:
        base, members = main.work(x), x.texts("fused_ops")
        if not members:
            return base
        if not set(members) <= _MEMBERS.keys():
            raise IndeterminateError
        extra = sum(_MEMBERS[member] for member in members) * x.n_out()
        return Work(base.macs, base.elementwise + extra)

    return Formula(f"{main.text} + fused members", work, main.contraction)


def _batch_norm(x: Operation) -> Work:
    base = elementwise.RULES["FusedBatchNormV3"].work(x)
    side = x.number("num_side_inputs") * x.n_out()
    return Work(base.macs, base.elementwise + side + _activation(x))


def _batch_norm_grad(x: Operation) -> Work:
    base = elementwise.RULES["FusedBatchNormGradV3"].work(x)
    return Work(base.macs, base.elementwise + _activation(x))


def _activation(x: Operation) -> Count:
    return x.n_out() if x.text("activation_mode") not in ("", "Identity") else 0


RULES: dict[str, Formula] = {
    f"_Fused{name}": _fused(contractions.RULES[name])
    for name in ("Conv2D", "Conv3D", "MatMul", "BatchMatMulV2", "DepthwiseConv2dNative")
} | {
    "_FusedBatchNormEx": Formula("batch norm + side input + activation", _batch_norm),
    "_FusedBatchNormGradEx": Formula("batch norm gradient + activation", _batch_norm_grad),
}
