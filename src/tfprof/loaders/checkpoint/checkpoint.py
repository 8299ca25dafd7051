"""A checkpoint of either version: what is in it, what its variables are called, their values."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Protocol

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.dtypes import Array
from tfprof.loaders.checkpoint.names import OBJECT_GRAPH_KEY, Names, Slot, object_names, plain_names
from tfprof.loaders.checkpoint.statistics import Statistics, statistics_of
from tfprof.loaders.checkpoint.storage import parse
from tfprof.loaders.checkpoint.tensor import TensorInfo
from tfprof.protos.saved_model_pb2 import TrackableObjectGraph
from tfprof.runtime.lazy import cached_property


class TensorReader(Protocol):
    """What the two versions have in common."""

    @property
    def tensors(self) -> dict[str, TensorInfo]:
        """The tensors of the index, sorted by name."""

    def read(self, name: str) -> Array:
        """The values of a tensor that is there."""


class Checkpoint:
    """An open checkpoint; no values are in memory, and no file stays open."""

    def __init__(self, path: Path, source: TensorReader) -> None:
        """`path` names the checkpoint in errors."""
        self.path = path
        self._source = source
        self.tensors: dict[str, TensorInfo] = {
            key: info for key, info in source.tensors.items() if key != OBJECT_GRAPH_KEY
        }

    @property
    def names(self) -> dict[str, str]:
        """The variable name of each checkpoint key, all different."""
        return self._names.names

    @property
    def slots(self) -> dict[str, Slot]:
        """The keys that are an optimizer's slots, and whose."""
        return self._names.slots

    def read(self, name: str) -> Array:
        """The values of a tensor by its key, its checksum verified; nothing else is read."""
        if name not in self.tensors:
            close = get_close_matches(name, self.tensors, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else "; list its tensors"
            raise LoadError(f"{self.path}: has no tensor {name!r}{hint}")
        return self._source.read(name)

    def statistics(self, name: str) -> Statistics:
        """The range, mean, zeros and so on of a tensor by its key."""
        return statistics_of(self.read(name))

    @cached_property
    def _names(self) -> Names:
        if OBJECT_GRAPH_KEY not in self._source.tensors:
            return plain_names(self.tensors)
        stored = self._source.read(OBJECT_GRAPH_KEY)
        if stored.dtype != object or stored.shape:
            raise LoadError(f"{self.path}: the object graph is not a string; write it again")
        graph = parse(TrackableObjectGraph, stored.item(), self.path, "the object graph")
        return object_names(graph, self.tensors, self.path)
