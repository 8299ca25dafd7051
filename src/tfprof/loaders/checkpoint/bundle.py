"""V2 checkpoints: a table of entries (`.index`) that locates each tensor in the data shards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.dtypes import STRING, Array, dtype_of
from tfprof.loaders.checkpoint.slice_key import (
    SLICE_KEY_START,
    key_prefix,
    key_suffix,
    split_key,
)
from tfprof.loaders.checkpoint.storage import masked_crc32c, parse
from tfprof.loaders.checkpoint.strings import decode_strings
from tfprof.loaders.checkpoint.table import Table
from tfprof.loaders.checkpoint.tensor import (
    TensorInfo,
    TensorSlice,
    assemble,
    check_cover,
    check_rank,
    shape_of,
    slice_of,
)
from tfprof.loaders.files import file_size, read_range
from tfprof.protos.checkpoint_pb2 import BundleEntryProto, BundleHeaderProto

_VERSION = 1
_HEADER_KEY = b""


@dataclass(frozen=True, slots=True)
class BundleEntry:
    """Where the bytes of a tensor, or of one slice of it, are; or the slices it is made of."""

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int
    slices: tuple[TensorSlice, ...]


SliceEntries = dict[bytes, dict[bytes, BundleEntry]]
"""Prefix of keys -> suffix -> slice: a name may be long, and all slices of its tensor have it."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A V2 checkpoint by its index; data is read when asked for."""

    prefix: Path
    shards: int
    entries: Mapping[bytes, BundleEntry]
    slices: SliceEntries
    tensors: dict[str, TensorInfo]

    def read(self, name: str) -> Array:
        """The values of a tensor, put together from its slices if it has any."""
        entry = self.entries[name.encode()]
        where = f"{self.prefix}: tensor {name!r}"
        check_rank(entry.shape, where)
        if not entry.slices:
            return self._values(entry, name)
        stored = self.slices.get(key_prefix(name.encode()), {})
        parts = [self._part(entry, part, stored, name) for part in entry.slices]
        check_cover(entry.slices, entry.shape, where)
        shards = [self.shard(number) for number in {part.shard for part in parts}]
        available = sum(file_size(shard, f"tensor {name!r}") for shard in shards)
        # Each part lies within its shard, but thousands may claim the same bytes.
        if sum(part.size for part in parts) > available:
            raise LoadError(f"{where}: its slices are larger than the files; copy them again")
        values = [self._values(part, name) for part in parts]
        return assemble(list(zip(entry.slices, values, strict=True)), entry.shape, where)

    def shard(self, number: int) -> Path:
        """The data file of a number."""
        suffix = f".data-{number:05d}-of-{self.shards:05d}"
        return self.prefix.with_name(self.prefix.name + suffix)

    def _part(
        self,
        entry: BundleEntry,
        part: TensorSlice,
        slices: Mapping[bytes, BundleEntry],
        name: str,
    ) -> BundleEntry:
        stored = slices.get(key_suffix(part.extents))
        if stored is None:
            raise LoadError(f"{self.prefix}: tensor {name!r}: a slice of it is not in the index")
        if (stored.dtype, stored.shape) != (entry.dtype, part.shape) or stored.slices:
            raise LoadError(f"{self.prefix}: tensor {name!r}: a slice is of another type or shape")
        return stored

    def _values(self, entry: BundleEntry, name: str) -> Array:
        dtype, count = dtype_of(entry.dtype), math.prod(entry.shape)
        path, what = self.shard(entry.shard), f"tensor {name!r}"
        if not dtype.itemsize and entry.dtype != STRING:
            raise LoadError(f"{path}: {what}: values of {dtype.name} cannot be read")
        stored = read_range(path, entry.offset, entry.size, what)
        if entry.dtype == STRING:
            strings = decode_strings(stored, count, entry.crc, f"{path}: {what}")
            return strings.reshape(entry.shape)
        if masked_crc32c(stored) != entry.crc:
            raise LoadError(f"{path}: {what} does not match its checksum; copy it again")
        return dtype.widen(np.frombuffer(stored, dtype.stored)).reshape(entry.shape)


def open_bundle(table: Table, path: Path) -> Bundle:
    """A V2 checkpoint from its index alone."""
    rows = table.items()
    key, value = next(rows, (_HEADER_KEY, b""))
    header = parse(BundleHeaderProto, value, table.path, "the header")
    if key != _HEADER_KEY or header.num_shards < 1:
        raise LoadError(f"{table.path}: has no header of a checkpoint; write it again")
    if header.endianness != BundleHeaderProto.LITTLE:
        raise LoadError(
            f"{table.path}: was written on a big-endian machine, which cannot be read; "
            "load and save it with TensorFlow on a little-endian one"
        )
    if header.version.min_consumer > _VERSION:
        raise LoadError(
            f"{table.path}: needs a reader of version {header.version.min_consumer}, this is "
            f"{_VERSION}; save it with an older TensorFlow"
        )
    shards = header.num_shards
    entries: dict[bytes, BundleEntry] = {}
    slices: SliceEntries = {}
    for key, value in rows:
        entry = _entry(key, value, shards=shards, path=table.path)
        if key.startswith(SLICE_KEY_START):
            prefix, suffix = split_key(key)
            slices.setdefault(prefix, {})[suffix] = entry
        else:
            entries[key] = entry
    tensors = {
        info.name: info
        for info in (_info(key, entry, slices, table.path) for key, entry in entries.items())
    }
    return Bundle(path, shards, entries, slices, dict(sorted(tensors.items())))


def _entry(key: bytes, value: bytes, *, shards: int, path: Path) -> BundleEntry:
    what = f"tensor {key.decode(errors='backslashreplace')!r}"
    message = parse(BundleEntryProto, value, path, what)
    shape = shape_of(message.shape, f"{path}: {what}")
    slices = tuple(slice_of(part, shape, f"{path}: {what}") for part in message.slices)
    if not 0 <= message.shard_id < shards:
        raise LoadError(
            f"{path}: {what} is in shard {message.shard_id} of {shards}; write it again"
        )
    if not slices:
        _check_size(message, math.prod(shape), f"{path}: {what}")
    location = (message.shard_id, message.offset, message.size, message.crc32c)
    return BundleEntry(message.dtype, shape, *location, slices)


def _check_size(message: BundleEntryProto, count: int, where: str) -> None:
    """Refuse a size that the shape does not lead to; a string needs one byte at least."""
    itemsize = dtype_of(message.dtype).itemsize
    if message.dtype == STRING and message.size < count:
        raise LoadError(f"{where}: has {message.size} bytes, too few for {count} strings")
    if itemsize and message.size != count * itemsize:
        raise LoadError(
            f"{where}: has {message.size} bytes where its shape needs {count * itemsize}"
        )


def _info(key: bytes, entry: BundleEntry, slices: SliceEntries, path: Path) -> TensorInfo:
    try:
        name = key.decode()
    except UnicodeDecodeError:
        raise LoadError(f"{path}: the tensor name {key!r} is not UTF-8; rename it") from None
    size = entry.size
    if entry.slices:
        stored = slices.get(key_prefix(key), {})
        parts = (stored.get(key_suffix(part.extents)) for part in entry.slices)
        size = sum(part.size for part in parts if part is not None)
    return TensorInfo(name, dtype_of(entry.dtype).name, entry.shape, size)
