"""What each layer of a model costs: the table that people want first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.lookup import Lookup, did_you_mean
from tfprof.errors import OptionError
from tfprof.flops.cost_display import CostDisplay
from tfprof.flops.layers.layer_rows import BATCH, Layer, LayerRows, per_example
from tfprof.flops.model_cost import Cost, NodeCost, cost
from tfprof.flops.op_type_table import align, cost_dict, plain_count, total_lines
from tfprof.flops.polynomial import Count, pretty
from tfprof.runtime.printable import one_line

_TEXT_COLUMNS = 3
_MAX_SHAPES = 4
"""In the output column; `explain` and `--json` have all."""
_SHAPE = re.compile(r"\([^()]*\)|\?")


@dataclass(frozen=True, slots=True, repr=False)
class ModelTable(CostDisplay):
    """The layers in the order of `model.summary()`, and the totals of the model."""

    layers: tuple[Layer, ...]
    cost: Cost

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self.layers)

    def __getitem__(self, name: str) -> Layer:
        """The first layer of a name."""
        return Lookup({layer.name: layer for layer in reversed(self.layers)}, "layer")[name]

    @property
    def total(self) -> Mapping[str, Count]:
        """The totals of the model by name."""
        return self.cost.total

    def records(self) -> list[dict[str, Any]]:
        """The layers, each by column."""
        return [asdict(layer) for layer in self.layers]

    def summary(self) -> str:
        """How many layers, and the totals."""
        return f"{len(self.layers):,} layers; {self.cost.summary()}"

    def text(self, depth: int | None = 1) -> str:
        """The table down to a depth, its totals, and how complete they are."""
        table = align(self.cells(depth), left=_TEXT_COLUMNS)
        return "\n".join((*table, *self.notes(depth), "", *total_lines(self.cost))) + "\n"

    def layers_to_depth(self, depth: int | None) -> list[Layer]:
        """The layers down to a depth."""
        return [layer for layer in self.layers if depth is None or layer.depth <= depth]

    def cells(self, depth: int | None) -> list[tuple[str, ...]]:
        """The titles of the columns, then the texts of each row; the first columns are text."""
        work = "FLOPs per example" if BATCH in self.cost.symbols else "FLOPs"
        titles = ("layer", "type", "output shape", "params", work, "MACs", "share", "calls")
        shown = self.layers_to_depth(depth)
        rows = [titles, *map(_cells, shown)]
        return rows if any(layer.calls > 1 for layer in shown) else [row[:-1] for row in rows]

    def notes(self, depth: int | None) -> list[str]:
        """What the table does not show."""
        if not self.layers:
            return ["no layer has parameters or float operations"]
        more = len(self.layers) - len(self.layers_to_depth(depth))
        if not more:
            return []
        deepest = max(layer.depth for layer in self.layers)
        rows = "row" if more == 1 else "rows"
        return [f"{more:,} {rows} of nested models not shown; to see all: --depth {deepest}"]

    def explain(self, name: str) -> str:
        """How a layer was counted: the nodes that do its work; or how a node was.

        A layer of a nested model may be called `model/layer`.
        """
        nodes = [node.name for node in self.cost.nodes()]
        model, _, last = name.rpartition("/")
        if name not in nodes:
            for position, layer in enumerate(self.layers):
                if layer.name == name or (layer.parent, layer.name) == (model, last):
                    return _explain_layer(layer, LayerRows(self.cost).nodes(position))
            near = did_you_mean(last, [layer.name for layer in self.layers])
            if near and not any(node.endswith(f"/{name}") for node in nodes):
                raise OptionError(f"cannot explain {name!r}: there is no such node or layer{near}")
        return self.cost.explain(name)

    def to_dict(self, depth: int | None = None) -> dict[str, Any]:
        """Layers and totals in plain numbers, polynomials as text."""
        shown = self.layers_to_depth(depth)
        names = sum(len(layer.name) for layer in shown)
        # Each layer has the name of its model.
        size = names + sum(len(layer.parent or "") for layer in shown)
        check_output_size(size, "names of layers", rows=len(shown), names=names)
        layers = [
            {
                **asdict(layer),
                "float_ops": plain_count(layer.float_ops),
                "macs": plain_count(layer.macs),
            }
            for layer in shown
        ]
        return {"layers": layers, **cost_dict(self.cost)}


def _cells(layer: Layer) -> tuple[str, ...]:
    return (
        "  " * (layer.depth - 1) + layer.name,
        layer.type,
        _shorten(layer.output),
        f"{layer.params:,}" if layer.params else "",
        pretty(layer.float_ops) if layer.float_ops else "",
        pretty(layer.macs) if layer.macs else "",
        f"{layer.share:.1%}" if layer.share else "",
        f"{layer.calls}",
    )


def _shorten(output: str) -> str:
    """The text of many shapes with the first ones alone: a scope may have hundreds."""
    shapes = list(_SHAPE.finditer(output))
    if len(shapes) <= _MAX_SHAPES:
        return output
    end = shapes[_MAX_SHAPES - 2].end()
    return f"{output[:end]}, … {len(shapes) - _MAX_SHAPES + 1} more{output[-1]}"


def _explain_layer(layer: Layer, nodes: Sequence[NodeCost]) -> str:
    """A layer's row as a sentence, and the nodes that do its work."""
    calls = "" if layer.calls == 1 else f", called {layer.calls} times"
    of = f" of {layer.parent}" if layer.parent else ""
    kind = f" ({layer.type})" if layer.type else ""
    lines = [
        one_line(f"layer {layer.name}{of}{kind}{calls}"),
        one_line(f"  output: {layer.output or 'none'}"),
        f"  parameters: {layer.params:,} ({layer.trainable_params:,} trainable)",
        f"  float operations per example: {pretty(layer.float_ops)}",
    ]
    working = [node for node in nodes if node.kind == "counted"]
    unknown = [node for node in nodes if node.kind == "unknown"]
    for node in working:
        runs = "" if node.trips == 1 else f", runs {pretty(node.trips)} times"
        lines.append(
            one_line(f"  {node.name} = {node.op}: {pretty(per_example(node.float_ops))}{runs}")
        )
    lines += [one_line(f"  {node.name} = {node.op}: {node.reason}") for node in unknown]
    others = len(nodes) - len(working) - len(unknown)
    lines.append(f"  {others} nodes that cost nothing")
    return "\n".join(lines)


def model(
    source: Any,
    *,
    batch: int | None = None,
    signature: str | None = None,
    bind: Mapping[str, int] | None = None,
    run_meta: Any = None,
) -> ModelTable:
    """The table of a model's layers; `source`, `bind` and `run_meta` are as in `tfprof.cost`."""
    sizes = {**(bind or {}), **({} if batch is None else {BATCH: batch})}
    return model_table(cost(source, signature, bind=sizes, run_meta=run_meta))


def model_table(cost: Cost) -> ModelTable:
    """The layers of a model, as `model.summary()` lists them."""
    return ModelTable(tuple(LayerRows(cost).rows()), cost)
