"""The nodes of a GraphDef as columns, from its wire bytes."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from tfprof.loaders.wire import columns_of_bytes
from tfprof.protos import columns_pb2, graph_pb2


class GraphNodes(NamedTuple):
    """The nodes of a GraphDef."""

    nodes: pa.Array
    library: bytes
    """The serialized GraphDef, if it has functions."""


def nodes_of_bytes(data: bytes, *, well_formed: bool = False) -> GraphNodes:
    """The nodes of a serialized GraphDef; a DecodeError if it is none."""
    batch = columns_of_bytes(data, columns_pb2.Graph, well_formed=well_formed)
    nodes = batch.column(0).flatten()
    for value in nodes.field("attr").flatten().field("value").unique():
        graph_pb2.AttrValue.FromString(value.as_py())
    return GraphNodes(nodes, data if batch.column(1)[0].as_py() else b"")
