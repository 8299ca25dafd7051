"""Read what a page has, by the definition of its blocks; the page itself does so in TypeScript."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import numpy as np

from tfprof.views.tree import Tree

_ELEMENT = re.compile(r'<script type="application/octet-stream" id="(\w+)">([^<]*)</script>')


class Page:
    """The description of a page, and its blocks."""

    def __init__(self, page: bytes) -> None:
        self.elements = {
            name: gzip.decompress(base64.b64decode(text))
            for name, text in _ELEMENT.findall(page.decode())
        }
        self.description: dict[str, Any] = json.loads(self.elements["page"])
        self.nodes = self.description["nodes"]

    def integers(self, ref: int) -> np.ndarray:
        count, least, width, delta = self.description["blocks"][ref]
        planes = np.frombuffer(self.elements[f"b{ref}"], np.uint8).reshape(width, count)
        values = np.full(count, least, np.int64)
        for i, plane in enumerate(planes):
            values += plane.astype(np.int64) << (8 * i)
        return np.cumsum(values) if delta else values

    def texts(self, refs: dict[str, int]) -> list[str]:
        units = bytes(self.integers(refs["text"]).astype(np.uint8)).decode().encode("utf-16-le")
        lengths = 2 * self.integers(refs["length"])
        ends = np.cumsum(lengths)
        starts = ends - lengths
        return [
            units[a:b].decode("utf-16-le")
            for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        ]

    def dictionary(self, refs: dict[str, int]) -> list[str | None]:
        values = self.texts(refs)
        return [None if i < 0 else values[i] for i in self.integers(refs["index"]).tolist()]

    def names(self, entry: dict[str, Any]) -> list[str]:
        by_node = self.texts(self.nodes["name"])
        explicit, node = self.dictionary(entry["name"]), self.integers(entry["node"]).tolist()
        return [
            by_node[n] if name is None else name for name, n in zip(explicit, node, strict=True)
        ]

    def numbers(self, entry: dict[str, Any], metric: str) -> tuple[list[Any], list[Any]]:
        """Own and total numbers: as integers, or as exact texts."""
        refs = entry["numbers"][metric]
        if "own_text" in refs:
            return tuple(self.dictionary(refs[k]["exact"]) for k in ("own_text", "total_text"))
        of_nodes = self.integers(refs["nodes"])
        node = self.integers(entry["node"])
        own = self.integers(refs["own"]) + np.append(of_nodes, 0)[node]
        tree = Tree.from_depths(self.integers(entry["depth"]) + 1)
        counted = own * self.integers(entry["matched"])
        total = tree.subtree_sums(counted) + self.integers(refs["total"])
        return own.tolist(), total.tolist()
