"""JSON put together a column at a time: one text per event or row, each name escaped once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.outputs.encoding.row_encoder import (
    DictColumn,
    Piece,
    bytes_of,
    encode_rows,
)
from tfprof.profiles.schema import Array

__all__ = ["Part", "digits", "escaped", "joined", "of_rows", "quoted", "texts"]

Part = Any
"""A piece of a text per row: a string that all rows share, a column of strings, or numbers."""

_REPLACEMENT = 0xFFFD
_DELETE = "\x7f"


def texts(count: int, *parts: Part | DictColumn) -> Iterator[memoryview]:
    """The texts of `count` rows one after the other, some rows at a time."""
    return encode_rows(count, [_piece(count, part) for part in parts])


def of_rows(parts: Sequence[Part], rows: Array) -> list[Part]:
    """The parts of some of the rows; they are strings and coded columns."""
    return [part if isinstance(part, str) else part.of(rows) for part in parts]


def _piece(count: int, part: Part | DictColumn) -> Piece:
    if isinstance(part, DictColumn):
        return part
    if isinstance(part, str):
        return part.encode()
    if isinstance(part, pa.Array):
        return DictColumn(part)
    if part.dtype != object and count and part.min() >= 0 and part.max() < count // 4:
        return DictColumn(digits(np.arange(int(part.max()) + 1)), part)
    return DictColumn(digits(part))


def joined(count: int, *parts: Part) -> pa.Array:
    """For each of `count` rows the text of its parts one after the other."""
    if not count:
        return pa.array([], pa.string())
    columns = [part if isinstance(part, (str, pa.Array)) else digits(part) for part in parts]
    # Arrow's own pool takes its time over the first large blocks of a process.
    return pc.binary_join_element_wise(*columns, "", memory_pool=pa.system_memory_pool())


def digits(values: Array) -> pa.Array:
    """Whole numbers as text."""
    if values.dtype == object:
        return pa.array(map(str, values.tolist()), pa.string())
    return pa.array(values).cast(pa.string())


def quoted(text: str) -> str:
    """A string as JSON writes it, in ASCII."""
    # The original leaves the one control character alone that Python escapes.
    return encode_basestring_ascii(text).replace(r"\u007f", _DELETE)


def escaped(names: pa.Array) -> pa.Array:
    """What stands between the quotes of each name in JSON, each distinct one escaped once.

    A name may have been cut inside a character; it is read as the original reads it then.
    """
    if _plain(bytes_of(names)):
        return names
    coded = names.cast(pa.binary()).dictionary_encode()
    words = [quoted(_text(name))[1:-1] for name in coded.dictionary.to_pylist()]
    return pa.array(words, pa.string()).take(coded.indices)


def _plain(data: memoryview) -> bool:
    """Whether JSON takes all of this as it is."""
    codes = np.frombuffer(data, np.uint8)
    if not len(codes):
        return True
    return not (
        codes.min() < ord(" ")
        or codes.max() > ord(_DELETE)
        or (codes == ord('"')).any()
        or (codes == ord("\\")).any()
    )


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _loosely_decoded(data)


def _loosely_decoded(data: bytes) -> str:
    """Text from bytes of which some are no UTF-8: what follows a first byte is not looked at."""
    found: list[int] = []
    at = 0
    while at < len(data):
        first = data[at]
        length = 1 if first < 0x80 or first >= 0xF8 else 2 + (first >= 0xE0) + (first >= 0xF0)
        at += 1
        if length == 1 or at + length - 1 > len(data):
            found.append(first if first < 0x80 else _REPLACEMENT)
            continue
        point = first & (0xFF >> (length + 1))
        for byte in data[at : at + length - 1]:
            point = point << 6 | byte & 0x3F
        at += length - 1
        least = (0x80, 0x800, 0x10000)[length - 2]
        valid = least <= point <= 0x10FFFF and not 0xD800 <= point < 0xE000
        found.append(point if valid else _REPLACEMENT)
    return "".join(map(chr, found))
