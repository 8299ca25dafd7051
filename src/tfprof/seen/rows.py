"""Some of the rows of the table of nodes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.profiles.columns import Bools, Nodes

__all__ = ["nodes_of_rows"]


def nodes_of_rows(nodes: Nodes, kept: Bools) -> Nodes:
    """The nodes that are kept, in order."""
    if kept.all():
        return nodes
    rows = pa.array(np.flatnonzero(kept))
    return Nodes(
        nodes.name.take(rows),
        nodes.op.take(rows),
        nodes.in_graph[kept],
        nodes.attrs.take(rows),
        nodes.shape.take(rows),
        nodes.output_shapes.take(rows),
        nodes.float_ops[kept],
        nodes.stack[kept],
        nodes.saved_device[kept],
    )
