"""Float operations of optimizer ops: a number per element of the gradient."""

from __future__ import annotations

from tfprof.flops.rules.formula import Formula, per_input
from tfprof.flops.shapes.inference_context import each

# Name after Apply -> (operations per element, the gradient's input in the dense, the sparse form).
# Counted from the update rules: Adam, for one, is m += (g - m)·a [3], v += (g·g - v)·b [4],
# x -= m·c / (sqrt(v) + e) [5].
_APPLY: dict[str, tuple[int, int, int | None]] = {
    "GradientDescent": (2, 2, None),
    "ProximalGradientDescent": (7, 4, 4),
    "Momentum": (4, 3, 3),
    "KerasMomentum": (4, 3, 3),
    "Adagrad": (6, 3, 3),
    "AdagradV2": (7, 4, 4),
    "Adadelta": (17, 6, 6),
    "Adam": (12, 9, None),
    "AdamWithAmsgrad": (13, 10, None),
    "AdaMax": (10, 8, None),
    "RMSProp": (11, 7, 7),
    "CenteredRMSProp": (16, 8, 8),
    "Ftrl": (14, 3, 3),
    "FtrlV2": (16, 3, 3),
    "AddSign": (7, 6, None),
    "PowerSign": (8, 6, None),
}


def _rules() -> dict[str, Formula]:
    table: dict[str, Formula] = {}
    for name, (factor, dense, sparse) in _APPLY.items():
        table[f"Apply{name}"] = table[f"ResourceApply{name}"] = per_input(factor, dense)
        if sparse is not None:
            formula = per_input(factor, sparse)
            table[f"SparseApply{name}"] = table[f"ResourceSparseApply{name}"] = formula
    return table


RULES: dict[str, Formula] = {
    **_rules(),
    **each("AssignAdd AssignSub AssignAddVariableOp AssignSubVariableOp", per_input(1, 1)),
}
