"""Write the steps of a worker as files that are sorted and packed: 3 to 4 bytes a record.

Sorted by node and step, neighbours differ little: their differences are packed in few bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tfprof.fleet.rollups import make_rollups
from tfprof.fleet.step_records import StepRecords
from tfprof.profiles.schema import Array

ROW_GROUP = 128 * 1024
_TEXTS = ("job", "worker", "device", "source", "destination")
_NUMBERS = ("start", "duration", "bytes", "peak", "output_bytes")


def chunk_tables(job: str, worker: str, steps: Sequence[StepRecords]) -> dict[str, pa.Table]:
    """The records and rollups of some steps of a worker."""
    records = _sort_records(steps)
    tables = make_rollups(steps, records)
    tables = {"records": pa.table({name: pa.array(c) for name, c in records.items()}), **tables}
    return {name: _with_worker(table, job, worker) for name, table in tables.items()}


def _sort_records(steps: Sequence[StepRecords]) -> dict[str, Any]:
    """The columns of all records, sorted by node and step; records of one step keep their order."""
    node = np.concatenate([step.node for step in steps])
    # Hashing finds the few distinct nodes sooner than sorting all records does.
    codes = pa.array(node).dictionary_encode()
    small = np.uint16 if len(codes.dictionary) <= np.iinfo(np.uint16).max else np.uint32
    rank = np.empty(len(codes.dictionary), small)
    rank[np.argsort(codes.dictionary.to_numpy())] = np.arange(len(rank))
    # Steps are in order already, and a stable sort of few bits takes linear time.
    order = np.argsort(rank[codes.indices.to_numpy()], kind="stable")
    number = np.concatenate([np.full(len(step.node), step.step, np.int32) for step in steps])
    names, device = _devices(steps)
    columns = {"step": number[order], "node": node[order]}
    columns["device"] = pa.DictionaryArray.from_arrays(pa.array(device[order]), names)
    for name in _NUMBERS:
        columns[name] = np.concatenate([getattr(step, name) for step in steps])[order]
    return columns


def _devices(steps: Sequence[StepRecords]) -> tuple[pa.Array, Array]:
    names = sorted({device for step in steps for device in step.devices})
    index = {name: i for i, name in enumerate(names)}
    codes = [
        np.array([index[device] for device in step.devices], np.int32)[step.device]
        for step in steps
    ]
    return pa.array(names, pa.string()), np.concatenate(codes)


def _with_worker(table: pa.Table, job: str, worker: str) -> pa.Table:
    for name, text in (("worker", worker), ("job", job)):
        codes = pa.array(np.zeros(len(table), np.int8))
        column = pa.DictionaryArray.from_arrays(codes, pa.array([text]))
        table = table.add_column(0, name, column)
    return table


def write_table(table: pa.Table, target: Path | BinaryIO) -> None:
    """Write a table, texts as dictionaries and numbers as packed differences."""
    with table_writer(table.schema, target) as writer:
        writer.write_table(table.cast(stored_schema(table.schema)), row_group_size=ROW_GROUP)


def table_writer(schema: pa.Schema, target: Path | BinaryIO) -> pq.ParquetWriter:
    """A writer of tables of a schema."""
    return pq.ParquetWriter(target, stored_schema(schema), **write_options(schema))


def stored_schema(schema: pa.Schema) -> pa.Schema:
    """The schema that all engines read alike: texts are texts."""
    fields = [
        pa.field(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in schema
    ]
    return pa.schema(fields)


def write_options(schema: pa.Schema) -> dict[str, Any]:
    """How the columns of a schema are written."""
    packed = [f.name for f in schema if pa.types.is_integer(f.type)]
    return {
        "compression": "zstd",
        "use_dictionary": [name for name in schema.names if name in _TEXTS],
        "column_encoding": dict.fromkeys(packed, "DELTA_BINARY_PACKED"),
        "store_schema": False,
    }
