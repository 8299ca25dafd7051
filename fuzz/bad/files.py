"""Checkpoints and tables that are cut, lie about their sizes, or do not fit together."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from fuzz import seeds
from fuzz.targets.files import packed
from tests.loaders.checkpoint.table_writer import MAGIC, block, sealed, varint, write_table
from tfprof.protos.checkpoint_pb2 import BundleEntryProto, BundleHeaderProto, SavedTensorSlices

__all__ = ["files"]

_MOST = 2**63 - 1

Rows = list[tuple[bytes, bytes]]
Edit = Callable[[Any], object]


def files() -> Iterator[tuple[str, str, bytes]]:
    """The target, the name and the bytes of each."""
    for name, data in _indexes():
        yield "checkpoint_index", name, data
    for name, data in _shards(seeds.checkpoint()[1]):
        yield "checkpoint_shard", name, data
    for name, edit in _ENTRIES.items():
        yield "checkpoint_rows", name, packed(_entries(edit))
    for name, edit in _OLD.items():
        yield "checkpoint_v1", name, packed(_old(edit))
    for name, (table, change) in _TABLES.items():
        file = f"{table}.parquet"
        yield "tables", name, f"{file}\n".encode() + change(seeds.tables()[file])


def _indexes() -> Iterator[tuple[str, bytes]]:
    rows = seeds.checkpoint()[0]
    whole = write_table(rows)
    flipped = bytearray(whole)
    flipped[20] ^= 1
    yield "empty", b""
    yield "cut_in_half", whole[: len(whole) // 2]
    yield "cut_by_a_byte", whole[:-1]
    yield "zeros", bytes(512)
    yield "flipped_bit", bytes(flipped)
    yield "magic_alone", struct.pack("<Q", MAGIC)
    yield "footer_alone", _footer(0, 0)
    yield "index_beyond_the_file", whole[:-48] + _footer(2**40, 100)
    yield "index_of_64_bits", whole[:-48] + _footer(0, 2**64 - 1)
    yield "index_of_numbers_without_end", whole[:-48] + b"\xff" * 40 + struct.pack("<Q", MAGIC)
    yield "restarts_beyond_the_block", _one_block(struct.pack("<I", 2**32 - 1))
    yield "restarts_missing", _one_block(b"\0")
    yield "key_shared_with_nothing", _one_block(b"\x09\x01\x01ab" + struct.pack("<2I", 0, 1))
    yield "value_beyond_the_block", _one_block(b"\x00\x01\xff\x7fab" + struct.pack("<2I", 0, 1))
    yield "compression_unknown", _one_block(b"", kind=7)
    yield "snappy_that_is_none", _one_block(b"\xff" * 40, kind=1)
    yield "snappy_of_terabytes", _one_block(varint(2**42) + b"\0a" * 20, kind=1)
    yield "keys_out_of_order", write_table(rows[::-1])
    yield "block_named_twice", _block_named_twice(rows)
    yield "of_an_hdf5_file", b"\x89HDF\r\n\x1a\n" + bytes(100)


def _footer(offset: int, size: int) -> bytes:
    handles = varint(0) + varint(0) + varint(offset) + varint(size)
    return handles.ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def _one_block(contents: bytes, kind: int = 0) -> bytes:
    """A table whose index is a block of the given contents."""
    return sealed(contents, kind) + _footer(0, len(contents))


def _block_named_twice(rows: Rows) -> bytes:
    contents = block(rows, 1)
    handle = varint(0) + varint(len(contents))
    index = block([(b"z%03d" % at, handle) for at in range(500)], 16)
    first = sealed(contents, 0)
    return first + sealed(index, 0) + _footer(len(first), len(index))


def _shards(data: bytes) -> Iterator[tuple[str, bytes]]:
    flipped = bytearray(data)
    flipped[30] ^= 1
    yield "empty", b""
    yield "cut_in_half", data[: len(data) // 2]
    yield "cut_by_a_byte", data[:-1]
    yield "flipped_bit", bytes(flipped)
    yield "zeros", bytes(len(data))
    yield "not_a_number", np.full(len(data) // 4, np.nan, "<f4").tobytes()


def _entries(edit: Edit) -> Rows:
    """The rows of the index with the first tensor changed, or the header if that is asked for."""
    rows = list(seeds.checkpoint()[0])
    entry, header = (
        kind.FromString(rows[at][1]) for at, kind in ((1, BundleEntryProto), (0, BundleHeaderProto))
    )
    changed = edit(_Both(header, entry))
    rows[:2] = [(b"", header.SerializeToString()), (rows[1][0], entry.SerializeToString())]
    return changed(rows) if callable(changed) else rows


class _Both:
    def __init__(self, header: BundleHeaderProto, entry: BundleEntryProto) -> None:
        self.header, self.entry = header, entry


def _entry(**values: int) -> Edit:
    def edit(both: _Both) -> None:
        for name, value in values.items():
            setattr(both.entry, name, value)

    return edit


def _header(**values: int) -> Edit:
    def edit(both: _Both) -> None:
        for name, value in values.items():
            setattr(both.header, name, value)

    return edit


def _dims(*sizes: int) -> Edit:
    return lambda both: [both.entry.shape.dim.add(size=size) for size in sizes]


def _slices(*extents: tuple[int, int]) -> Edit:
    def edit(both: _Both) -> None:
        both.entry.shape.dim.add(size=8)
        for start, length in extents:
            both.entry.slices.add().extent.add(start=start, length=length)

    return edit


def _rows(change: Callable[[Rows], Rows]) -> Edit:
    return lambda _both: change


_ENTRIES: dict[str, Edit] = {
    "no_rows": _rows(lambda _rows: []),
    "header_missing": _rows(lambda rows: rows[1:]),
    "header_broken": _rows(lambda rows: [(b"", b"\xff"), *rows[1:]]),
    "entry_broken": _rows(lambda rows: [*rows[:1], (b"x", b"\x0a\xff")]),
    "name_of_no_utf8": _rows(lambda rows: [*rows, (b"x\xff\xc3(", rows[1][1])]),
    "shards_missing": _header(num_shards=0),
    "shards_too_many": _header(num_shards=2**31 - 1),
    "shards_below_zero": _header(num_shards=-1),
    "of_a_big_endian_machine": _header(endianness=1),
    "shard_of_nobody": _entry(shard_id=99),
    "type_unknown": _entry(dtype=9999),
    "type_of_strings": _entry(dtype=7),
    "size_beyond_the_file": _entry(size=2**40),
    "size_below_zero": _entry(size=-1),
    "offset_beyond_the_file": _entry(offset=_MOST),
    "offset_below_zero": _entry(offset=-1),
    "checksum_wrong": _entry(crc32c=1),
    "shape_below_zero": _dims(-1),
    "shape_beyond_64_bits": _dims(_MOST, _MOST),
    "shape_of_many_dimensions": _dims(*[1] * 300),
    "slices_of_nobody": _slices((0, 8)),
    "slices_beyond_the_tensor": _slices((0, _MOST), (_MOST, 1)),
    "slices_below_zero": _slices((-1, -5)),
}


def _old(edit: Edit) -> Rows:
    rows = list(seeds.old_checkpoint())
    listed = SavedTensorSlices.FromString(rows[0][1])
    changed = edit(listed)
    rows[0] = (b"", listed.SerializeToString())
    return changed(rows) if callable(changed) else rows


_OLD: dict[str, Edit] = {
    "list_broken": _rows(lambda rows: [(b"", b"\x0a\xff"), *rows[1:]]),
    "list_empty": lambda saved: saved.Clear(),
    "values_missing": _rows(lambda rows: rows[:1]),
    "values_broken": _rows(lambda rows: [*rows[:1], (rows[1][0], b"\x12\xff"), *rows[2:]]),
    "tensor_twice": lambda saved: saved.meta.tensor.add().CopyFrom(saved.meta.tensor[0]),
    "slice_twice": lambda saved: (
        saved.meta.tensor[1].slice.add().CopyFrom(saved.meta.tensor[1].slice[0])
    ),
    "shape_beyond_64_bits": lambda saved: saved.meta.tensor[0].shape.dim.add(size=_MOST),
    "type_unknown": lambda saved: setattr(saved.meta.tensor[0], "type", 9999),
    "version_of_the_future": lambda saved: setattr(saved.meta.versions, "min_consumer", 99),
}


def _read(data: bytes) -> pa.Table:
    return pyarrow.parquet.read_table(io.BytesIO(data))


def _written(table: pa.Table, **more: Any) -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream, compression="zstd", **more)
    return stream.getvalue()


def _column(name: str, change: Callable[[pa.ChunkedArray], Any]) -> Callable[[bytes], bytes]:
    """A table with one column changed."""

    def changed(data: bytes) -> bytes:
        table = _read(data)
        at = table.schema.get_field_index(name)
        return _written(table.set_column(at, name, change(table.column(name))))

    return changed


def _without(name: str) -> Callable[[bytes], bytes]:
    return lambda data: _written(_read(data).drop_columns([name]))


def _as(kind: Any) -> Callable[[pa.ChunkedArray], Any]:
    return lambda column: column.cast(kind)


def _filled(value: Any, kind: Any = None) -> Callable[[pa.ChunkedArray], Any]:
    return lambda column: pa.array([value] * len(column), kind or column.type)


def _no_utf8(column: pa.ChunkedArray) -> pa.Array:
    binary = pa.array([b"\xff\xc3("] * len(column), pa.binary())
    return pa.Array.from_buffers(pa.string(), len(binary), binary.buffers())


def _footer_of(size: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:-8] + struct.pack("<I", size) + b"PAR1"


def _column_twice(data: bytes) -> bytes:
    table = _read(data)
    return _written(table.append_column(table.column_names[0], table.column(0)))


def _emptied(data: bytes) -> bytes:
    return _written(_read(data).slice(0, 0))


def _repeated(count: int) -> pa.Array:
    """A text of a megabyte, again and again."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), ["x" * 1_000_000])


def _texts_of_gigabytes(_data: bytes) -> bytes:
    numbers = np.zeros(20_000, np.int64)
    table = pa.table({"part": numbers - 1, "id": numbers, "text": _repeated(len(numbers))})
    return _written(table, store_schema=False)


def _attributes_of_gigabytes(data: bytes) -> bytes:
    """All in one row."""
    count, texts = len(_read(data)), _repeated(20_000)
    pairs = pa.StructArray.from_arrays([texts, texts], ["key", "value"])
    bounds = pa.array([0, *[len(texts)] * count], pa.int32())
    attrs = pa.ListArray.from_arrays(bounds, pairs)
    table = _read(data)
    at = table.schema.get_field_index("attrs")
    return _written(table.set_column(at, "attrs", attrs), store_schema=False)


def _names_of_gigabytes(data: bytes) -> bytes:
    """Each the beginning of the next, of which Parquet then keeps only the end."""
    table = _read(data)
    names = pa.array(["x" * 1_000_000] * len(table))
    table = table.set_column(table.schema.get_field_index("name"), "name", names)
    return _written(table, use_dictionary=False, column_encoding={"name": "DELTA_BYTE_ARRAY"})


_TABLES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "empty": ("nodes", lambda _data: b""),
    "zeros": ("nodes", lambda _data: bytes(512)),
    "cut_in_half": ("nodes", lambda data: data[: len(data) // 2]),
    "cut_by_a_byte": ("nodes", lambda data: data[:-1]),
    "magic_alone": ("edges", lambda _data: b"PAR1PAR1"),
    "footer_beyond_the_file": ("edges", _footer_of(2**31 - 1)),
    "footer_of_32_bits": ("edges", _footer_of(2**32 - 1)),
    "another_kind_of_file": ("edges", lambda _data: b"PK\x03\x04" + bytes(200)),
    "column_missing_in_nodes": ("nodes", _without("op")),
    "column_missing_in_edges": ("edges", _without("consumer")),
    "column_missing_in_profile": ("profile", _without("steps")),
    "column_missing_in_records": ("records", _without("duration")),
    "column_missing_in_strings": ("strings", _without("text")),
    "column_missing_in_frames": ("frames", _without("file_id")),
    "column_missing_in_unplaced": ("unplaced", _without("stack")),
    "part_missing": ("records", _without("part")),
    "column_twice": ("edges", _column_twice),
    "rows_missing": ("profile", _emptied),
    "rows_missing_in_nodes": ("nodes", _emptied),
    "version_of_the_future": ("profile", _column("version", _filled(99))),
    "version_missing": ("profile", _column("version", _filled(None))),
    "steps_twice": ("profile", _column("steps", _filled([0, 0]))),
    "runs_of_nobody": ("profile", _column("runs", _filled([99]))),
    "saved_beyond_64_bits": ("profile", _column("saved", _filled(_MOST))),
    "logs_beyond_64_bits": ("profile", _column("logs", _filled(_MOST))),
    "logs_below_zero": ("profile", _column("logs", _filled(-1))),
    "numbers_as_text": ("edges", _column("consumer", _as(pa.string()))),
    "numbers_as_floats": ("edges", _column("consumer", _as(pa.float64()))),
    "numbers_that_are_none": ("edges", _column("output", _filled(float("nan"), pa.float64()))),
    "numbers_missing": ("edges", _column("consumer", _filled(None))),
    "numbers_of_nobody": ("edges", _column("consumer", _filled(2**31 - 1))),
    "numbers_below_zero": ("edges", _column("consumer", _filled(-1))),
    "devices_of_nobody": ("records", _column("device", _filled(77))),
    "times_beyond_64_bits": ("records", _column("duration", _filled(_MOST))),
    "names_of_no_utf8": ("nodes", _column("name", _no_utf8)),
    "texts_of_no_utf8": ("strings", _column("text", _no_utf8)),
    "types_of_no_utf8": ("types", _column("type", _no_utf8)),
    "inputs_of_no_utf8": ("edges", _column("producer", _no_utf8)),
    "names_missing": ("nodes", _column("name", _filled(None))),
    "names_as_numbers": ("nodes", _column("name", _filled(7, pa.int64()))),
    "attributes_broken": (
        "nodes",
        _column("attrs", _filled([{"key": "shape", "value": b"\x0a\xff"}])),
    ),
    "shapes_of_gaps": ("nodes", _column("shape", _filled([None, 3]))),
    "texts_of_gigabytes": ("strings", _texts_of_gigabytes),
    "attributes_of_gigabytes": ("nodes", _attributes_of_gigabytes),
    "names_of_gigabytes": ("nodes", _names_of_gigabytes),
    "frames_too_many": ("stacks", _column("frames", lambda c: pc.add(c, 1000))),
    "frames_below_zero": ("stacks", _column("frames", _filled(-5))),
}
