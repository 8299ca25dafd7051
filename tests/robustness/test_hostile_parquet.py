"""Parquet files that Arrow would unpack to far more than they state, or read in another way."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests.robustness.budget import run_measured
from tests.robustness.models import loaded
from tfprof.loaders.parquet.file import read_parquet
from tfprof.loaders.parquet.footer import ColumnChunk, read_footer
from tfprof.loaders.parquet.pages import pages_fit
from tfprof.loaders.parquet.thrift import ThriftReader
from tfprof.protos.varint import encode_varint


def _varint(number, size=0):
    """An integer of Thrift, in at least `size` bytes."""
    number = number * 2 if number >= 0 else -2 * number - 1
    digits = [number >> 7 * i & 127 for i in range(max(size, -(-number.bit_length() // 7), 1))]
    return bytes(digit | 128 for digit in digits[:-1]) + bytes(digits[-1:])


def _state_less(path, *changes):
    """Change integers of the footer of a table; what is in its pages stays."""
    data = path.read_bytes()
    end = len(data) - 8
    start = end - int.from_bytes(data[end:][:4], "little")
    footer = data[start:end]
    for old, new in changes:
        assert _varint(old) in footer
        footer = footer.replace(_varint(old), _varint(new, len(_varint(old))))
    path.write_bytes(data[:start] + footer + data[end:])


_INTEGERS = {4, 5, 6}
_TYPES = {int: 5, bytes: 8, list: 9, dict: 12}
"""Type of a value -> type in Thrift."""


def _struct(fields):
    """A struct of Thrift from values by number, or by number and type in Thrift."""
    data, last = b"", 0
    for key, value in fields.items():
        number, kind = key if isinstance(key, tuple) else (key, _TYPES[type(value)])
        step = number - last
        data += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + _varint(number)
        data += _value(kind, value)
        last = number
    return data + b"\0"


def _value(kind, value):
    if kind in _INTEGERS:
        return _varint(value)
    if kind == 8:
        return encode_varint(len(value)) + value
    if kind == 9:
        inside = _TYPES[type(value[0])] if value else 12
        return bytes([len(value) << 4 | inside]) + b"".join(_value(inside, item) for item in value)
    return _struct(value) if kind == 12 else b""  # a boolean is its type


def _split_footer(path):
    """What comes before the footer of a table, and the footer."""
    data = path.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:end], ThriftReader(data, end).read_struct()


def _write_table(path, content, footer):
    data = _struct(footer)
    path.write_bytes(content + data + len(data).to_bytes(4, "little") + b"PAR1")


def _first_chunk(footer):
    """The fields of the first column chunk, without statistics."""
    chunk = footer[4, 9][0][1, 9][0][3, 12]
    chunk.pop((16, 12), None)
    return chunk


def _assert_refused(folder, reason="that unpack to far too many"):
    done = run_measured(folder, "graph").check()
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert reason in done.err


def _write_zeros(path, version="1.0"):
    """Write 50 million zeros in one page."""
    rows = 50_000_000
    pyarrow.parquet.write_table(
        pa.table({"consumer": np.zeros(rows, np.int64)}),
        path,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
        data_page_version=version,
        data_page_size=1 << 30,
        write_batch_size=rows,
        row_group_size=rows,
        max_rows_per_page=rows,
    )
    size = pyarrow.parquet.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    return rows, size


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_with_more_than_the_footer_states(version, tmp_path):
    """12 KB took 400 MB, though the table of 1,000 rows opened."""
    loaded(("a", "A")).save_tables(tmp_path)
    rows, size = _write_zeros(tmp_path / "edges.parquet", version)
    _state_less(tmp_path / "edges.parquet", (rows, 1000), (size, 9000))
    _assert_refused(tmp_path)


@pytest.mark.parametrize("second", ["of another type", "of 17 bits"])
def test_pages_with_two_sizes(second, tmp_path):
    """Arrow skips the size that is not an int32, and takes field 65,538 for field 2."""
    loaded(("a", "A")).save_tables(tmp_path)
    path = tmp_path / "edges.parquet"
    _write_zeros(path)
    content, footer = _split_footer(path)
    reader = ThriftReader(content, 4)
    page = reader.read_struct()
    sizes = {
        "of another type": {(2, 5): page[2, 5], (2, 6): 8000},
        "of 17 bits": {(2, 5): 8000, (2**16 + 2, 5): page[2, 5]},
    }
    header = (
        {(1, 5): 0} | sizes[second] | {(3, 5): page[3, 5], (5, 12): page[5, 12] | {(1, 5): 1000}}
    )
    data = _struct(header)
    content = content[:4] + data + content[reader.offset :]
    footer[3, 6] = footer[4, 9][0][3, 6] = 1000
    _first_chunk(footer).update({(5, 6): 1000, (6, 6): 9000, (7, 6): len(content) - 4})
    _write_table(path, content, footer)
    assert pyarrow.parquet.read_table(path).num_rows == 1000
    _assert_refused(tmp_path, "a page is malformed")


@pytest.mark.parametrize(
    "fields",
    [
        b"\x15\x02\x05\x02\x02",  # 1 twice
        b"\x25\x02\x05\x02\x02",  # 2 before 1
        b"\x05\x00\x02",  # 0
        b"\x05\x01\x02",  # -1
        b"\x05" + _varint(2**15) + b"\x02",
        b"\x15" + _varint(2**31),
        b"\x14" + _varint(2**15),
        b"\x19\x15\x02",  # a list of int32
    ],
)
def test_fields_that_arrow_reads_otherwise(fields):
    with pytest.raises(ValueError, match=r"in no order|has more than|of another type"):
        ThriftReader(fields + b"\0", element_types={(1,): 8}).read_struct()


def test_offset_of_another_type(tmp_path):
    """Arrow has no dictionary where its offset is no int64, and starts at another page."""
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(pa.table({"a": ["x"] * 9}), path)
    content, footer = _split_footer(path)
    chunk = _first_chunk(footer)
    chunk[10, 6] = 0  # of an index, which nobody reads
    chunk[11, 5] = chunk.pop((11, 6))
    chunk.pop((12, 12), None)
    chunk.pop((13, 9), None)
    _write_table(path, content, footer)
    assert read_footer(path)[0].start == chunk[9, 6]


@pytest.mark.parametrize(("number", "kind"), [(2, 8), (3, 5)])
def test_lists_of_another_type(number, kind, tmp_path):
    """Arrow takes the elements for what it expects: what follows is something else to it."""
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(pa.table({"a": ["x"] * 9}), path)
    content, footer = _split_footer(path)
    _first_chunk(footer)[number, 9] = [b""] if kind == 8 else [0]
    _write_table(path, content, footer)
    with pytest.raises(ValueError, match="its footer is malformed"):
        read_footer(path)


_LONG = "a" * 1_000_000


def _repeat(value, kind=None):
    """400 equal values, of which a file has one."""
    return pa.DictionaryArray.from_arrays(np.zeros(400, np.int32), pa.array([value], kind))


def _write_strings(path):
    """Write 400 MB of strings in 300 bytes."""
    pyarrow.parquet.write_table(
        pa.table({"producer": _repeat(_LONG)}), path, compression="zstd", store_schema=False
    )


@pytest.mark.parametrize(
    "change",
    [
        {(1, 5): 2},  # the type
        {(3, 9): [b"other"]},  # the path
    ],
)
def test_columns_that_are_not_those_of_the_schema(change, tmp_path):
    """Arrow reads strings, which 300 bytes may have for gigabytes, though the chunk has none."""
    loaded(("a", "A")).save_tables(tmp_path)
    path = tmp_path / "edges.parquet"
    _write_strings(path)
    content, footer = _split_footer(path)
    _first_chunk(footer).update(change)
    _write_table(path, content, footer)
    _assert_refused(tmp_path, "its footer is malformed")


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "dictionary"])
def test_encodings_that_the_footer_lacks(encoding, tmp_path):
    """Arrow uses the encoding that a page states, in which 300 bytes have gigabytes."""
    loaded(("a", "A")).save_tables(tmp_path)
    path = tmp_path / "edges.parquet"
    if encoding == "dictionary":
        _write_strings(path)
    else:
        pyarrow.parquet.write_table(
            pa.table({"producer": [_LONG] * 400}),
            path,
            compression="zstd",
            store_schema=False,
            use_dictionary=False,
            column_encoding=encoding,
        )
    content, footer = _split_footer(path)
    _first_chunk(footer)[2, 9] = [0]
    _first_chunk(footer).pop((13, 9), None)
    _write_table(path, content, footer)
    _assert_refused(tmp_path)


def test_pages_behind_the_column(tmp_path):
    """Arrow reads 100 bytes more of files of an old writer, if the column lacks values."""
    loaded(("a", "A")).save_tables(tmp_path)
    path = tmp_path / "edges.parquet"
    table = pa.table({"consumer": np.zeros(1, np.int64)})
    pyarrow.parquet.write_table(table, path, compression="brotli", use_dictionary=False)
    content, footer = _split_footer(path)
    footer[6, 8] = b"parquet-mr version 1.2.8"
    _first_chunk(footer)[5, 6] = 1000
    _write_table(path, content + bytes(100), footer)
    _assert_refused(tmp_path)


def _two_of_one_name():
    return pa.table([pa.array([_LONG] * 400)] * 2, ["producer"] * 2)


def _map():
    lengths = np.arange(401, dtype=np.int32)
    return pa.table({"producer": pa.MapArray.from_arrays(lengths, _repeat("key"), _repeat(_LONG))})


def _large_lists():
    values = pa.array([[_LONG]] * 400, pa.large_list(pa.string()))
    return pa.table({"producer": values})


def _lists_of_one_length():
    return pa.table({"producer": pa.array([[_LONG]] * 400, pa.list_(pa.string(), 1))})


def _json():
    values = pa.array([_LONG] * 400)
    return pa.table({"producer": pa.ExtensionArray.from_storage(pa.json_(), values)})


@pytest.mark.parametrize(
    "table", [_two_of_one_name, _map, _large_lists, _lists_of_one_length, _json]
)
def test_strings_that_arrow_decodes(table, tmp_path):
    """Of these strings Arrow keeps no dictionary, or in types whose strings were not counted."""
    loaded(("a", "A")).save_tables(tmp_path)
    pyarrow.parquet.write_table(table(), tmp_path / "edges.parquet", compression="zstd")
    assert (tmp_path / "edges.parquet").stat().st_size < 2000
    _assert_refused(tmp_path)


def test_other_types_beside_long_strings(tmp_path):
    """The strings are counted, and few enough."""
    path = tmp_path / "table.parquet"
    names = ["a" * 1000, *map(str, range(100_000))]
    size = len(names)
    table = pa.table(
        {
            "texts": pa.array(names).dictionary_encode(),
            "lists": pa.array([[{"a": "a"}]] * size),
            "nothing": pa.nulls(size),
            "decimals": pa.array([Decimal(1)] * size),
            "bytes": pa.array([b"ab"] * size, pa.binary(2)),
            "flags": pa.array([True] * size),
            "days": pa.array([0] * size, pa.date32()),
        }
    )
    pyarrow.parquet.write_table(table, path, compression="zstd")
    assert read_parquet(path).equals(table)


def test_rows_without_columns(tmp_path):
    """Arrow reads them in batches, which took all memory."""
    loaded(("a", "A")).save_tables(tmp_path)
    schema = [{4: b"schema", 5: 0}]
    group = {1: [], (2, 6): 0, (3, 6): 1 << 45}
    _write_table(tmp_path / "edges.parquet", b"PAR1", {1: 2, 2: schema, (3, 6): 0, 4: [group]})
    _assert_refused(tmp_path, "its footer is malformed")


def test_bytes_of_one_length(tmp_path):
    loaded(("a", "A")).save_tables(tmp_path)
    values = pa.array([_LONG.encode()] * 400, pa.binary(len(_LONG)))
    pyarrow.parquet.write_table(
        pa.table({"producer": values}), tmp_path / "edges.parquet", compression="zstd"
    )
    _assert_refused(tmp_path)


def _group(children, name=b"a"):
    return {4: name, 5: children}


@pytest.mark.parametrize(
    "schema",
    [
        [],
        [_group(0)],
        [_group(1), _group(0)],
        [_group(1), _group(-1)],
        [_group(2), {1: 2, 4: b"a"}],
        [_group(1), {1: 2, 4: b"a"}, {1: 2, 4: b"a"}],
        [_group(1), {1: 7, 4: b"a"}],
        [_group(1), {1: 7, 2: -1, 4: b"a"}],
    ],
)
def test_malformed_schemas(schema, tmp_path):
    path = tmp_path / "table.parquet"
    _write_table(path, b"PAR1", {2: [_group(1), {1: 2, 4: b"a"}], 4: []})
    assert read_footer(path) == []
    _write_table(path, b"PAR1", {2: schema, 4: []})
    with pytest.raises(ValueError, match="its footer is malformed"):
        read_footer(path)


@pytest.mark.parametrize(
    ("page", "fits"),
    [
        ({1: 2, 2: 12, 3: 0, 7: {1: 3}}, True),
        ({1: 2, 2: 11, 3: 0, 7: {1: 3}}, False),  # a value takes at least 4 bytes
        ({1: 2, 2: 12, 3: 0, 7: {1: -1}}, False),
        ({1: 0, 2: 96, 3: 0, 5: {1: 0, 2: 8}}, True),
        ({1: 0, 2: 97, 3: 0, 5: {1: 0, 2: 8}}, False),
        ({1: 0, 2: 12, 3: 0, 5: {1: 0, 2: 7}}, False),  # an encoding that the footer lacks
        ({1: 0, 2: 12, 3: 0, 5: {1: 1, 2: 8}}, False),
        ({1: 3, 2: 96, 3: 0, 8: {1: 0, 4: 8}}, True),
        ({1: 3, 2: 12, 3: 0, 8: {1: 0, 4: 7}}, False),
        ({1: 3, 2: 12, 3: 0, 8: {1: 1, 4: 8}}, False),
        ({1: 3, 2: 12, 3: 0, 8: {1: -1, 4: 8}}, False),
        ({1: 3, 2: 12, 3: 0, 5: {1: 0, 2: 8}, 8: {1: 1, 4: 8}}, False),
        ({1: 1, 2: 12, 3: 0}, True),  # of an index
        ({1: 0, 2: -1, 3: 0, 5: {1: 0, 2: 8}}, False),
        ({1: 0, 2: 12, 3: -1, 5: {1: 0, 2: 8}}, False),
        ({1: 0, 2: 12, 3: 1, 5: {1: 0, 2: 8}}, False),  # its content ends behind the column
    ],
)
def test_sizes_that_pages_state(page, fits, tmp_path):
    """The column has 4 values in 100 bytes, all of them in 4 bytes of another page."""
    path = tmp_path / "table.parquet"
    data = _struct(page)
    all_values = _struct({1: 0, 2: 4, 3: 0, 5: {1: 4, 2: 0}})
    path.write_bytes(all_values + data)
    chunk = ColumnChunk("a", 1, frozenset({0, 8}), 4, 100, start=0, size=len(all_values + data))
    assert pages_fit(path, [chunk]) == fits
    assert pages_fit(path, [chunk._replace(num_values=0)])
    assert not pages_fit(path, [chunk._replace(num_values=0)] * 2)
    assert not pages_fit(path, [chunk._replace(num_values=0, size=-1)])
    assert not pages_fit(path, [chunk._replace(num_values=6)])  # it lacks values


@pytest.mark.parametrize(
    "page",
    [
        {1: 0, 2: 12, 5: {1: 1, 2: 0}},
        {1: 0, 2: 12, 3: 0, 5: 1},
        {1: 0, 2: 12, 3: 0, 5: {2: 0}},
        {1: 0, 2: 12, 3: 0, 5: {1: b"1", 2: 0}},
        {1: 0, 2: 12, 3: 0, 5: [0, 1]},
        {2: 12, 3: 0, 7: 3},
        {1: 2, 2: 12, 3: 0, 7: 3},
        {1: 2, 2: 12, 3: 0, 5: {1: 1, 2: 0}},
        {1: 0, 2: 12, 3: 0, 7: {1: 1}},
        {1: 0, 2: 12, 3: 0, 5: {1: 1}},
        {1: 0, 2: 12, 3: 0, 5: {1: 1, (2, 6): 0}},
        {1: 3, 2: 12, 3: 0, 8: {1: 1, 2: 0}},
        {1: 2, 2: 12, 3: 0, 7: {}},
        {1: 0, 2: b"12", 3: 0, 5: {1: 1, 2: 0}},
        {1: 0, 2: 12, 3: b"0", 5: {1: 1, 2: 0}},
        {1: 0, (2, 6): 12, 3: 0, 5: {1: 1, 2: 0}},
        {1: 0, (2, 1): True, 3: 0, 5: {1: 1, 2: 0}},
    ],
)
def test_malformed_pages(page, tmp_path):
    path = tmp_path / "table.parquet"
    data = _struct(page)
    for content in (data, data[:-1]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="a page is malformed"):
            pages_fit(path, [ColumnChunk("a", 1, frozenset(), 4, 100, 0, len(content))])
