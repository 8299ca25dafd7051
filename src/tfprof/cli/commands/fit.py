"""The command `fit`: the memory of a step at given sizes, and whether it fits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tfprof.cli.commands.command import Command
from tfprof.cli.console import Console
from tfprof.cli.parser import Flag, ParsedCommand
from tfprof.errors import OptionError

if TYPE_CHECKING:
    from tfprof.memory.prediction import MemoryPrediction

_FLAGS = (
    Flag("memory", "text", "what it should fit in, such as 16GB or 800MiB", "SIZE"),
    Flag("largest", "text", "find the largest size of this symbol that fits in --memory", "NAME"),
    Flag("json", "switch", "the prediction as JSON"),
)


def _fit(console: Console, parsed: ParsedCommand) -> None:
    """Print how much memory a step needs, what holds it, and whether it fits."""
    if console.compat:
        raise OptionError("'fit' is not in the original, whose answers --compat gives")
    memory, symbol = parsed.values.get("memory"), parsed.values.get("largest")
    if symbol and not memory:
        raise OptionError("'fit' needs --memory with --largest: what it should fit in")
    from tfprof.memory.prediction import MemoryModel, memory_limit
    from tfprof.memory.prediction_text import prediction_text

    limit = memory_limit(memory) if memory else None
    model, given = MemoryModel(console.profile), dict(console.profile.bind)
    if symbol in given:
        raise OptionError(f"option 'largest': finds the size of {symbol}; leave it out of --bind")
    if symbol and limit is not None:
        given[symbol] = _largest(model.largest(symbol, limit, given), symbol, memory or "")
    prediction = model.predict(given)
    if parsed.values.get("json"):
        console.screen.write(_json(prediction, limit) + "\n")
    else:
        console.screen.write(prediction_text(prediction, limit, largest=symbol or ""))


def _largest(size: int | None, symbol: str, memory: str) -> int:
    if size is None:
        raise OptionError(
            f"option 'largest': not even {symbol}=1 fits in {memory}, margin included"
        )
    return size


def _json(prediction: MemoryPrediction, limit: int | None) -> str:
    answer = {} if limit is None else {"memory": limit, "fits": prediction.fits(limit)}
    return json.dumps({**answer, **prediction.to_dict()}, indent=2)


FIT = Command(
    "fit",
    "how much memory a step needs, and whether it fits",
    _fit,
    flags=_FLAGS,
    where="flags",
    examples="""\
From one traced step, scaled to other sizes, or from a model or training graph
alone. B is the batch size.

  tfprof train_graph.pb train_run_meta fit --bind B=64 --memory 16GB
  tfprof my_saved_model fit --largest B --memory 8GiB
  tfprof train_graph.pb fit --bind B=64 --json""",
)
