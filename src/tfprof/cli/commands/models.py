"""The commands about a model as such: its layers, and what its operations cost and why."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.api.progress import Progress
from tfprof.api.screen import Screen
from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.inputs import INPUTS, parse_bind, path_of
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.errors import OptionError
from tfprof.runtime.silence import silent_stderr

if TYPE_CHECKING:
    from tfprof.flops.model_cost import Cost

_SIGNATURE = Flag("signature", "text", "which signature of a SavedModel (serving_default)", "NAME")
_EXPLAIN = Flag("explain", "text", "how a node or layer was counted: formula, shapes, runs", "NAME")
_MODEL_FLAGS = (
    _SIGNATURE,
    Flag("json", "switch", "layers, totals and ledger as JSON"),
    _EXPLAIN,
    Flag("depth", "text", "show nested models down to this level (1; with --json all)", "N"),
)
_MODEL_INPUTS = {
    "run_meta_path": "RunMetadata of traced steps, for the trip counts of loops",
    "bind": INPUTS["bind"].help,
}
_COST_FLAGS = (
    _SIGNATURE,
    Flag("json", "switch", "op types, totals and ledger as JSON"),
    _EXPLAIN,
)


def _model(console: Console, parsed: ParsedCommand) -> None:
    """Print what each layer of a model costs, or how one was counted."""
    from tfprof.flops.layer_table import model_table

    layout = console.screen.layout
    depth = _depth(parsed.values.get("depth"))
    table = model_table(_cost_of(console, parsed))
    name = parsed.values.get("explain")
    if name:
        console.screen.write(table.explain(name) + "\n")
    elif parsed.values.get("json"):
        console.screen.write(json.dumps(table.to_dict(depth), indent=2) + "\n")
    elif layout is None:
        console.screen.write(table.text(depth or 1))
    else:
        from tfprof.outputs.terminal_model import model_lines

        console.screen.write_lines(model_lines(table, layout, depth or 1))


def _cost(console: Console, parsed: ParsedCommand) -> None:
    """Print what each operation type of a model costs, or how one node was counted."""
    from tfprof.flops.layer_table import model_table
    from tfprof.flops.op_type_table import cost_dict, operation_text

    layout = console.screen.layout
    cost = _cost_of(console, parsed)
    name = parsed.values.get("explain")
    if name:
        console.screen.write(model_table(cost).explain(name) + "\n")
    elif parsed.values.get("json"):
        console.screen.write(json.dumps(cost_dict(cost), indent=2) + "\n")
    elif layout is None:
        console.screen.write(operation_text(cost))
    else:
        from tfprof.outputs.terminal_model import cost_lines

        console.screen.write_lines(cost_lines(cost, layout))


def _depth(text: str | None) -> int | None:
    if text is None:
        return None
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise OptionError(f"option 'depth': '{text}' is not a number of levels such as 2")
    return int(text)


def _cost_of(console: Console, parsed: ParsedCommand) -> Cost:
    models = (*parsed.paths, *parsed.arguments)
    if len(models) != 1:
        raise OptionError(
            f"'{parsed.name}' takes one model: a SavedModel folder, a .pb or a .keras file"
        )
    from tfprof.flops.model_cost import cost

    path = path_of(models[0])
    runs = [path_of(run) for run in parsed.values.get("run_meta_path", ())]
    sizes = parse_bind(parsed.values.get("bind", ""))
    with _working(console.screen, path):
        return cost(path, parsed.values.get("signature"), bind=sizes, run_meta=runs or None)


@contextlib.contextmanager
def _working(screen: Screen, path: Path) -> Iterator[None]:
    """Show that a model is read. What TensorFlow logs meanwhile is not shown."""
    if path.suffix != ".keras" or os.environ.get("TFPROF_DEBUG"):
        with screen.working("reading the model"):
            yield
        return
    with silent_stderr() as stream:
        screen = replace(screen, progress=Progress(stream) if screen.progress else None)
        with screen.working("reading the model with Keras"):
            yield


MODEL_COMMANDS = (
    Command(
        "model",
        "cost by layer of a SavedModel, .pb or .keras file",
        _model,
        metavar="PATH",
        where="flags",
        flags=_MODEL_FLAGS,
        inputs=_MODEL_INPUTS,
        switches=(),
        examples="""\
The layers of model.summary() with their float operations per example, then totals
and what was not counted. B is an unknown batch size.

  tfprof model my_saved_model
  tfprof model my_saved_model --depth 2
  tfprof model my_saved_model --explain conv2d_1
  tfprof model my_saved_model --bind B=8 --json""",
    ),
    Command(
        "cost",
        "float operations by op type, with formulas",
        _cost,
        metavar="PATH",
        where="flags",
        flags=_COST_FLAGS,
        inputs=_MODEL_INPUTS,
        switches=(),
        examples="""\
Float operations by op type, two per multiply-add, with functions and loops
expanded.

  tfprof cost my_saved_model
  tfprof cost my_saved_model --explain MatMul
  tfprof cost graph.pb --run_meta_path run_meta""",
    ),
)
