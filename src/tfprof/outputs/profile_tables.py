"""A whole profile as Parquet files, one for each table, which `loaders.parquet` reads.

`docs/schema.md` describes the tables and their columns.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import OutputError
from tfprof.flops.node_flops import log_entries
from tfprof.loaders.parquet.profile_tables import (
    ENTRIES,
    FRAME_COLUMNS,
    PART,
    TABLE_ID,
    TEXTS,
    VERSION,
    table_and_column,
)
from tfprof.outputs.files import replace_file
from tfprof.profiles.executions import MEMORY_FIELDS
from tfprof.profiles.lazy_columns import clip_to_int64
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import LogEntries, ProfileProtoRuns, Records, Stacks
from tfprof.profiles.string_columns import strings


def save_tables(profile: Profile, folder: str | os.PathLike[str]) -> None:
    """Write all tables of a profile to a folder, or none; create the folder if it is missing."""
    target = Path(folder)
    try:
        target.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{target}: cannot make the folder: {reason}") from None
    written = {TABLE_ID: secrets.token_hex(16).encode()}
    with contextlib.ExitStack() as files:
        for name, table in profile_tables(profile).items():
            stream = files.enter_context(replace_file(target / f"{name}.parquet"))
            table = table.replace_schema_metadata({**(table.schema.metadata or {}), **written})
            pyarrow.parquet.write_table(table, stream, compression="zstd", write_page_checksum=True)


def profile_tables(profile: Profile) -> dict[str, pa.Table]:
    """The tables of a profile by name; those of runs and op logs only if it has any."""
    profile = profile.replace(saved_flops=_counted_entries(profile))
    tables = {
        "profile": _properties(profile),
        "nodes": _table(profile.nodes),
        "edges": _table(profile.edges),
        "types": pa.table({"node": profile.type_node, "type": profile.type_name}),
        "strings": _strings(profile),
    }
    for name, field in ENTRIES.items():
        tables |= _entry_tables(name, getattr(profile, field))
    return (
        tables
        | _number_parts(_log_tables(part) for part in profile.stacks)
        | _number_parts(_part_tables(part) for part in profile.records)
        | _number_parts(_part_tables(part) for part in profile.saved)
    )


def _properties(profile: Profile) -> pa.Table:
    return pa.table(
        {
            "version": [VERSION],
            "devices": pa.array([list(profile.devices)], pa.list_(pa.string())),
            "steps": pa.array([list(profile.steps)], pa.list_(pa.int64())),
            "runs": pa.array([[part.step for part in profile.records]], pa.list_(pa.int64())),
            "saved": [len(profile.saved)],
            "logs": [len(profile.stacks)],
            "has_trace": [profile.has_trace],
            "exact_durations": [profile.exact_durations],
            "trace": [json.dumps(profile.trace.to_dict() if profile.trace else None)],
            "missing_stream": [profile.missing_stream],
            "saved_missing_stream": [profile.saved_missing_stream],
            "counting": [_count_settings(profile)],
            "libraries": pa.array([list(profile.libraries)], pa.list_(pa.binary())),
        }
    )


def _counted_entries(profile: Profile) -> LogEntries:
    """The float operations that were counted, those of op logs left out."""
    float_ops, inner = log_entries(profile, REPAIRED)
    rows = np.flatnonzero(float_ops != profile.nodes.float_ops)
    stack, none = np.full(len(rows), -1, np.int64), np.zeros(0, np.int64)
    names = profile.nodes.name.take(pa.array(rows))
    return LogEntries(names, float_ops[rows], stack, none, strings()).concat(inner)


def _count_settings(profile: Profile) -> str:
    """What float operations are counted with, as JSON."""
    about = {
        "roots": profile.roots,
        "input_names": dict(profile.input_names),
        "bind": dict(profile.bind),
        "count_float_ops": profile.count_float_ops,
    }
    return json.dumps(about)


def _table(columns: Any) -> pa.Table:
    return pa.table({item.name: getattr(columns, item.name) for item in fields(columns)})


def _entry_tables(name: str, entries: LogEntries) -> dict[str, pa.Table]:
    """The entries of an op log, and their types as a table of their own."""
    columns = {"name": entries.name, "float_ops": entries.float_ops, "stack": entries.stack}
    types = {"entry": entries.type_entry, "type": entries.type}
    return {name: pa.table(columns), f"{name}_types": pa.table(types)}


def _strings(profile: Profile) -> pa.Table:
    parts = [(-1, profile.strings), *enumerate(part.strings for part in profile.stacks)]
    rows = [(part, key, text) for part, texts in parts for key, text in texts.items()]
    types = {PART: pa.int64(), "id": pa.int64(), "text": pa.string()}
    columns = zip(*rows, strict=True) if rows else [()] * len(types)
    return pa.table(
        {
            name: pa.array(values, column_type)
            for (name, column_type), values in zip(types.items(), columns, strict=True)
        }
    )


def _part_tables(part: Records | ProfileProtoRuns) -> dict[str, dict[str, Any]]:
    """The columns of one RunMetadata or saved profile, by table."""
    tables: dict[str, dict[str, Any]] = {}
    for item in fields(part):
        if item.name == "step":
            continue
        table, column = table_and_column(type(part), item.name)
        value = getattr(part, item.name)
        columns = {column: clip_to_int64(value) if isinstance(value, np.ndarray) else value}
        if item.name == "memory":
            columns = {name: value[:, i] for i, name in enumerate(MEMORY_FIELDS)}
        tables.setdefault(table, {}).update(columns)
    return tables


def _log_tables(part: Stacks) -> dict[str, dict[str, Any]]:
    """The columns of one op log, by table."""
    frames = {name: getattr(part, name) for name in FRAME_COLUMNS}
    none = pa.nulls(len(part.line), pa.string())
    texts = dict(zip(TEXTS, part.texts or (none, none, none), strict=True))
    return {"stacks": {"frames": np.diff(part.start)}, "frames": frames | texts}


def _number_parts(parts: Iterable[dict[str, dict[str, Any]]]) -> dict[str, pa.Table]:
    """The tables of all parts, concatenated, with a column for the number of the part."""
    tables: dict[str, list[pa.Table]] = {}
    for number, part in enumerate(parts):
        for name, columns in part.items():
            rows = pa.table(columns)
            numbers = pa.array(np.full(len(rows), number, np.int64))
            tables.setdefault(name, []).append(rows.add_column(0, PART, numbers))
    # Lines of op logs have 32 bits, those of a model's debug info 64.
    return {
        name: pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()
        for name, parts in tables.items()
    }
