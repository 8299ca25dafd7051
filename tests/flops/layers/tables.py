"""The table of a model as JSON, and the totals that other commands show."""

from __future__ import annotations

from typing import Any

import tfprof
from tfprof.flops.layer_table import model_table
from tfprof.flops.polynomial import bind

SIZE = 4
"""Bound to each symbol, so that all numbers are numbers."""


def table_of(source: Any) -> dict[str, Any]:
    """The rows of `tfprof.model`, as they are and with all sizes bound, and the totals."""
    cost = tfprof.cost(source)
    bound = cost.bind(**dict.fromkeys(cost.symbols, SIZE))
    return {
        "layers": model_table(cost).to_dict()["layers"],
        "bound": model_table(bound).to_dict()["layers"],
        "params": cost.params,
        "trainable_params": cost.trainable_params,
        "float_ops": bound.float_ops,
        "unbound": f"{cost.float_ops:,}",
        "per_example": f"{bind(cost.float_ops, {'B': 1}):,}",
        "symbols": sorted(cost.symbols),
    }
