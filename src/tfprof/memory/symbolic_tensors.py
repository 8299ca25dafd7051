"""The tensors of a graph with symbols for open sizes, and the sizes that a run had."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tfprof.definitions.limits import MAX_COUNT
from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import OptionError
from tfprof.flops.interpreter import Instance
from tfprof.flops.model_cost import Cost, bind_cost, compute_cost
from tfprof.flops.polynomial import Count, bind
from tfprof.flops.profile_graph import model_graph, recorded_shapes
from tfprof.flops.tensors import TYPE_SIZES, Tensor, elements
from tfprof.profiles.profile import Profile
from tfprof.protos.graph_pb2 import DataType

_REFERENCE = 100
"""What is added to the number of a type for a reference to a variable of it."""


class BeyondMemoryError(OptionError):
    """Sizes that need more memory than any machine has."""


@dataclass(frozen=True, slots=True)
class NodeTensors:
    """The tensors that a node reads and makes."""

    op: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SymbolicTensors:
    """The tensors of every node by its runtime name, and the sizes of symbols in a run."""

    nodes: Mapping[str, NodeTensors]
    recorded: Mapping[str, int]
    """Symbol -> its size in the traced steps; empty without a trace."""
    _cost: Cost

    @property
    def meanings(self) -> Mapping[str, str]:
        """The symbols of the graph and what they stand for."""
        return self._cost.symbol_meanings

    def sizes(self, given: Mapping[str, int]) -> dict[str, Count]:
        """What replaces each symbol: what is given, else the size in the run."""
        bind_cost(self._cost, given)  # refuses names and sizes that cannot be
        known = {**self.recorded, **{self._cost.representative(k): v for k, v in given.items()}}
        # What equals another symbol follows it, also away from its size in the run.
        return {**known, **{k: bind(v, known) for k, v in self._cost.symbol_values.items()}}

    def named_sizes(self, given: Mapping[str, int]) -> dict[str, int]:
        """The sizes by the names that are shown, and those that are given by theirs."""
        replaced = {self._cost.representative(name) for name in given}
        shown = self.meanings.keys() - replaced
        return {**{k: v for k, v in self.recorded.items() if k in shown}, **given}

    def other_sizes(self, given: Mapping[str, int], symbol: str) -> dict[str, int]:
        """The given sizes without those of a symbol and of its other names."""
        same = self._cost.representative(symbol)
        return {k: v for k, v in given.items() if self._cost.representative(k) != same}


def symbolic_tensors(profile: Profile) -> SymbolicTensors:
    """The tensors of the graph of a resolved profile, computed once."""
    return profile.memoize(symbolic_tensors, lambda: _symbolic_tensors(profile))


def _symbolic_tensors(profile: Profile) -> SymbolicTensors:
    source = profile.source or profile
    if not source.nodes.in_graph.any():
        raise OptionError("there is no graph to predict memory from; give one (--graph_path)")
    graph = model_graph(source)
    cost = compute_cost(graph, {})
    recorded: dict[str, int] = {}
    if profile.records:
        values = compute_cost(graph, recorded_shapes(profile, graph.graph, REPAIRED)).symbol_values
        recorded = {name: size for name, size in values.items() if isinstance(size, int)}
    return SymbolicTensors(dict(_nodes(cost)), recorded, cost)


def _nodes(cost: Cost) -> Iterator[tuple[str, NodeTensors]]:
    """The nodes of all call sites; those of one instance share their tensors."""
    nodes_of: dict[Instance, list[tuple[str, NodeTensors]]] = {}
    for site in cost.call_sites():
        instance = site.instance
        if instance not in nodes_of:
            nodes_of[instance] = list(_instance_nodes(instance))
        for name, tensors in nodes_of[instance]:
            yield site.prefix + name, tensors


def _instance_nodes(instance: Instance) -> Iterator[tuple[str, NodeTensors]]:
    for position in instance.order:
        node, outputs = instance.body.nodes[position], instance.outputs.get(position, ())
        yield node.name, NodeTensors(node.op, instance.inputs(position), outputs)


def tensor_bytes(tensor: Tensor) -> Count | None:
    """The bytes of a tensor; 0 of a reference or handle, None if shape or type is not known."""
    if tensor.dtype >= _REFERENCE:
        return 0
    if tensor.dtype == DataType.DT_INVALID:
        return None
    size, count = TYPE_SIZES.get(tensor.dtype), elements(tensor.shape)
    if size is None:
        return 0
    return None if count is None else count * size


def check_bytes(size: int) -> int:
    """A number of bytes, or a BeyondMemoryError if it is beyond what floats can count."""
    if size > MAX_COUNT:
        raise BeyondMemoryError("memory: a tensor of the graph has more than 1e150 bytes")
    return size


def require_sizes(missing: Sequence[str], meanings: Mapping[str, str]) -> None:
    """Raise an OptionError that asks for sizes by name."""
    if missing:
        asked = ", ".join(f"{name} ({meanings.get(name, 'a size')})" for name in missing)
        example = ",".join(f"{name}=…" for name in missing)
        raise OptionError(f"memory depends on {asked}; give the size with --bind {example}")
