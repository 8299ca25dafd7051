"""Filter the table of nodes."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from tfprof.profiles.schema import BoolArray, Nodes


def take_nodes(nodes: Nodes, mask: BoolArray) -> Nodes:
    """The nodes in `mask`."""
    count = int(mask.sum())
    if mask[:count].all():
        # They are the first ones, so a slice without a copy will do.
        return Nodes(*(getattr(nodes, item.name)[:count] for item in fields(Nodes)))
    rows = np.flatnonzero(mask)
    columns = (getattr(nodes, item.name).take(rows) for item in fields(Nodes))
    return Nodes(*columns)
