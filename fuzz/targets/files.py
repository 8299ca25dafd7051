"""Readers of files that only make sense together: checkpoints, tables and SavedModel folders.

An input is one of them, and the others are as they should be. That of tables says in its first line
which one it is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest import mock

import tfprof
from fuzz import samples, seeds
from fuzz.ask import ask, dice_of
from fuzz.mutate import Mutator, mutate_bytes, mutate_fields, mutate_tokens
from fuzz.parquet import mutate_table
from fuzz.schema import mutate_below_line, mutate_message
from fuzz.targets import Target
from fuzz.targets.analyses import ask_cost, ask_model
from fuzz.wire import Field, decode, encode
from tests.loaders.checkpoint.table_writer import write_table
from tests.loaders.xplane.traces import made
from tfprof.api.profile import Profile
from tfprof.errors import LoadError
from tfprof.loaders.checkpoint import open_checkpoint
from tfprof.loaders.fleet_run import read_fleet_run
from tfprof.loaders.xplane import events
from tfprof.protos.graph_pb2 import GraphDebugInfo, GraphDef
from tfprof.protos.keras_metadata_pb2 import KerasMetadata
from tfprof.protos.log_pb2 import OpLogProto
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.protos.saved_model_pb2 import SavedModel
from tfprof.protos.xplane_pb2 import XSpace

__all__ = [
    "TARGETS",
    "index_files",
    "old_files",
    "packed",
    "row_files",
    "shard_files",
    "table_files",
    "write_all",
]

Files = dict[str, bytes]

_MUTATORS: dict[str, Mutator] = {
    ".json": mutate_tokens,
    "debug_info.pb": mutate_message(GraphDebugInfo),
    "functions.pb": mutate_message(GraphDef),
    "variables.pb": mutate_message(OpLogProto),
    "keras_metadata.pb": mutate_message(KerasMetadata),
    "saved_model.pb": mutate_message(SavedModel),
    ".xplane.pb": mutate_message(XSpace),
}
"""How a file's name ends -> how it is mutated."""
_INDEX, _DATA = "model.index", "model.data-00000-of-00001"


def index_files(data: bytes) -> Files:
    """A checkpoint with an index of these bytes."""
    return {_INDEX: data, _DATA: seeds.checkpoint()[1]}


def shard_files(data: bytes) -> Files:
    """A checkpoint with data of these bytes."""
    return {_INDEX: write_table(seeds.checkpoint()[0]), _DATA: data}


def row_files(data: bytes) -> Files:
    """A checkpoint with an index of these rows: broken below right checksums."""
    return index_files(write_table(_rows_of(data)))


def old_files(data: bytes) -> Files:
    """A checkpoint of version 1, which is one table, of these rows."""
    return {"model": write_table(_rows_of(data))}


def table_files(data: bytes) -> Files:
    """Tables of which one is of these bytes."""
    named, _, content = data.partition(b"\n")
    files = dict(seeds.tables())
    names = list(files)
    changed = named.decode(errors="replace")
    files[changed if changed in files else names[len(data) % len(names)]] = content
    return files


def _rows_of(data: bytes) -> list[tuple[bytes, bytes]]:
    """Keys and values, from the fields of a message."""
    try:
        fields = [field for field in decode(data) if field.kind == 2]
    except ValueError:
        raise LoadError("the fuzzer's own rows are broken") from None
    parts = [f.value if isinstance(f.value, bytes) else encode(f.value) for f in fields]  # type: ignore[arg-type]
    return list(zip(parts[::2], parts[1::2], strict=False))


def packed(rows: list[tuple[bytes, bytes]]) -> bytes:
    """Rows as the message that `_rows_of` takes apart."""
    return encode([Field(1, 2, part) for row in rows for part in row])


def write_all(files: Files, folder: Path) -> None:
    """Write files to a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _ask_checkpoint(files_of: Callable[[bytes], Files], data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_all(files_of(data), Path(folder))
        checkpoint = open_checkpoint(Path(folder) / "model")
        dice = dice_of(data)
        loaded = Profile().with_checkpoint(checkpoint)
        report = loaded.report(
            "scope",
            select=["params", "tensor_value"],
            max_depth=20,
            compat=dice.random() < 0.4,
            account_type_regexes=[".*"],
        )
        report.text()
        report.proto()
        for name in checkpoint.tensors:
            _read(lambda name=name: checkpoint.statistics(name))


def _read(ask: Callable[[], object]) -> None:
    """Let one tensor fail without the others."""
    try:
        ask()
    except LoadError:
        return


def _tables(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_all(table_files(data), Path(folder))
        ask(Profile.from_tables(folder), dice_of(data))


def _changed(folders: list[Files], data: bytes) -> Files:
    """The files of a folder of which one is of these bytes; its first line says which of which."""
    header, _, content = data.partition(b"\n")
    number, _, name = header.decode(errors="replace").partition(" ")
    folder = folders[int(number) % len(folders)] if number.isdecimal() else folders[0]
    return {**folder, name if name in folder else next(iter(folder)): content}


def _folder_seeds(folders: list[Files]) -> list[bytes]:
    return [
        f"{number} {name}\n".encode() + data
        for number, folder in enumerate(folders)
        for name, data in folder.items()
    ]


def _mutator_of(header: str) -> Mutator:
    """The mutator of a file by its name, with which its header ends."""
    for end, mutator in _MUTATORS.items():
        if header.endswith(end):
            return mutator
    return mutate_fields


def _model_folder(data: bytes) -> None:
    """A SavedModel of Keras: its cost, its layers, and its views."""
    dice = dice_of(data)
    with tempfile.TemporaryDirectory() as folder:
        write_all(_changed(samples.saved_model_files(), data), Path(folder))
        roll = dice.random()
        if roll < 0.2:
            ask(tfprof.load(folder), dice)
        elif roll < 0.4:
            ask_cost(tfprof.cost(folder), dice)
        else:
            ask_model(tfprof.model(folder), dice)


def _capture_folder(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_all(_changed(samples.captures(), data), Path(folder))
        ask(tfprof.load(folder), dice_of(data))


def _state(data: bytes) -> None:
    """A folder of checkpoints with a state file of these bytes."""
    rows, stored = samples.object_checkpoint()
    with tempfile.TemporaryDirectory() as folder:
        files = {_INDEX: write_table(rows), _DATA: stored, "checkpoint": data}
        write_all(files, Path(folder))
        ask(tfprof.load(folder), dice_of(data))


def object_row_files(data: bytes) -> Files:
    """An object-based checkpoint with an index of these rows."""
    return {_INDEX: write_table(_rows_of(data)), _DATA: samples.object_checkpoint()[1]}


def _trace(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "host.xplane.pb"
        file.write_bytes(data)
        dice = dice_of(data)
        # Large traces are read in chunks: so that small ones are, too.
        size = dice.choice((events._CHUNK_SIZE, 300))
        with mock.patch.object(events, "_CHUNK_SIZE", size):
            ask(tfprof.load(file), dice)


def _fleet_run(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run_meta"
        file.write_bytes(data)
        read_fleet_run(file)


def _capture(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made().write(Path(folder))
        (Path(folder) / "capture.json").write_bytes(data)
        ask(tfprof.load(folder), dice_of(data))


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


def _checkpoint(
    name: str, files_of: Callable[[bytes], Files], seed: Callable[[], bytes], mutator: Mutator
) -> Target:
    return Target(name, partial(_ask_checkpoint, files_of), lambda: [seed()], mutator)


TARGETS = [
    Target(
        "debug_info", _debug_info, lambda: [seeds.traced_model()[1]], mutate_message(GraphDebugInfo)
    ),
    Target(
        "saved_model_folder",
        _saved_model,
        lambda: [seeds.traced_model()[0]],
        mutate_message(SavedModel),
    ),
    _checkpoint(
        "checkpoint_index", index_files, lambda: write_table(seeds.checkpoint()[0]), mutate_bytes
    ),
    _checkpoint("checkpoint_rows", row_files, lambda: packed(seeds.checkpoint()[0]), mutate_fields),
    _checkpoint("checkpoint_v1", old_files, lambda: packed(seeds.old_checkpoint()), mutate_fields),
    _checkpoint("checkpoint_shard", shard_files, lambda: seeds.checkpoint()[1], mutate_bytes),
    _checkpoint(
        "checkpoint_objects",
        object_row_files,
        lambda: packed(samples.object_checkpoint()[0]),
        mutate_fields,
    ),
    Target("checkpoint_state", _state, samples.state_files, mutate_tokens),
    Target("xplane", _trace, samples.traces, mutate_message(XSpace)),
    Target("fleet_run", _fleet_run, seeds.runs, mutate_message(RunMetadata)),
    Target("capture", _capture, samples.capture_facts, mutate_tokens),
    Target(
        "capture_folder",
        _capture_folder,
        lambda: _folder_seeds(samples.captures()),
        mutate_below_line(_mutator_of),
    ),
    Target(
        "model_folder",
        _model_folder,
        lambda: _folder_seeds(samples.saved_model_files()),
        mutate_below_line(_mutator_of),
        share=2,
    ),
    Target(
        "tables",
        _tables,
        lambda: [name.encode() + b"\n" + data for name, data in seeds.tables().items()],
        mutate_below_line(lambda _: mutate_table),
    ),
]
