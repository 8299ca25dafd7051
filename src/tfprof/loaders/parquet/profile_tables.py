"""A folder of Parquet tables, which `outputs.profile_tables` writes, to a profile.

`table_and_column` maps a field of the profile's records to its column; see `docs/schema.md`.
"""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.limits import MAX_PROFILE_PARTS, max_table_rows
from tfprof.errors import LoadError
from tfprof.loaders.parquet.checks import find_fault
from tfprof.loaders.parquet.file import read_parquet
from tfprof.profiles.executions import MEMORY_FIELDS
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import (
    Array,
    Edges,
    LogEntries,
    Nodes,
    ProfileProtoRuns,
    Records,
    Stacks,
)
from tfprof.profiles.trace_facts import TraceFacts

VERSION = 4
"""The version of the layout."""
_KNOWN_VERSIONS = (2, 3, VERSION)
_NANOS_VERSION = 4
"""The first version with the table `nanos`."""

PART = "part"
"""The column that numbers the RunMetadata, op logs and saved profiles of one profile."""

FRAME_COLUMNS = ("line", "function_line", "file_id", "function_id", "text_id")
TEXTS = ("file", "function", "text")
ENTRIES = {"unplaced": "unmatched", "inner": "saved_flops"}
"""Table of op log entries -> field of the profile."""

_BROKEN = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError, pa.ArrowException)
_NO_TABLE = "not a table of tfprof"
_PROPERTIES: dict[str, tuple[type, type]] = {
    **dict.fromkeys(("version", "saved", "logs"), (int, int)),
    **dict.fromkeys(("has_trace", "missing_stream", "saved_missing_stream"), (bool, bool)),
    "exact_durations": (bool, bool),
    **dict.fromkeys(("runs", "steps"), (list, int)),
    **dict.fromkeys(("counting", "trace"), (str, str)),
    "devices": (list, str),
    "libraries": (list, bytes),
}
"""The type of each property, and of its items if it is a list."""

_SAVED_TABLES = {"execution": "span", "interval": "time", "record": "seen"}
_SAVED_COLUMNS = {"record_execution": "span"}
_ALLOCATOR = ("allocations", "allocator")
_RECORD_TABLES = {
    "allocation_": "allocations",
    "output_": "outputs",
    "label_": "labels",
    "nanos_": "nanos",
}


TABLE_ID = b"tfprof.profile"
"""The metadata in which all tables of a profile have the same random text."""


def table_and_column(kind: type, field: str) -> tuple[str, str]:
    """The table and the column of a field."""
    if kind is ProfileProtoRuns:
        prefix, _, rest = field.partition("_")
        return f"saved_{_SAVED_TABLES.get(prefix, prefix)}", _SAVED_COLUMNS.get(field, rest)
    for prefix, table in _RECORD_TABLES.items():
        if field.startswith(prefix) and field != "output_bytes":
            return table, field.removeprefix(prefix)
    return "records", field


def read_tables(folder: str | os.PathLike[str]) -> Profile:
    """The profile whose tables are in a folder."""
    try:
        profile = _profile(_Tables(Path(folder)))
        fault = find_fault(profile)
    except _BROKEN as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise LoadError(f"{folder}: not the tables of a profile; {reason}") from None
    if fault:
        raise LoadError(f"{folder}: not the tables of a profile; {fault}")
    return profile


def _profile(tables: _Tables) -> Profile:
    about = _Properties(tables.read("profile"), tables.path("profile"))
    has_nanos = about["version"] >= _NANOS_VERSION
    trace = _trace_facts(about["trace"])
    return Profile(
        nodes=Nodes(**tables.columns(Nodes, "nodes")),
        edges=Edges(**tables.columns(Edges, "edges")),
        type_node=tables.column("types", "node").to_numpy(),
        type_name=_array(tables.column("types", "type")),
        records=tuple(
            _records(tables, part, step, has_nanos=has_nanos)
            for part, step in enumerate(about["runs"])
        ),
        saved=tuple(_saved(tables, part) for part in range(about["saved"])),
        stacks=tuple(_stacks(tables, part) for part in range(about["logs"])),
        strings=_strings(tables, -1),
        devices=tuple(about["devices"]),
        steps=tuple(about["steps"]),
        has_trace=about["has_trace"],
        exact_durations=about["exact_durations"],
        trace=trace,
        warnings=trace.notes if trace else (),
        missing_stream=about["missing_stream"],
        saved_missing_stream=about["saved_missing_stream"],
        libraries=tuple(about["libraries"]),
        unmatched=_entries(tables, "unplaced"),
        saved_flops=_entries(tables, "inner"),
        **_count_settings(about["counting"]),
    )


def _trace_facts(text: str) -> TraceFacts | None:
    """What is known of the trace that the profile was read from."""
    facts = json.loads(text)
    return None if facts is None else TraceFacts.from_dict(facts)


def _count_settings(text: str) -> dict[str, Any]:
    """What float operations are counted with."""
    about = json.loads(text)
    if not isinstance(about, dict):
        raise ValueError("what float operations are counted with has no names")
    arguments: dict[str, Any] = {
        "roots": tuple(about.get("roots", ())),
        "input_names": dict(about.get("input_names", {})),
        "bind": dict(about.get("bind", {})),
        "count_float_ops": bool(about.get("count_float_ops", True)),
    }
    texts = [*arguments["roots"], *arguments["input_names"].values(), *arguments["input_names"]]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("the names of inputs and outputs are not text")
    if not all(type(size) is int for size in arguments["bind"].values()):
        raise ValueError("the sizes of symbols are not numbers")
    return arguments


class _Properties(dict[str, Any]):
    """The one row of the table of properties."""

    def __init__(self, table: pa.Table, path: Path) -> None:
        if len(table) != 1:
            raise LoadError(f"{path}: has {len(table)} rows; {_NO_TABLE}")
        # What older tables do not have.
        absent = {"counting": "{}", "exact_durations": False, "trace": "null"}
        super().__init__(absent | table.to_pylist()[0])
        self.path = path
        if self["version"] not in _KNOWN_VERSIONS:
            is_not = f"tables of version {self['version']}, not {VERSION}"
            raise LoadError(f"{path}: {is_not}; save them again")
        if self["saved"] + self["logs"] > MAX_PROFILE_PARTS:
            raise LoadError(f"{path}: of more parts than {MAX_PROFILE_PARTS:,}; {_NO_TABLE}")

    def __getitem__(self, name: str) -> Any:
        value = self.get(name)
        if value is None:
            raise LoadError(f"{self.path}: has no value of '{name}'; {_NO_TABLE}")
        kind, inside = _PROPERTIES[name]
        items = value if kind is list else [value]
        if type(value) is not kind or any(type(item) is not inside for item in items):
            raise LoadError(f"{self.path}: '{name}' is not of the right type; {_NO_TABLE}")
        return value


class _Tables:
    """The files of a folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache: dict[str, pa.Table] = {}
        self._ids: dict[bytes, str] = {}
        sizes = [path.stat().st_size for path in folder.glob("*.parquet") if path.is_file()]
        self._room = max_table_rows(sum(sizes))
        """How many rows those that are not read yet may have."""

    def read(self, name: str, part: int | None = None) -> pa.Table:
        """A table, or the rows of one part of it."""
        if name not in self.cache:
            path = self.path(name)
            try:
                self.cache[name] = read_parquet(path, self._room)
                self._room -= self.cache[name].num_rows
            except (OSError, ValueError, RecursionError, pa.ArrowException) as error:
                first = (str(error).splitlines() or [""])[0]
                reason = "no such file" if isinstance(error, FileNotFoundError) else first
                raise LoadError(f"{path}: cannot read the table: {reason}") from None
            self._check_id(name)
        table = self.cache[name]
        if part is None:
            return table
        numbers = self.integers(name, PART)
        first, last = np.searchsorted(numbers, [part, part + 1]).tolist()
        return table.slice(first, last - first)

    def integers(self, name: str, column: str, part: int | None = None) -> Array:
        """A column that is needed before all columns are checked."""
        values = self.column(name, column, part).to_numpy()
        if values.dtype.kind not in "iu":
            raise LoadError(f"{self.path(name)}: '{column}' is not of the right type; {_NO_TABLE}")
        return values

    def _check_id(self, name: str) -> None:
        """Refuse tables of two profiles; another program may have written one without an id."""
        written = (self.cache[name].schema.metadata or {}).get(TABLE_ID)
        if written is None:
            return
        self._ids.setdefault(written, name)
        if len(self._ids) > 1:
            first, second = (f"{table}.parquet" for table in self._ids.values())
            reason = f"{first} and {second} are of different profiles; save the tables again"
            raise LoadError(f"{self.folder}: {reason}")

    def column(self, name: str, column: str, part: int | None = None) -> pa.ChunkedArray:
        """A column of a table, or the rows of one part of it."""
        return _column(self.read(name, part), column, self.path(name))

    def has_column(self, name: str, column: str) -> bool:
        """Whether a table has a column."""
        return column in self.read(name).column_names

    def path(self, name: str) -> Path:
        """Where a table is."""
        return self.folder / f"{name}.parquet"

    def columns(self, kind: type, name: str) -> dict[str, Any]:
        """The fields of a record that is a table of its own."""
        return {item.name: _value(item, self.column(name, item.name)) for item in fields(kind)}


def _column(table: pa.Table, name: str, path: Path) -> pa.ChunkedArray:
    count = table.column_names.count(name)
    if count != 1:
        has = f"has {count} columns" if count else "has no column"
        raise LoadError(f"{path}: {has} '{name}'; {_NO_TABLE}")
    return table.column(name)


def _value(item: Any, column: pa.ChunkedArray) -> Any:
    return _array(column) if item.type == "pa.Array" else column.to_numpy()


def _array(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _records(tables: _Tables, part: int, step: int, *, has_nanos: bool) -> Records:
    values: dict[str, Any] = {"step": step}
    for item in fields(Records):
        if item.name != "step":
            table, column = table_and_column(Records, item.name)
            if (table, column) == _ALLOCATOR and not tables.has_column(table, column):
                values[item.name] = _gpu_allocators(len(values["allocation_record"]))
                continue
            if table == "nanos" and not (has_nanos and tables.has_column(table, column)):
                continue
            values[item.name] = _value(item, tables.column(table, column, part))
    return Records(**values)


def _gpu_allocators(count: int) -> pa.Array:
    """The allocators in tables before version 4, which have allocations of GPUs only."""
    indices = np.zeros(count, np.int32)
    return pa.DictionaryArray.from_arrays(indices, pa.array(["GPU"], pa.string()))


def _saved(tables: _Tables, part: int) -> ProfileProtoRuns:
    values: dict[str, Any] = {}
    for item in fields(ProfileProtoRuns):
        table, column = table_and_column(ProfileProtoRuns, item.name)
        if item.name == "memory":
            numbers = [tables.column(table, name, part).to_numpy() for name in MEMORY_FIELDS]
            values[item.name] = np.stack(numbers, axis=1).reshape(-1, len(MEMORY_FIELDS))
        else:
            values[item.name] = _value(item, tables.column(table, column, part))
    return ProfileProtoRuns(**values)


def _stacks(tables: _Tables, part: int) -> Stacks:
    lengths = tables.integers("stacks", "frames", part)
    texts = [_array(tables.column("frames", name, part)) for name in TEXTS]
    has_texts = all(text.null_count == 0 for text in texts)
    return Stacks(
        start=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]),
        **{name: tables.column("frames", name, part).to_numpy() for name in FRAME_COLUMNS},
        strings=_strings(tables, part),
        texts=(texts[0], texts[1], texts[2]) if has_texts and len(texts[0]) else None,
    )


def _entries(tables: _Tables, name: str) -> LogEntries:
    types = f"{name}_types"
    return LogEntries(
        _array(tables.column(name, "name")),
        tables.column(name, "float_ops").to_numpy(),
        tables.column(name, "stack").to_numpy(),
        tables.column(types, "entry").to_numpy(),
        _array(tables.column(types, "type")),
    )


def _strings(tables: _Tables, part: int) -> dict[int, str]:
    ids, texts = (tables.column("strings", name, part) for name in ("id", "text"))
    kinds = (ids.type, texts.type) == (pa.int64(), pa.string())
    if not kinds or ids.null_count or texts.null_count:
        raise LoadError(
            f"{tables.path('strings')}: the columns are not of the right type; {_NO_TABLE}"
        )
    return dict(zip(ids.to_pylist(), texts.to_pylist(), strict=True))
