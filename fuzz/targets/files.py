"""Readers of files that only make sense together: checkpoints, tables and SavedModel folders.

An input is one of them; its first byte says which, and the others are as they should be.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import tfprof
from fuzz import seeds
from fuzz.ask import ask, dice_of
from fuzz.targets import Target
from fuzz.wire import Field, decoded, encoded
from tests.loaders.checkpoint.table_writer import write_table
from tfprof.errors import LoadError
from tfprof.loaders.checkpoint import open_checkpoint
from tfprof.loaders.tables import read_tables
from tfprof.profiles.profile import Profile

__all__ = ["TARGETS"]

_INDEX, _DATA = "model.index", "model.data-00000-of-00001"


def _ask_checkpoint(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        checkpoint = open_checkpoint(Path(folder) / "model")
        loaded = Profile().with_checkpoint(checkpoint)
        loaded.report("scope", select=["params", "tensor_value"]).text()
        for name in checkpoint.tensors:
            _read(lambda name=name: checkpoint.statistics(name))


def _read(ask: Callable[[], object]) -> None:
    """Let one tensor fail without the others."""
    try:
        ask()
    except LoadError:
        return


def _index(data: bytes) -> None:
    _ask_checkpoint({_INDEX: data, _DATA: seeds.checkpoint()[1]})


def _shard(data: bytes) -> None:
    _ask_checkpoint({_INDEX: write_table(seeds.checkpoint()[0]), _DATA: data})


def _rows(data: bytes) -> None:
    """An index whose rows are broken below right checksums."""
    try:
        fields = [field for field in decoded(data) if field.kind == 2]
    except ValueError:
        raise LoadError("the fuzzer's own rows are broken") from None
    parts = [f.value if isinstance(f.value, bytes) else encoded(f.value) for f in fields]  # type: ignore[arg-type]
    rows = list(zip(parts[::2], parts[1::2], strict=False))
    _ask_checkpoint({_INDEX: write_table(rows), _DATA: seeds.checkpoint()[1]})


def _row_seeds() -> list[bytes]:
    parts = [part for row in seeds.checkpoint()[0] for part in row]
    return [encoded([Field(1, 2, part) for part in parts])]


def _tables(data: bytes) -> None:
    names = list(seeds.tables())
    changed = names[data[0] % len(names)] if data else names[0]
    with tempfile.TemporaryDirectory() as folder:
        for name, content in seeds.tables().items():
            (Path(folder) / name).write_bytes(data[1:] if name == changed else content)
        ask(read_tables(folder), dice_of(data))


def _ask_saved_model(model: bytes, debug: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debug").mkdir()
        (Path(folder) / "saved_model.pb").write_bytes(model)
        (Path(folder) / "debug" / "saved_model_debug_info.pb").write_bytes(debug)
        ask(tfprof.load(graph=folder), dice_of(model + debug))


def _debug_info(data: bytes) -> None:
    _ask_saved_model(seeds.traced_model()[0], data)


def _saved_model(data: bytes) -> None:
    _ask_saved_model(data, seeds.traced_model()[1])


TARGETS = [
    Target("debug_info", _debug_info, lambda: [seeds.traced_model()[1]], "fields"),
    Target("saved_model_folder", _saved_model, lambda: [seeds.traced_model()[0]], "fields"),
    Target("checkpoint_index", _index, lambda: [write_table(seeds.checkpoint()[0])], "bytes"),
    Target("checkpoint_rows", _rows, _row_seeds, "fields"),
    Target("checkpoint_shard", _shard, lambda: [seeds.checkpoint()[1]], "bytes"),
    Target(
        "tables",
        _tables,
        lambda: [bytes([at]) + data for at, data in enumerate(seeds.tables().values())],
        "bytes",
    ),
]
