"""The order in which Keras lists the layers of a functional model.

Keras sorts layers by depth, the longest way to an output, and layers of one depth as it first meets
them on its way from the outputs to the inputs. The model runs them by depth, too, but layers of
one depth in another order.

A layer such as Dropout leaves nothing in the graph, so that the way through it looks too short. But
it delays what runs before it: a layer is at least as deep as those that run after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tfprof.flops.call_sites import CallSite
from tfprof.functions.library import Ref

# A layer's input passes these unchanged; the size of a tensor is no way to an output.
_TRANSPARENT = frozenset(("Identity", "Cast"))
SIZES = frozenset(("Shape", "Size", "Rank"))
_MAX_ROUNDS = 50
"""Until depths agree with the order of calls; in a model that is not functional they may never."""


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Calls of layers, and other operations as calls of their own; all are numbered."""

    layer: Mapping[int, int]
    """Call -> its layer; several calls may be of one."""
    inputs: Mapping[int, Sequence[int]]
    """Call -> the calls whose outputs it is given, in order."""
    outputs: Sequence[int]
    """The calls that give the outputs of the model, in order."""
    runs: Sequence[int] = ()
    """Calls of layers in the order in which they run."""


def sort_layers(graph: CallGraph) -> list[int]:
    """The layers in the order of Keras; those without a way to an output are left out."""
    finished, first_visit = _walk(graph)
    found = depth, calls = _depths(graph, finished, {})
    for _ in range(_MAX_ROUNDS):
        least = _least_depths(graph.runs, calls)
        if all(calls[call] >= least[call] for call in least):
            depth = found[0]
            break
        found = _, calls = _depths(graph, finished, least)
    return sorted(depth, key=lambda layer: (-depth[layer], first_visit[layer]))


def _depths(
    graph: CallGraph, finished: Sequence[int], least: Mapping[int, int]
) -> tuple[dict[int, int], dict[int, int]]:
    """The depths of layers, and those of calls, which are at least as deep as `least` says."""
    calls = dict(least)
    layers: dict[int, int] = {}
    for call in reversed(finished):
        layer = graph.layer[call]
        own = max(calls.get(call, 0), layers.get(layer, 0))
        layers[layer] = calls[call] = own
        for source in graph.inputs[call]:
            calls[source] = max(own + 1, calls.get(source, 0))
    return layers, calls


def _least_depths(runs: Sequence[int], calls: Mapping[int, int]) -> dict[int, int]:
    """Call -> the depth of the deepest call that does not run before it."""
    least: dict[int, int] = {}
    deepest = 0
    for call in reversed(runs):
        if call in calls:
            least[call] = deepest = max(deepest, calls[call])
    return least


def is_chain(graph: CallGraph, count: int) -> bool:
    """Whether layers 0 to `count` are called once each, one after the other.

    Other operations may be given to any of them, but are not between them.
    """
    layers = {call for call, layer in graph.layer.items() if 0 <= layer < count}
    sources = {call: layers.intersection(graph.inputs[call]) for call in layers}
    used = [source for call in layers for source in sources[call]]
    first = [call for call in layers if not sources[call]]
    return (
        len(layers) == len({graph.layer[call] for call in layers}) == count
        and len(used) == len(set(used)) == count - 1
        and len(first) == 1
        and len(graph.outputs) == 1
        and graph.outputs[0] in layers
    )


def _walk(graph: CallGraph) -> tuple[list[int], dict[int, int]]:
    """Calls with sources first, and layer -> when it was met, from the outputs depth first."""
    finished: list[int] = []
    first_visit: dict[int, int] = {}
    met: set[int] = set()
    for output in graph.outputs:
        stack = [(output, iter(graph.inputs[output]))] if output not in met else []
        while stack:
            call, sources = stack[-1]
            if call not in met:
                met.add(call)
                first_visit.setdefault(graph.layer[call], len(first_visit))
            source = next((source for source in sources if source not in met), None)
            if source is None:
                stack.pop()
                finished.append(call)
            else:
                stack.append((source, iter(graph.inputs[source])))
    return finished, first_visit


def read_calls(
    site: CallSite, calls: Sequence[set[int]], outputs: Iterable[Ref | None]
) -> CallGraph:
    """The graph of the calls in a function that outputs need.

    A call is the set of its nodes' positions. Here each call is a layer of its own.
    """
    reader = _CallReader(site, calls)
    roots = reader.sources(outputs)
    inputs: dict[int, list[int]] = {}
    pending = list(roots)
    while pending:
        call = pending.pop()
        if call not in inputs:
            inputs[call] = reader.inputs(call)
            pending += inputs[call]
    return CallGraph({call: call for call in inputs}, inputs, roots)


class _CallReader:
    """Finds the calls that tensors are from; a node outside of the calls is a call by itself."""

    def __init__(self, site: CallSite, calls: Sequence[set[int]]) -> None:
        self._body = site.instance.body
        self._calls = calls
        self._call_of = {
            position: number for number, members in enumerate(calls) for position in members
        }
        self._passed: dict[int, int | None] = {}
        """Node that passes its input unchanged -> the call that the input is from."""

    def sources(self, refs: Iterable[Ref | None]) -> list[int]:
        """The calls that tensors are from, each once; inputs of the function are from none."""
        found = (self._source(ref) for ref in refs)
        return list(dict.fromkeys(call for call in found if call is not None))

    def _source(self, ref: Ref | None) -> int | None:
        passed: list[int] = []
        source: int | None = None
        while ref is not None and ref[0] >= 0:
            position = ref[0]
            if position in self._call_of or position in self._passed:
                source = self._call_of.get(position, self._passed.get(position))
                break
            if self._body.nodes[position].op not in _TRANSPARENT:
                source = len(self._calls) + position
                break
            passed.append(position)
            self._passed[position] = None
            ref = next(iter(self._body.inputs[position]), None)
        self._passed.update(dict.fromkeys(passed, source))
        return source

    def inputs(self, call: int) -> list[int]:
        """The calls that a call is given tensors from, in the order of their use."""
        position = call - len(self._calls)
        members = self._calls[call] if position < 0 else {position}
        found: list[Ref | None] = []
        visited: set[int] = set()
        for last in sorted(members, reverse=True):
            stack: list[Ref | None] = [(last, 0)]
            while stack:
                ref = stack.pop()
                if ref is None or ref[0] not in members:
                    found.append(ref)
                elif ref[0] not in visited:
                    visited.add(ref[0])
                    if self._body.nodes[ref[0]].op not in SIZES:
                        stack += reversed(self._body.inputs[ref[0]])
        return [source for source in self.sources(found) if source != call]
