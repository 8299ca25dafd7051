"""Columns of integers and texts as compressed blocks, each content once.

A block holds `value - least` of each number in as few bytes as all of them need, the first bytes of
all numbers before the second ones; with `delta` it holds the differences between neighbours. A
column in which all numbers are equal needs no bytes. Numbers are below 2**53, as JavaScript's are.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.schema import Array
from tfprof.profiles.string_columns import utf8_bytes

Ref: TypeAlias = int
"""The number of a block."""
_LEVEL = 6
_HIGH = 128
EXACT = 2**53
"""Numbers below it are the same in JavaScript."""


class Blocks:
    """The blocks of a page, numbered from 0."""

    def __init__(self) -> None:
        self._refs: dict[bytes, Ref] = {}
        self._data: dict[Ref, bytes] = {}
        self.specs: dict[Ref, list[int]] = {}
        """For each block how many numbers it has, the least one, bytes per number, and delta."""
        self.used: set[Ref] = set()
        """The blocks that were added, also again, since a caller cleared it."""
        self.size = 0
        """The bytes of all blocks."""

    def __len__(self) -> int:
        return len(self.specs)

    def add_integers(self, values: Array, *, delta: bool = False) -> Ref:
        """A block of integers; `delta` is for numbers that mostly ascend."""
        numbers = np.asarray(values)
        if delta and len(numbers):
            numbers = np.diff(numbers.astype(np.int64, copy=False), prepend=np.int64(0))
        low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
        least = low if low == high else min(low, 0)
        width = ((high - least).bit_length() + 7) // 8
        if numbers.dtype == np.uint8 and width == 1:
            return self._add(numbers.tobytes(), [len(numbers), least, width, int(delta)])
        offsets = numbers.astype(np.int64, copy=False) - least
        planes = offsets.view(np.uint8).reshape(-1, 8)[:, :width].T
        return self._add(planes.tobytes(), [len(numbers), least, width, int(delta)])

    def add_texts(self, texts: pa.Array) -> dict[str, Ref]:
        """Two blocks: all texts in one, and the length of each in UTF-16 units."""
        column = _valid_utf8(texts)
        data = utf8_bytes(column)
        lengths = pc.binary_length(column).fill_null(0).to_numpy().astype(np.int64)
        if len(data) and data.max() >= _HIGH:
            lengths = _utf16_lengths(data, lengths)
        return {"text": self.add_integers(data), "length": self.add_integers(lengths)}

    def add_dictionary(self, texts: pa.Array) -> dict[str, Any]:
        """The distinct texts, and the index of each row's; -1 for none."""
        encoded = texts.dictionary_encode()
        indices = encoded.indices.fill_null(-1).to_numpy()
        return {**self.add_texts(encoded.dictionary), "index": self.add_integers(indices)}

    def compressed(self, ref: Ref) -> bytes:
        """A block as a gzip stream; the same bytes for the same content."""
        return compress(self._data[ref])

    def data(self, ref: Ref) -> bytes | None:
        """A block as it is; None if it was dropped."""
        return self._data.get(ref)

    def drop(self, refs: Iterable[Ref]) -> None:
        """Forget the content of some blocks; the same content gets the same number again."""
        for ref in refs:
            self.size -= len(self._data.pop(ref))

    def _add(self, data: bytes, spec: list[int]) -> Ref:
        key = hashlib.blake2b(data, digest_size=16).digest() + repr(spec).encode()
        ref = self._refs.setdefault(key, len(self._refs))
        if ref not in self._data:
            self._data[ref], self.specs[ref] = data, spec
            self.size += len(data)
        self.used.add(ref)
        return ref


def compress(data: bytes) -> bytes:
    """A gzip stream without a time."""
    return gzip.compress(data, _LEVEL, mtime=0)


def encode_json(value: Any) -> bytes:
    """A value as compact JSON."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).encode()


def _valid_utf8(texts: pa.Array) -> pa.Array:
    """A column of texts that can be decoded; other bytes become the replacement character."""
    column = texts.cast(pa.binary())
    try:
        column.cast(pa.string()).validate(full=True)
    except pa.ArrowInvalid:
        names = [(text or b"").decode(errors="replace") for text in column.to_pylist()]
        return pa.array(names, pa.string()).cast(pa.binary())
    return column


def _utf16_lengths(data: Array, lengths: Array) -> Array:
    """Lengths in UTF-16 units: a character of four bytes has two of them, any other one."""
    units = ((data & 0xC0) != 0x80).astype(np.int64) + (data >= 0xF0)
    prefix = np.concatenate([np.zeros(1, np.int64), np.cumsum(units)])
    ends = np.cumsum(lengths)
    counted: Array = prefix[ends] - prefix[ends - lengths]
    return counted
