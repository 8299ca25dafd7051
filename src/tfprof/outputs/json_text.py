"""JSON put together a column at a time: one text per event or row, each name escaped once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.profiles.columns import Ints

__all__ = ["Coded", "Part", "bytes_of", "escaped", "joined", "quoted", "texts"]

Part = Any
"""A piece of a text per row: a string that all rows share, a column of strings, or numbers."""

_REPLACEMENT = 0xFFFD
_DELETE = "\x7f"
_ROWS = 8192  # that are written at once: few enough for their text to stay in the cache


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of strings in which each row has one of `words`, the one at `at`."""

    words: pa.Array
    at: Ints


def texts(count: int, *parts: Part | Coded) -> Iterator[memoryview]:
    """The texts of `count` rows one after the other, some rows at a time.

    All pieces are put in one column; taking them in the order of the text is all that it takes.
    """
    columns, places = _pieces(count, parts)
    pieces = pa.concat_arrays(columns)
    for begin in range(0, count, _ROWS):
        end = min(begin + _ROWS, count)
        order = np.empty((end - begin, len(parts)), np.int32)
        for at, place in enumerate(places):
            order[:, at] = place if isinstance(place, int) else place[begin:end]
        yield bytes_of(pieces.take(pa.array(order.ravel())))


def _pieces(count: int, parts: tuple[Part | Coded, ...]) -> tuple[list[pa.Array], list[int | Ints]]:
    """Columns of pieces, and where among them stands what each part has for all rows, or each."""
    shared = [part for part in parts if isinstance(part, str)]
    columns, size = [pa.array(shared, pa.string())], len(shared)
    first: dict[int, int] = {}
    places: list[int | Ints] = []
    strings = 0
    for part in parts:
        if isinstance(part, str):
            places.append(strings)
            strings += 1
            continue
        coded = part if isinstance(part, Coded) else _coded(count, part)
        if id(coded.words) not in first:
            first[id(coded.words)] = size
            columns.append(coded.words)
            size += len(coded.words)
        places.append(first[id(coded.words)] + coded.at)
    return columns, places


def _coded(count: int, part: Part) -> Coded:
    if isinstance(part, pa.Array):
        return Coded(part, np.arange(count))
    if part.dtype != object and count and part.min() >= 0 and part.max() < count // 4:
        return Coded(_digits(np.arange(int(part.max()) + 1)), part)
    return Coded(_digits(part), np.arange(count))


def joined(count: int, *parts: Part) -> pa.Array:
    """For each of `count` rows the text of its parts one after the other."""
    if not count:
        return pa.array([], pa.string())
    columns = [part if isinstance(part, (str, pa.Array)) else _digits(part) for part in parts]
    # Arrow's own pool takes its time over the first large blocks of a process.
    return pc.binary_join_element_wise(*columns, "", memory_pool=pa.system_memory_pool())


def _digits(values: Ints) -> pa.Array:
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


def bytes_of(rows: pa.Array) -> memoryview:
    """The texts of a column, one after the other."""
    bounds = np.frombuffer(rows.buffers()[1], np.int32)[rows.offset : rows.offset + len(rows) + 1]
    data = rows.buffers()[2]
    return memoryview(b"" if data is None else data)[int(bounds[0]) : int(bounds[-1])]
