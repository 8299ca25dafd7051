"""A Parquet file to a table, if it does not unpack to far more than its size allows.

Parquet packs a text that is repeated as a number for each time, so that a few bytes may stand for
terabytes. What a file would take is known before it is unpacked.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from tfprof.definitions.limits import max_table_bytes
from tfprof.errors import LoadError
from tfprof.loaders.parquet.footer import (
    DICTIONARIES,
    TEXT,
    Chunk,
    read_footer,
)

__all__ = ["read_parquet"]

_ROWS = 4096
_NUMBER = 8  # bytes of a number, or of what says where a text is and in which list
_KNOWN = DICTIONARIES | {0, 3, 4}  # plain and runs; in others texts share their beginnings


def read_parquet(path: Path) -> pa.Table:
    """The table of a file; a LoadError if it is too large, Arrow's errors if it is none."""
    size = path.stat().st_size
    room = max_table_bytes(size)
    chunks = read_footer(path)
    if _may_fit(chunks, room) and _texts_fit(path, chunks, room):
        table = _unpacked(path, room)
        if table is not None:
            return table
    raise LoadError(f"{path}: {size} bytes that unpack to far too many; it is no table of tfprof")


def _may_fit(chunks: list[Chunk], room: int) -> bool:
    """Whether the file's own word lets one hope."""
    if not all(chunk.encodings <= _KNOWN for chunk in chunks):
        return False
    if any(chunk.values < 0 or chunk.unpacked < 0 for chunk in chunks):
        return False
    unpacked = sum(chunk.unpacked for chunk in chunks)
    most = max((chunk.values for chunk in chunks), default=0)
    return unpacked <= room and most * _NUMBER <= room


def _texts_fit(path: Path, chunks: list[Chunk], room: int) -> bool:
    """Whether the texts fit, counted while still packed if the file's word leaves doubt."""
    texts = [chunk for chunk in chunks if chunk.type == TEXT and chunk.encodings & DICTIONARIES]
    # No text is longer than all that is packed beside it.
    if sum(chunk.values * chunk.unpacked for chunk in texts) <= room:
        return True
    names = sorted({chunk.path for chunk in texts})
    with pyarrow.parquet.ParquetFile(path, read_dictionary=names) as packed:
        for batch in packed.iter_batches(_ROWS, columns=names):
            room -= sum(_text_bytes(column) for column in batch.columns)
            if room < 0:
                return False
    return True


def _text_bytes(column: pa.Array) -> int:
    """How many bytes packed texts take when they are not, at any depth of lists."""
    if pa.types.is_dictionary(column.type):
        lengths = pc.binary_length(column.dictionary)
        return int(pc.sum(lengths.cast(pa.int64()).take(column.indices)).as_py() or 0)
    if pa.types.is_list(column.type):
        return _text_bytes(column.flatten())
    if pa.types.is_struct(column.type):
        return sum(_text_bytes(part) for part in column.flatten())
    return 0


def _unpacked(path: Path, room: int) -> pa.Table | None:
    """The rows of a file, or nothing if they are too many after all."""
    batches = []
    with pyarrow.parquet.ParquetFile(path) as file:
        if file.metadata.num_rows * _NUMBER > room:
            return None
        for batch in file.iter_batches(_ROWS):
            batches.append(batch)
            room -= batch.nbytes
            if room < 0:
                return None
        return pa.Table.from_batches(batches, file.schema_arrow)
