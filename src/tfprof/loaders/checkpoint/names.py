"""The variable name of each checkpoint key, and which keys are an optimizer's slots.

Savers of TensorFlow 1 use names as keys. Object-based checkpoints use paths through Python
objects, and store the name of each variable in a graph of those objects.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.keras_slots import keras_slots
from tfprof.loaders.checkpoint.tensor import TensorInfo
from tfprof.protos.saved_model_pb2 import TrackableObjectGraph

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"

_VARIABLE_VALUE = "VARIABLE_VALUE"
_ESCAPE = re.compile(r"\.([.S])")


@dataclass(frozen=True, slots=True)
class Slot:
    """What an optimizer keeps for a variable: the keys' variable name, and the slot's name."""

    variable: str
    name: str


@dataclass(frozen=True, slots=True)
class Names:
    """Names by checkpoint key; `slots` has the keys that belong to an optimizer's slots."""

    names: dict[str, str]
    slots: dict[str, Slot]


def plain_names(tensors: Mapping[str, TensorInfo]) -> Names:
    """Keys that are names; `dense/kernel/Adam` is a slot if `dense/kernel` has the same shape."""
    slots = {}
    for key, info in tensors.items():
        variable, _, slot = key.rpartition("/")
        if variable in tensors and tensors[variable].shape == info.shape:
            slots[key] = Slot(variable, slot)
    return Names({key: key for key in tensors}, slots)


def object_names(graph: TrackableObjectGraph, keys: Iterable[str], path: Path) -> Names:
    """Names through the object graph; where two would be the same, their object paths."""
    paths = {key: _object_path(key) for key in keys}
    full_names: dict[str, str] = {}
    by_node: dict[int, str] = {}
    for number, node in enumerate(graph.nodes):
        for attribute in node.attributes:
            if attribute.checkpoint_key not in paths:
                continue
            if attribute.full_name:
                full_names[attribute.checkpoint_key] = attribute.full_name
            if attribute.name == _VARIABLE_VALUE:
                by_node[number] = attribute.checkpoint_key
    owners = _slot_owners(graph, by_node, path)
    for key, owner in keras_slots(graph, by_node, full_names).items():
        owners.setdefault(key, owner)
    names = {key: full_names.get(key, paths[key]) for key in paths if key not in owners}
    names = _distinct(names, paths)
    slots = {
        key: Slot(names[owner], slot) for key, (owner, slot) in owners.items() if owner in names
    }
    names |= {key: f"{slot.variable}/{slot.name}" for key, slot in slots.items()}
    # A slot of a slot, which no optimizer writes, keeps its path.
    names |= {key: paths[key] for key in paths if key not in names}
    return Names(dict(sorted(_distinct(names, paths).items())), slots)


def _slot_owners(
    graph: TrackableObjectGraph, by_node: Mapping[int, str], path: Path
) -> dict[str, tuple[str, str]]:
    """For the key of each slot variable: the key of its variable, and the slot's name."""
    owners = {}
    for node in graph.nodes:
        for slot in node.slot_variables:
            ends = (slot.original_variable_node_id, slot.slot_variable_node_id)
            if not all(0 <= end < len(graph.nodes) for end in ends):
                raise LoadError(
                    f"{path}: the object graph names node {max(ends)} of {len(graph.nodes)}; "
                    "write the checkpoint again"
                )
            if all(end in by_node for end in ends):
                owners[by_node[ends[1]]] = (by_node[ends[0]], slot.slot_name)
    return owners


def _distinct(names: Mapping[str, str], paths: Mapping[str, str]) -> dict[str, str]:
    """The names, with the object path for those that more than one key has."""
    counts = Counter(names.values())
    first = {key: name if counts[name] == 1 else paths[key] for key, name in names.items()}
    # A path may be another's name by chance; keys never repeat.
    counts = Counter(first.values())
    return {key: name if counts[name] == 1 else key for key, name in first.items()}


def _object_path(key: str) -> str:
    """A key without its marker of the attribute, and its names unescaped."""
    objects, marker, attribute = key.partition("/.ATTRIBUTES/")
    plain = _ESCAPE.sub(lambda match: "/" if match[1] == "S" else ".", objects)
    return f"{plain}/{attribute}" if marker and attribute != _VARIABLE_VALUE else plain
