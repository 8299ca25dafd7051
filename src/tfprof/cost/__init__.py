"""Parameters and float operations from op types, attributes and shapes, without TensorFlow."""

from tfprof.cost.expand import Expanded, ExpandedNode, expand
from tfprof.cost.graph_count import CountResult, graph_float_ops
from tfprof.cost.ledger import Ledger
from tfprof.cost.model import Cost, NodeCost, OpCost, cost
from tfprof.cost.original import Shape, Unknown, count
from tfprof.cost.polynomial import Polynomial

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
    "cost",
    "count",
    "expand",
    "graph_float_ops",
]
