"""How one node of a model was counted, in a few lines."""

from __future__ import annotations

from tfprof.errors import OptionError
from tfprof.flops.call_sites import CallSite
from tfprof.flops.close_node_names import close_node_names
from tfprof.flops.model_cost import Cost
from tfprof.flops.polynomial import pretty
from tfprof.flops.tensors import Tensor
from tfprof.flops.totals import operation
from tfprof.runtime.printable import one_line


def explain_node(cost: Cost, name: str) -> str:
    """The formula, shapes and executions of a node: its runtime name, or a unique end of it."""
    sites: dict[str, tuple[CallSite, int]] = {}
    for site in cost.call_sites():
        for position in site.instance.order:
            sites[site.prefix + site.instance.body.nodes[position].name] = site, position
    if name in sites:
        return _explanation(cost, *sites[name])
    matches = [full for full in sites if full.endswith(f"/{name}")]
    if len(matches) == 1:
        return _explanation(cost, *sites[matches[0]])
    if matches:
        reason = f"{len(matches)} nodes end so, such as {matches[0]!r}"
    else:
        near = " or ".join(map(repr, close_node_names(name, sites)))
        reason = "there is no such node" + (f"; did you mean {near}?" if near else "")
    raise OptionError(f"cannot explain {name!r}: {reason}")


def _explanation(cost: Cost, site: CallSite, position: int) -> str:
    node = cost.node(site, position)
    tensors = operation(site.instance, position)
    lines = [
        one_line(f"{node.name} = {node.op}"),
        f"  {node.kind}: {node.reason}",
        f"  inputs: {', '.join(_format_shape(cost, x) for x in tensors.inputs) or 'none'}",
        f"  outputs: {', '.join(_format_shape(cost, x) for x in tensors.outputs) or 'none'}",
    ]
    if node.trips != 1:
        lines.append(f"  runs: {pretty(node.trips)}")
    if node.kind == "counted":
        exact = f" ({node.float_ops:,})" if isinstance(node.float_ops, int) else ""
        lines.append(f"  float operations: {pretty(node.float_ops)}{exact}")
    return "\n".join(lines)


def _format_shape(cost: Cost, tensor: Tensor) -> str:
    shape = cost.bound_shape(tensor.shape)
    if shape is None:
        return "?"
    return "x".join("?" if size is None else str(size) for size in shape) or "scalar"
