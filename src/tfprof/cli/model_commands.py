"""The commands about a model as such: its layers, and what its operations cost and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tfprof.cli.console import Console
from tfprof.cli.inputs import parse_bind, path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.errors import OptionError

if TYPE_CHECKING:
    from tfprof.flops.model_cost import Cost

MODEL_FLAGS = (
    Flag("signature", "text", "which signature of a SavedModel (serving_default)", "NAME"),
    Flag("json", "switch", "print JSON"),
)
COST_FLAGS = (
    *MODEL_FLAGS,
    Flag("explain", "text", "how one node was counted: formula, shapes, runs", "NODE"),
)


def show_model(console: Console, parsed: ParsedCommand) -> None:
    """Print what each layer of a model costs."""
    from tfprof.flops.layer_table import model_table

    table = model_table(_cost_of(parsed))
    if parsed.values.get("json"):
        console.screen.write(json.dumps(table.to_dict(), indent=2) + "\n")
    else:
        console.screen.write(table.text())


def show_cost(console: Console, parsed: ParsedCommand) -> None:
    """Print what each operation type of a model costs, or how one node was counted."""
    from tfprof.flops.layer_table import operation_text, to_dict

    cost = _cost_of(parsed)
    node = parsed.values.get("explain")
    if node:
        console.screen.write(cost.explain(node) + "\n")
    elif parsed.values.get("json"):
        console.screen.write(json.dumps(to_dict(cost), indent=2) + "\n")
    else:
        console.screen.write(operation_text(cost))


def _cost_of(parsed: ParsedCommand) -> Cost:
    models = (*parsed.paths, *parsed.arguments)
    if len(models) != 1:
        raise OptionError(
            f"'{parsed.name}' takes one model: a SavedModel folder, a .pb or a .keras file"
        )
    from tfprof.flops.model_cost import cost

    path = path_of(models[0])
    runs = [path_of(run) for run in parsed.values.get("run_meta_path", ())]
    sizes = parse_bind(parsed.values.get("bind", ""))
    return cost(path, parsed.values.get("signature"), bind=sizes, run_meta=runs or None)
