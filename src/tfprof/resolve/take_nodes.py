"""Some of the rows of the table of nodes."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from tfprof.profiles.schema import BoolArray, Nodes

__all__ = ["take_nodes"]


def take_nodes(nodes: Nodes, kept: BoolArray) -> Nodes:
    """The nodes that are kept, in order."""
    count = int(kept.sum())
    if kept[:count].all():
        # Nothing needs to be copied.
        return Nodes(*(getattr(nodes, item.name)[:count] for item in fields(Nodes)))
    rows = np.flatnonzero(kept)
    columns = (getattr(nodes, item.name).take(rows) for item in fields(Nodes))
    return Nodes(*columns)
