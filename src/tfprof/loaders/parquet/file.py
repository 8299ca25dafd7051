"""A Parquet file to a table, if it does not unpack to far more than its size allows.

Parquet stores a repeated string once, and an index for each value, so that a few bytes can unpack
to terabytes. Before anything is unpacked, the footer gives the size, and the header of every page
is checked against it. Strings that may be too many are counted while they are encoded.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from tfprof.definitions.limits import max_table_bytes
from tfprof.errors import LoadError
from tfprof.loaders.files import file_size, open_file
from tfprof.loaders.parquet.footer import BYTE_ARRAY, DICTIONARY_ENCODINGS, ColumnChunk, read_footer
from tfprof.loaders.parquet.pages import pages_fit

_BATCH_ROWS = 4096
_VALUE_SIZE = 8  # bytes of a number, or of the offsets of a string and its list
_WITHOUT_STRINGS = (
    pa.types.is_primitive,
    pa.types.is_decimal,
    pa.types.is_fixed_size_binary,
    pa.types.is_null,
    pa.types.is_dictionary,
)
"""Types whose values are not decoded strings; `_sizes_fit` bounds them."""
_PLAIN_ENCODINGS = {0, 3, 4}  # plain and run lengths; in others strings share prefixes


def read_parquet(path: Path, max_rows: float = math.inf) -> pa.Table:
    """The table of a file; a LoadError if it is too large, Arrow's errors if it is none."""
    size = file_size(path, "the table")
    limit = max_table_bytes(size)
    chunks = read_footer(path)
    fits = _sizes_fit(chunks, limit) and _count_values(chunks) <= max_rows
    if fits and pages_fit(path, chunks) and _strings_fit(path, chunks, limit):
        table = _read_batches(path, limit)
        if table is not None:
            return table
    raise LoadError(f"{path}: {size} bytes that unpack to far too many; not a table of tfprof")


def _sizes_fit(chunks: list[ColumnChunk], limit: int) -> bool:
    """Whether the sizes that the footer states are within the limit."""
    known = DICTIONARY_ENCODINGS | _PLAIN_ENCODINGS
    if not all(chunk.encodings <= known for chunk in chunks):
        return False
    if any(chunk.num_values < 0 or chunk.uncompressed_size < 0 for chunk in chunks):
        return False
    # A null takes no space in a page, but as much as other bytes of one length in memory.
    uncompressed = sum(
        max(chunk.uncompressed_size, chunk.num_values * chunk.width) for chunk in chunks
    )
    most_values = max((chunk.num_values for chunk in chunks), default=0)
    return uncompressed <= limit and most_values * _VALUE_SIZE <= limit


def _count_values(chunks: list[ColumnChunk]) -> int:
    """How many values the longest column has, which are its rows or the items of its lists."""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts[chunk.path] += chunk.num_values
    return max(counts.values(), default=0)


def _strings_fit(path: Path, chunks: list[ColumnChunk], limit: int) -> bool:
    """Whether the strings fit when decoded, counted while encoded if the footer leaves doubt."""
    strings = [
        chunk
        for chunk in chunks
        if chunk.type == BYTE_ARRAY and chunk.encodings & DICTIONARY_ENCODINGS
    ]
    # No string is longer than its chunk.
    if sum(chunk.num_values * chunk.uncompressed_size for chunk in strings) <= limit:
        return True
    names = sorted({chunk.path for chunk in strings})
    with open_file(path, "the table") as stream:
        file = pyarrow.parquet.ParquetFile(stream, read_dictionary=names)
        if not _can_count(file):
            return False
        for batch in file.iter_batches(_BATCH_ROWS, columns=names):
            limit -= sum(_decoded_size(column) for column in batch.columns)
            if limit < 0:
                return False
    return True


def _can_count(file: pyarrow.parquet.ParquetFile) -> bool:
    """Whether all strings stay encoded: of columns with one name Arrow decodes all but one."""
    paths = [file.schema.column(i).path for i in range(len(file.schema))]
    return len(set(paths)) == len(paths) and all(map(_stays_encoded, file.schema_arrow.types))


def _stays_encoded(kind: pa.DataType) -> bool:
    """Whether a column has no strings but encoded ones, in types that `_decoded_size` knows."""
    if pa.types.is_list(kind) or pa.types.is_struct(kind):
        return all(_stays_encoded(kind.field(i).type) for i in range(kind.num_fields))
    return any(is_kind(kind) for is_kind in _WITHOUT_STRINGS)


def _decoded_size(column: pa.Array) -> int:
    """How many bytes dictionary-encoded strings take when decoded, at any depth of lists."""
    if pa.types.is_dictionary(column.type):
        lengths = pc.binary_length(column.dictionary)
        return int(pc.sum(lengths.cast(pa.int64()).take(column.indices)).as_py() or 0)
    if pa.types.is_list(column.type):
        return _decoded_size(column.flatten())
    if pa.types.is_struct(column.type):
        return sum(_decoded_size(child) for child in column.flatten())
    return 0


def _read_batches(path: Path, limit: int) -> pa.Table | None:
    """The rows of a file, or nothing if they are too many after all."""
    batches = []
    with open_file(path, "the table") as stream:
        file = pyarrow.parquet.ParquetFile(stream, page_checksum_verification=True)
        if file.metadata.num_rows * _VALUE_SIZE > limit:
            return None
        for batch in file.iter_batches(_BATCH_ROWS):
            batches.append(batch)
            limit -= batch.nbytes
            if limit < 0:
                return None
        return pa.Table.from_batches(batches, file.schema_arrow)
