"""The output shapes of layers, by the tensors that leave them in the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfprof.flops.call_sites import CallSite, NodeLocation
from tfprof.flops.layers.layer_tree import LayerCalls, format_shape
from tfprof.flops.tensors import Dims, Tensor
from tfprof.protos.graph_pb2 import DataType

_HANDLES = (DataType.DT_RESOURCE, DataType.DT_VARIANT)


class OutputShapes:
    """Finds output shapes; `bind` replaces symbols in a shape by numbers."""

    def __init__(self, bind: Callable[[Dims | None], Dims | None]) -> None:
        self._bind = bind
        self._uses: dict[int, dict[int, set[tuple[int, int]]]] = {}

    def of(self, calls: LayerCalls, *, nested: bool) -> str:
        """The output of a call: its tensors that others use, or its last one, in Keras's form.

        A layer creates what it returns first at the end; a model its outputs in order.
        """
        site, members = _outermost(calls.locations)
        used = self._used_outside(site, members)
        tensors = [(ref, site.instance.tensor(ref)) for ref in sorted(used)]
        tensors = [(ref, tensor) for ref, tensor in tensors if tensor.dtype not in _HANDLES]
        # Masks are beside what a layer returns.
        values = [item for item in tensors if item[1].dtype != DataType.DT_BOOL] or tensors
        if not values:
            return self._last(site, members)
        if len(values) % calls.count == 0:
            values = values[-len(values) // calls.count :]
        if not nested:
            values.sort(key=lambda item: (-item[0][0], item[0][1]))
        shapes = [self._format(tensor) for _, tensor in values]
        return shapes[0] if len(shapes) == 1 else f"[{', '.join(shapes)}]"

    def _last(self, site: CallSite, members: set[int]) -> str:
        for position in sorted(members, reverse=True):
            tensors = site.instance.outputs.get(position, ())
            if tensors and site.instance.body.nodes[position].op != "Const":
                return self._format(tensors[0])
        return "?"

    def _format(self, tensor: Tensor) -> str:
        return format_shape(self._bind(tensor.shape))

    def _used_outside(self, site: CallSite, members: set[int]) -> set[tuple[int, int]]:
        uses = self._uses_of(site)
        return {
            (position, output)
            for position in members
            for output, user in uses.get(position, ())
            if user not in members
        }

    def _uses_of(self, site: CallSite) -> dict[int, set[tuple[int, int]]]:
        """Position of a node -> its outputs and the nodes that use them; -1 is the caller."""
        if site.number not in self._uses:
            body = site.instance.body
            uses: dict[int, set[tuple[int, int]]] = {}
            edges = [(user, ref) for user in site.instance.order for ref in body.inputs[user]]
            edges += [(-1, ref) for ref in body.results]
            for user, ref in edges:
                if ref is not None and ref[0] >= 0:
                    uses.setdefault(ref[0], set()).add((ref[1], user))
            self._uses[site.number] = uses
        return self._uses[site.number]


def _outermost(locations: Sequence[NodeLocation]) -> tuple[CallSite, set[int]]:
    """The call site that the other nodes are called from, and the nodes there."""
    sites = {site.number: site for site, _ in locations}
    outer = next(site for site in sites.values() if not _has_caller_in(site, sites))
    return outer, {position for site, position in locations if site is outer}


def _has_caller_in(site: CallSite, sites: dict[int, CallSite]) -> bool:
    while site.caller is not None:
        site = site.caller
        if site.number in sites:
            return True
    return False
