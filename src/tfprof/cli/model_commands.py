"""The commands about a model as such: its layers, and what its operations cost and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tfprof.cli.console import Console
from tfprof.cli.inputs import path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.errors import OptionError

if TYPE_CHECKING:
    from tfprof.flops.model_cost import Cost

__all__ = ["COST_FLAGS", "MODEL_FLAGS", "show_cost", "show_model"]

_DIGITS = 18
MODEL_FLAGS = (
    Flag("signature", "text", "which signature of a SavedModel (serving_default)", "NAME"),
    Flag("bind", "text", "numbers for unknown sizes, such as B=8", "NAME=N,…"),
    Flag("json", "switch", "findings with their numbers, for programs"),
)
COST_FLAGS = (
    *MODEL_FLAGS,
    Flag("explain", "text", "how one node was counted: formula, shapes, runs", "NODE"),
)


def show_model(console: Console, line: ParsedCommand) -> None:
    """Print what each layer of a model costs."""
    from tfprof.flops.layer_table import model_table

    table = model_table(_cost_of(line))
    if line.values.get("json"):
        console.screen.say(json.dumps(table.to_dict(), indent=2) + "\n")
    else:
        console.screen.say(table.text())


def show_cost(console: Console, line: ParsedCommand) -> None:
    """Print what each operation type of a model costs, or how one node was counted."""
    from tfprof.flops.layer_table import operation_text, to_dict

    cost = _cost_of(line)
    node = line.values.get("explain")
    if node:
        console.screen.say(cost.explain(node) + "\n")
    elif line.values.get("json"):
        console.screen.say(json.dumps(to_dict(cost), indent=2) + "\n")
    else:
        console.screen.say(operation_text(cost))


def _cost_of(line: ParsedCommand) -> Cost:
    if len(line.words) != 1:
        raise OptionError(
            f"'{line.command}' takes one model: a SavedModel folder, a .pb or a .keras file"
        )
    from tfprof.flops.model_cost import cost

    path = path_of(line.words[0])
    runs = [path_of(run) for run in line.values.get("run_meta_path", ())]
    sizes = _bound(line.values.get("bind", ""))
    return cost(path, line.values.get("signature"), bind=sizes, run_meta=runs or None)


def _bound(text: str) -> dict[str, int]:
    """Sizes such as `B=8,T=20`."""
    found = {}
    for item in filter(None, text.split(",")):
        name, _, number = item.partition("=")
        if not name or not number.isascii() or not number.isdigit() or len(number) > _DIGITS:
            raise OptionError(f"option 'bind': '{item}' is not a size such as B=8")
        found[name] = int(number)
    return found
