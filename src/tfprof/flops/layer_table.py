"""What each layer of a model costs: the table that people want first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tfprof.flops.model_cost import Cost, NodeCost, cost
from tfprof.flops.polynomial import Count, exact, pretty
from tfprof.flops.polynomial import bind as with_sizes
from tfprof.flops.tensors import Dims
from tfprof.flops.variables import Variable
from tfprof.runtime.printable import one_line

_BATCH = "B"
_COUNTER = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True)
class Layer:
    """A scope of the model: its last output, its parameters, and its work.

    While the batch size is not known, the work is that for one example.
    """

    name: str
    output: str
    params: int
    float_ops: Count
    share: float


@dataclass(frozen=True, slots=True)
class ModelTable:
    """The layers in the order in which they run, and the totals of the model."""

    layers: tuple[Layer, ...]
    cost: Cost

    def text(self) -> str:
        """The table, its totals, and how complete they are."""
        work = "FLOPs per example" if _BATCH in self.cost.symbols else "FLOPs"
        rows = [("layer", "output shape", "params", work, "share")]
        rows += [
            (
                layer.name,
                layer.output,
                f"{layer.params:,}" if layer.params else "",
                pretty(layer.float_ops) if layer.float_ops else "",
                f"{layer.share:.1%}" if layer.float_ops else "",
            )
            for layer in self.layers
        ]
        return _aligned(rows, left=2) + "\n\n" + "\n".join(totals(self.cost)) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Layers and totals in plain numbers, polynomials as text."""
        layers = [{**asdict(layer), "float_ops": _plain(layer.float_ops)} for layer in self.layers]
        return {"layers": layers, **to_dict(self.cost)}


def totals(cost: Cost) -> list[str]:
    """Lines that say what a model costs, and how complete the count is."""
    frozen = cost.params - cost.trainable_params
    float_ops, contractions = pretty(cost.float_ops), pretty(cost.contraction_float_ops)
    trained = f"({cost.trainable_params:,} trainable, {frozen:,} not)"
    inside = f"({contractions} in matmuls and convolutions), 2 per multiply-add"
    lines = [
        f"parameters        {cost.params:,} {trained}",
        f"float operations  {float_ops} {inside}",
    ]
    lines += [f"  {name} = {meaning}" for name, meaning in cost.symbols.items()]
    return [one_line(line) for line in (*lines, cost.ledger.summary(), *cost.ledger.notes)]


def operation_text(cost: Cost) -> str:
    """What each operation type costs, the most expensive first, and the totals."""
    ranked = [
        (_share(_per_example(work.float_ops), cost), op, work)
        for op, work in cost.by_op_type.items()
    ]
    rows = [("op type", "nodes", "float operations", "share")]
    rows += [
        (op, str(work.nodes), pretty(work.float_ops), f"{share:.1%}")
        for share, op, work in sorted(ranked, key=lambda row: (-row[0], row[1]))
        if work.float_ops
    ]
    return _aligned(rows, left=1) + "\n\n" + "\n".join(totals(cost)) + "\n"


def to_dict(cost: Cost) -> dict[str, Any]:
    """Totals, op types and ledger in plain numbers, polynomials as text."""
    return {
        "params": cost.params,
        "trainable_params": cost.trainable_params,
        "float_ops": _plain(cost.float_ops),
        "macs": _plain(cost.macs),
        "contraction_float_ops": _plain(cost.contraction_float_ops),
        "elementwise_float_ops": _plain(cost.elementwise_float_ops),
        "by_op_type": {
            op: {"float_ops": _plain(work.float_ops), "nodes": work.nodes}
            for op, work in cost.by_op_type.items()
        },
        "symbols": dict(cost.symbols),
        "ledger": {
            "counted": cost.ledger.counted,
            "free": cost.ledger.zero_cost,
            "unknown": cost.ledger.unknown,
            "unknown_ops": dict(cost.ledger.unknown_ops),
            "notes": list(cost.ledger.notes),
        },
    }


def _aligned(rows: Sequence[tuple[str, ...]], *, left: int) -> str:
    """Rows as columns below a rule; the first `left` columns begin at the left."""
    rows = [tuple(map(one_line, row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def _plain(count: Count) -> int | str:
    return count if isinstance(count, int) else exact(count)


def model(
    source: Any,
    *,
    batch: int | None = None,
    signature: str | None = None,
    bind: Mapping[str, int] | None = None,
    run_meta: Any = None,
) -> ModelTable:
    """The table of a model's layers; `source`, `bind` and `run_meta` are as in `tfprof.cost`."""
    sizes = {**(bind or {}), **({} if batch is None else {_BATCH: batch})}
    return model_table(cost(source, signature, bind=sizes, run_meta=run_meta))


def model_table(cost: Cost) -> ModelTable:
    """The layers of a model: the name scopes right below the prefix that all of them share."""
    nodes = [node for node in cost.nodes() if node.scope]
    # Names of variables say where they live; the nodes that read them come after.
    worked = [node for node in nodes if node.kind == "counted"]
    shared = _shared(node.scope for node in worked or nodes)
    variables = [variable for variable in cost.variables if variable.role == "parameter"]
    params = _by_layer(variables)
    members_of: dict[str, list[NodeCost]] = {}
    for node in nodes:
        parts = node.scope.split("/")
        if parts[: len(shared)] == shared and len(parts) > len(shared):
            members_of.setdefault(parts[len(shared)], []).append(node)
    layers = []
    left = dict(params)
    # Layers are in the order of their last nodes: their variables may be read long before.
    ends = {id(node): position for position, node in enumerate(nodes)}
    in_order = sorted(members_of.items(), key=lambda item: ends[id(_last(item[1]))])
    for name, members in in_order:
        own = name if name in left else _COUNTER.sub("", name)
        work = sum(_per_example(node.float_ops) for node in members)
        size = left.pop(own, 0)
        if work or size:
            shown = own if own in params else name
            output = _shape(_last(members).output)
            layers.append(Layer(shown, output, size, work, _share(work, cost)))
    layers += [Layer(name, "", size, 0, 0.0) for name, size in left.items() if size]
    return ModelTable(tuple(layers), cost)


def _last(members: list[NodeCost]) -> NodeCost:
    """The node that gives a layer's output: the last one outside of loops that is no scalar."""
    outputs = [node for node in members if node.trips == 1 and node.output]
    return (outputs or members)[-1]


def _shared(scopes: Iterable[str]) -> list[str]:
    """The parts that all scopes begin with, leaving each at least one of its own."""
    common: list[str] | None = None
    for scope in scopes:
        parts = scope.split("/")[:-1]
        if common is None:
            common = parts
        length = 0
        while length < min(len(common), len(parts)) and common[length] == parts[length]:
            length += 1
        common = common[:length]
    return common or []


def _by_layer(variables: list[Variable]) -> dict[str, int]:
    """The parameters of each layer, by the part of a variable's name that says whose it is."""
    scopes = [variable.name.rpartition("/")[0] or variable.name for variable in variables]
    shared = _shared(f"{scope}/" for scope in scopes)
    sizes: dict[str, int] = {}
    for variable, scope in zip(variables, scopes, strict=True):
        parts = scope.split("/")
        layer = parts[min(len(shared), len(parts) - 1)]
        sizes[layer] = sizes.get(layer, 0) + variable.size()
    return sizes


def _per_example(count: Count) -> Count:
    """A count for a batch of one."""
    return with_sizes(count, {_BATCH: 1})


def _share(count: Count, cost: Cost) -> float:
    """The part of all float operations per example, 0 while symbols are unbound."""
    total = _per_example(cost.float_ops)
    return count / total if isinstance(count, int) and isinstance(total, int) and total else 0.0


def _shape(shape: Dims | None) -> str:
    if shape is None:
        return "?"
    return "x".join("?" if size is None else exact(size) for size in shape) or "scalar"
