"""Parameters and float operations from op types, attributes and shapes, without TensorFlow."""

from tfprof.cost.graph_count import CountResult, graph_float_ops
from tfprof.cost.original import Shape, Unknown, count

__all__ = ["CountResult", "Shape", "Unknown", "count", "graph_float_ops"]
