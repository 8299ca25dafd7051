"""Slots of Keras optimizers, which are in the object graph as plain variables, found by name.

Keras 3 calls the momentum of `net/dense/kernel` `adam/net_dense_kernel_momentum`; Keras 2, since
2.11, `Adam/m/net/dense/kernel`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.definitions.limits import MAX_NAME_CANDIDATES
from tfprof.protos.saved_model_pb2 import TrackableObjectGraph


def keras_slots(
    graph: TrackableObjectGraph, by_node: Mapping[int, str], full_names: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """For the key of each slot: the key of its variable, and the slot's name."""
    members = [by_node[node] for node in _optimizer_variables(graph) if node in by_node]
    variables = {full_names[key]: key for key in full_names.keys() - set(members)}
    flat = {name.replace("/", "_"): key for name, key in variables.items()}
    slots = {}
    for key in members:
        _, _, name = full_names.get(key, "").partition("/")
        owner = _keras3(name, flat) or _keras2(name, variables)
        if owner:
            slots[key] = owner
    return slots


def _optimizer_variables(graph: TrackableObjectGraph) -> list[int]:
    """The nodes that optimizers track; an optimizer is what has variables and a learning rate."""
    nodes: list[int] = []
    for node in graph.nodes:
        children = {child.local_name: child.node_id for child in node.children}
        tracked = children.get("_variables", -1)
        if "_learning_rate" in children and 0 <= tracked < len(graph.nodes):
            nodes += [child.node_id for child in graph.nodes[tracked].children]
    return nodes


def _keras3(name: str, flat: Mapping[str, str]) -> tuple[str, str] | None:
    """The longest variable name that the name starts with; the slot's name is the rest."""
    end = name.rfind("_")
    for _ in range(MAX_NAME_CANDIDATES):
        if end <= 0:
            break
        if name[:end] in flat:
            return flat[name[:end]], name[end + 1 :]
        end = name.rfind("_", 0, end)
    return None


def _keras2(name: str, variables: Mapping[str, str]) -> tuple[str, str] | None:
    slot, _, variable = name.partition("/")
    return (variables[variable], slot) if variable in variables else None
