"""The operations of a functional model that are no layers: `x + y`, slices, `keras.ops`.

Keras lists them beside the layers, under names such as `add` and `get_item` that no graph keeps.
Here they have the names of their nodes: `Add`, `strided_slice`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.flops.call_sites import CallSite
from tfprof.flops.layers.functional_order import SIZES
from tfprof.flops.layers.scope_tree import Scope

# What Keras puts between the layers of a model, other than operations of the model itself.
GLUE = frozenset(
    ("Cast", "Const", "Identity", "NoOp", "PartitionedCall", "StatefulPartitionedCall")
)


def find_operations(model: Scope, caller: CallSite) -> Iterator[Scope]:
    """The operations right in the scope of a model, each as a scope; `caller` calls its layers.

    An operation is a node with the nodes below its name, or a scope that no layer is called in.
    Arithmetic with the sizes of tensors is none. A mask is one: `not_equal` in `summary()`.
    """
    data = _data_nodes(caller)
    nodes = {
        _last_part(site, position): (site, position)
        for site, position in model.locations
        if site is caller
    }
    for name in dict.fromkeys((*nodes, *model.children)):
        child = model.children.get(name, Scope(name))
        if name in model.children and (model.is_layer_call(name) or child.layer_calls()):
            continue
        own = [nodes[name]] if name in nodes else []
        operation = Scope(name, child.children, [*own, *child.locations])
        body = caller.instance.body
        if any(
            site is caller and position in data and body.nodes[position].op not in GLUE
            for site, position in operation.all_locations()
        ):
            yield operation


def _last_part(site: CallSite, position: int) -> str:
    return site.instance.body.nodes[position].name.rpartition("/")[2]


def _data_nodes(caller: CallSite) -> set[int]:
    """The nodes of a function that compute with its arguments, not only with their sizes."""
    body, found = caller.instance.body, set[int]()
    for position in caller.instance.order:
        refs = (ref for ref in body.inputs[position] if ref is not None)
        if body.nodes[position].op not in SIZES and any(r[0] < 0 or r[0] in found for r in refs):
            found.add(position)
    return found
