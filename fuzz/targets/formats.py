"""Every format of `LOADERS`, as a file or folder that is recognized and opened."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import tfprof
from fuzz import samples, seeds
from fuzz.ask import ask, dice_of
from fuzz.mutate import Mutator, mutate_bytes, mutate_fields
from fuzz.parquet import mutate_table
from fuzz.schema import mutate_below_line, mutate_message
from fuzz.targets import Target
from fuzz.targets.files import Files, index_files, table_files, write_all
from tests.loaders.checkpoint.table_writer import write_table
from tfprof.loaders import LOADERS
from tfprof.protos.graph_pb2 import GraphDef
from tfprof.protos.log_pb2 import OpLogProto, ProfileProto
from tfprof.protos.run_metadata_pb2 import RunMetadata
from tfprof.protos.saved_model_pb2 import MetaGraphDef, SavedModel
from tfprof.protos.xplane_pb2 import XSpace

__all__ = ["TARGETS"]

_NAME = "input"
_PARTS = ("graph", "run_meta", "op_log", "checkpoint", "profile", "tables")


class Sample(NamedTuple):
    """Where mutation starts, the files that an input becomes, and which of them is opened."""

    seeds: Callable[[], list[bytes]]
    files: Callable[[bytes], Files] = lambda data: {_NAME: data}
    path: str = _NAME
    mutator: Mutator = mutate_fields


def _all_messages() -> list[bytes]:
    kinds = (seeds.graphs, seeds.runs, seeds.logs, seeds.profiles, seeds.graphs_as_text)
    return list(chain.from_iterable(kind() for kind in kinds))


def _tables() -> list[bytes]:
    return [name.encode() + b"\n" + data for name, data in seeds.tables().items()]


_SAMPLES = {
    "GraphDef": Sample(
        lambda: seeds.graphs() + seeds.graphs_as_text(), mutator=mutate_message(GraphDef)
    ),
    "SavedModel": Sample(
        seeds.saved_models,
        lambda data: {"saved_model.pb": data},
        ".",
        mutate_message(SavedModel),
    ),
    "MetaGraphDef": Sample(seeds.meta_graphs, mutator=mutate_message(MetaGraphDef)),
    "RunMetadata": Sample(seeds.runs, mutator=mutate_message(RunMetadata)),
    "OpLogProto": Sample(seeds.logs, mutator=mutate_message(OpLogProto)),
    "ProfileProto": Sample(seeds.profiles, mutator=mutate_message(ProfileProto)),
    "checkpoint": Sample(
        lambda: [write_table(seeds.checkpoint()[0])], index_files, "model", mutate_bytes
    ),
    "XPlane trace": Sample(
        samples.traces,
        lambda data: {"host.xplane.pb": data},
        "host.xplane.pb",
        mutate_message(XSpace),
    ),
    "tables folder": Sample(_tables, table_files, ".", mutate_below_line(lambda _: mutate_table)),
}
"""Loader -> what it is fuzzed with; one that is not here is fuzzed with what others read."""


def _open(sample: Sample, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_all(sample.files(data), Path(folder))
        dice, path = dice_of(data), Path(folder) / sample.path
        # Now and then as something that it may not be.
        part = dice.choice(_PARTS) if dice.random() < 0.2 else None
        ask(tfprof.load(**{part: path}) if part else tfprof.load(path), dice)


def _target(name: str) -> Target:
    sample = _SAMPLES.get(name, Sample(_all_messages))
    slug = f"open_{name.replace(' ', '_')}"
    return Target(slug, partial(_open, sample), sample.seeds, sample.mutator)


TARGETS = [_target(name) for name in LOADERS]
