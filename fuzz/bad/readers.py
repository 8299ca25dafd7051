"""How a user would have each bad file read: from the disk, and as nothing but itself."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tfprof
from fuzz.targets import files
from tests.test_goldens import graph_of
from tfprof.api.profile import Profile
from tfprof.errors import TfprofError
from tfprof.loaders.checkpoint import open_checkpoint

__all__ = ["READERS", "outcome_of"]

_GRAPH = graph_of(("name_a", "VariableV2"), ("scope/b", "MatMul", "name_a", "name_a"))

Reader = Callable[[Path, Path], Any]


def outcome_of(path: Path, folder: Path) -> tuple[str, str]:
    """`read`, or `refused` and why; `folder` is an empty one to work in."""
    try:
        READERS[path.parent.name](path, folder)
    except TfprofError as error:
        return "refused", str(error)
    return "read", ""


def _load(**given: Any) -> Any:
    return tfprof.load(**given).report("scope").text()


def _saved_model(path: Path, folder: Path) -> Any:
    shutil.copy(path, folder / "saved_model.pb")
    return tfprof.cost(folder)


def _checkpoint(files_of: Callable[[bytes], dict[str, bytes]]) -> Reader:
    def read(path: Path, folder: Path) -> None:
        files.write_all(files_of(path.read_bytes()), folder)
        checkpoint = open_checkpoint(folder / "model")
        for name in checkpoint.tensors:
            checkpoint.statistics(name)

    return read


def _tables(path: Path, folder: Path) -> Any:
    files.write_all(files.table_files(path.read_bytes()), folder)
    return Profile.from_tables(folder).report("scope").text()


def _trace(path: Path, folder: Path) -> Any:
    file = folder / "host.xplane.pb"
    shutil.copy(path, file)
    return tfprof.load(file).report("op", select=["micros", "bytes"]).text()


READERS: dict[str, Reader] = {
    "graph": lambda path, _folder: _load(graph=path),
    "graph_text": lambda path, _folder: _load(graph=path),
    "meta_graph": lambda path, _folder: _load(graph=path),
    "run_meta": lambda path, _folder: _load(graph=_GRAPH, run_meta=path),
    "op_log": lambda path, _folder: _load(graph=_GRAPH, op_log=path),
    "profile": lambda path, _folder: _load(profile=path),
    "saved_model": _saved_model,
    "checkpoint_index": _checkpoint(files.index_files),
    "checkpoint_rows": _checkpoint(files.row_files),
    "checkpoint_v1": _checkpoint(files.old_files),
    "checkpoint_shard": _checkpoint(files.shard_files),
    "tables": _tables,
    "xplane": _trace,
}
"""A reader for each folder of bad files."""
