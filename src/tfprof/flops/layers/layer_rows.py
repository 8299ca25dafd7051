"""The rows of the layer table: the work and the parameters of layers, summed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tfprof.flops.call_sites import CallSite
from tfprof.flops.layers.find_layers import find_layers
from tfprof.flops.layers.output_shapes import OutputShapes
from tfprof.flops.model_cost import Cost, NodeCost
from tfprof.flops.polynomial import Count, CountSum, bind
from tfprof.flops.variables import constant_size

BATCH = "B"
OUTSIDE = "(outside layers)"
"""The row of operations and variables that belong to no layer."""
_MAX_OP_TYPES = 4


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: its output, its parameters, and its work, those of inner layers included.

    While the batch size is not known, the work is that for one example.
    """

    name: str
    type: str
    """The Keras class, or where the source does not have it the op types that do the work."""
    output: str
    """Its output shape as Keras prints it."""
    params: int
    trainable_params: int
    float_ops: Count
    macs: Count
    share: float
    """The part of the model's float operations."""
    calls: int
    parent: str | None
    """The nested model that it is a layer of."""
    children: tuple[str, ...]
    """The layers of a nested model; their rows follow."""
    depth: int
    """1 for the layers of the model itself."""


@dataclass(slots=True)
class _Sums:
    """What nodes do that belong to one layer, or to none."""

    float_ops: CountSum = field(default_factory=CountSum)
    macs: CountSum = field(default_factory=CountSum)
    working_ops: dict[str, None] = field(default_factory=dict)
    """The op types that do the work, in order."""
    last_op: str = ""
    constants: dict[tuple[str, str], int] = field(default_factory=dict)
    """(function, node) -> elements of a constant."""

    def add(self, node: NodeCost) -> None:
        """Add the work of a node."""
        self.float_ops.add(per_example(node.float_ops))
        self.macs.add(per_example(node.macs))
        if node.kind == "counted":
            self.working_ops[node.op] = None
        self.last_op = node.op


class LayerRows:
    """Sums work and parameters over the layers of a model."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._nodes: list[tuple[CallSite, int, NodeCost]] = [
            (site, position, cost.node(site, position))
            for site in cost.call_sites()
            for position in site.instance.order
        ]
        sites = list({site.number: site for site, _, _ in self._nodes}.values())
        counted = {
            (site.number, position)
            for site, position, node in self._nodes
            if node.kind == "counted"
        }
        self._tree = find_layers(cost.source, sites, counted)
        self._outputs = OutputShapes(cost.bound_shape)
        self._inner: dict[int | None, list[int]] = {}
        for index, layer in enumerate(self._tree.layers):
            self._inner.setdefault(layer.parent, []).append(index)
        self._sums: dict[int | None, _Sums] = {}
        for site, position, node in self._nodes:
            sums = self._sums.setdefault(self._tree.nodes.get((site.number, position)), _Sums())
            sums.add(node)
            body = site.instance.body
            if cost.source.frozen and body.nodes[position].op == "Const":
                constant = body.nodes[position]
                sums.constants[body.name, constant.name] = constant_size(constant)

    def rows(self) -> list[Layer]:
        """All rows: each nested model is followed by its layers, all by what is outside."""
        return [row for row, _ in self._rows()]

    def nodes(self, position: int) -> list[NodeCost]:
        """The nodes of a row, those of inner layers included."""
        _, layers = self._rows()[position]
        wanted = self._tree.nodes
        return [n for site, index, n in self._nodes if wanted.get((site.number, index)) in layers]

    def _rows(
        self, parent: int | None = None, depth: int = 1
    ) -> list[tuple[Layer, set[int | None]]]:
        """The rows of a model's layers, with the layers whose nodes each has."""
        rows: list[tuple[Layer, set[int | None]]] = []
        for index in self._inner.get(parent, ()):
            below = self._rows(index, depth + 1) if index in self._inner else []
            children = tuple(row.name for row, _ in below if row.depth == depth + 1)
            rows.append((self._layer(index, depth, children), set(self._with_inner(index))))
            rows += below
        outside = self._outside(parent, depth, [row for row, _ in rows])
        if outside.float_ops or outside.params:
            rows.append((outside, {parent}))
        return rows

    def _layer(self, index: int, depth: int, children: tuple[str, ...]) -> Layer:
        info = self._tree.layers[index]
        calls = self._tree.calls.get(index)
        found = self._outputs.of(calls, nested=bool(children)) if calls else "?"
        inner = sorted(self._with_inner(index))
        sums = [self._sums[layer] for layer in inner if layer in self._sums]
        float_ops, macs = _total(s.float_ops for s in sums), _total(s.macs for s in sums)
        return Layer(
            name=info.name,
            type=info.type or _op_types(sums),
            output=info.output or found,
            params=self._size(info.variables) + sum(sum(s.constants.values()) for s in sums),
            trainable_params=self._size(info.variables, trained=True),
            float_ops=float_ops,
            macs=macs,
            share=share(float_ops, self._cost),
            calls=info.calls,
            parent=self._name(info.parent),
            children=children,
            depth=depth,
        )

    def _outside(self, parent: int | None, depth: int, rows: list[Layer]) -> Layer:
        """What a model does and has outside of its layers."""
        layers, sums = self._tree.layers, self._sums.get(parent, _Sums())
        float_ops = sums.float_ops.value()
        own = range(len(self._cost.variables)) if parent is None else layers[parent].variables
        listed = (layers[index].variables for index in self._inner.get(parent, ()))
        variables = set(own).difference(*listed)
        params = self._size(variables)
        if parent is None and self._cost.source.frozen:
            # Constants of functions that do not run are parameters, too.
            params = self._cost.params - sum(row.params for row in rows if row.depth == depth)
        return Layer(
            name=OUTSIDE,
            type=_op_types([sums]),
            output="",
            params=params,
            trainable_params=self._size(variables, trained=True),
            float_ops=float_ops,
            macs=sums.macs.value(),
            share=share(float_ops, self._cost),
            calls=1,
            parent=self._name(parent),
            children=(),
            depth=depth,
        )

    def _with_inner(self, index: int) -> Iterator[int]:
        """A layer and all layers below it."""
        pending = [index]
        while pending:
            layer = pending.pop()
            yield layer
            pending += self._inner.get(layer, ())

    def _name(self, index: int | None) -> str | None:
        return None if index is None else self._tree.layers[index].name

    def _size(self, variables: Iterable[int], *, trained: bool = False) -> int:
        """The number of parameters among variables, or of those that are trained."""
        found = (self._cost.variables[position] for position in variables)
        return sum(
            variable.size()
            for variable in found
            if variable.role == "parameter" and (variable.trainable or not trained)
        )


def _total(sums: Iterable[CountSum]) -> Count:
    """The sum of sums, in time linear in their terms."""
    total = CountSum()
    for each in sums:
        total.add(each.value())
    return total.value()


def _op_types(sums: Sequence[_Sums]) -> str:
    """The op types that do the work of layers, in place of a class; if none does, the last one."""
    types = list(dict.fromkeys(op for each in sums for op in each.working_ops))
    types = types or [each.last_op for each in sums if each.last_op][-1:]
    return "+".join(types[:_MAX_OP_TYPES]) + ("+…" if len(types) > _MAX_OP_TYPES else "")


def per_example(count: Count) -> Count:
    """A count for a batch of one."""
    return bind(count, {BATCH: 1})


def share(count: Count, cost: Cost) -> float:
    """The part of all float operations per example, 0 while symbols are unbound."""
    total = per_example(cost.float_ops)
    return count / total if isinstance(count, int) and isinstance(total, int) and total else 0.0
