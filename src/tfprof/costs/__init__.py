"""Parameters and float operations from op types, attributes and shapes, without TensorFlow.

Names are imported when they are first used: the original's formulas alone do not need the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfprof.costs.expansion import Expanded, ExpandedNode, expand
    from tfprof.costs.graph_count import CountResult, graph_float_ops
    from tfprof.costs.ledger import Ledger
    from tfprof.costs.model import Cost, NodeCost, OpCost, cost
    from tfprof.costs.original import Shape, Unknown, count
    from tfprof.costs.parameters import Variable
    from tfprof.costs.polynomial import Polynomial

__all__ = [
    "Cost",
    "CountResult",
    "Expanded",
    "ExpandedNode",
    "Ledger",
    "NodeCost",
    "OpCost",
    "Polynomial",
    "Shape",
    "Unknown",
    "Variable",
    "cost",
    "count",
    "expand",
    "graph_float_ops",
]

_HOMES = {
    "expansion": ("Expanded", "ExpandedNode", "expand"),
    "graph_count": ("CountResult", "graph_float_ops"),
    "ledger": ("Ledger",),
    "model": ("Cost", "NodeCost", "OpCost", "cost"),
    "original": ("Shape", "Unknown", "count"),
    "parameters": ("Variable",),
    "polynomial": ("Polynomial",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
