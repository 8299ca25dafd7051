"""Tables: what an independent writer puts in, compressed or not, comes out; lies are refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.block import KeyBudget
from tfprof.loaders.checkpoint.slice_key import key_prefix, key_suffix, split_key
from tfprof.loaders.checkpoint.table import open_table

from .table_writer import MAGIC, block, sealed, varint, write_table
from .test_values import assert_as_tensorflow_reads


@pytest.mark.parametrize("snappy", [False, True])
@given(
    rows=st.dictionaries(st.binary(max_size=6), st.binary(max_size=300)),
    per_block=st.integers(1, 5),
    interval=st.integers(1, 4),
    absent=st.binary(max_size=6),
)
def test_rows_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    rows: dict[bytes, bytes],
    snappy: bool,
    per_block: int,
    interval: int,
    absent: bytes,
) -> None:
    path = tmp_path_factory.getbasetemp() / "rows"
    ordered = sorted(rows.items())
    path.write_bytes(write_table(ordered, snappy=snappy, per_block=per_block, interval=interval))
    table = open_table(path)
    assert list(table.items()) == ordered
    assert [table.get(key) for key in rows] == list(rows.values())
    assert table.get(absent) == rows.get(absent)


@pytest.mark.parametrize("snappy", [False, True])
def test_index_rewritten(tf: ModuleType, all_types: Path, tmp_path: Path, snappy: bool) -> None:
    """TensorFlow, too, accepts what the writer makes of a real index; both then agree."""
    rows = list(open_table(all_types.with_name("model.ckpt.index")).items())
    (tmp_path / "x.index").write_bytes(write_table(rows, snappy=snappy))
    data = ".data-00000-of-00001"
    shutil.copy(f"{all_types}{data}", tmp_path / f"x{data}")
    assert_as_tensorflow_reads(tf, tmp_path / "x")


def one_block(path: Path, contents: bytes, kind: int = 0) -> Path:
    """A table with a single block, whatever is in it."""
    first = sealed(contents, kind)
    index = block([(b"\xff", varint(0) + varint(len(contents)))], 1)
    place = varint(len(first)) + varint(len(index))
    footer = (place + place).ljust(40, b"\0") + MAGIC.to_bytes(8, "little")
    path.write_bytes(first + sealed(index, 0) + footer)
    return path


@pytest.mark.parametrize(
    ("contents", "kind", "message"),
    [
        (b"", 0, "a block of the table is broken"),
        (b"\xff\xff\xff\xff", 0, "a block of the table is broken"),
        (varint(1) + b"\1\1aa" + bytes(4), 0, "a block of the table is broken"),
        (varint(0) + b"\1\x7faa" + bytes(4), 0, "a block of the table is broken"),
        (b"\x80" * 12 + bytes(4), 0, "a block of the table is broken"),
        (block([(b"b", b""), (b"a", b"")], 1), 0, "key b'a' is out of order"),
        (varint(1 << 40) + b"\0a", 1, "the block at 0 is broken snappy"),
        (varint(60) + b"\xff" * 8, 1, "the block at 0 is broken snappy"),
        (b"", 1, "the block at 0 is broken snappy"),
        (block([], 1), 7, "the block at 0 has the unknown compression 7"),
    ],
)
def test_broken_block(tmp_path: Path, contents: bytes, kind: int, message: str) -> None:
    path = one_block(tmp_path / "t", contents, kind)
    with pytest.raises(LoadError) as caught:
        list(open_table(path).items())
    assert str(caught.value).startswith(f"{path}: {message}")


def test_keys_that_grow_without_end(tmp_path: Path) -> None:
    rows = b"".join(varint(place) + b"\1\0a" for place in range(20_000))
    with pytest.raises(LoadError, match="keys of the table are too long for its size"):
        list(open_table(one_block(tmp_path / "t", rows + bytes(4))).items())


def test_bytes_of_all_keys(tmp_path: Path) -> None:
    budget = KeyBudget(tmp_path / "t", 100)
    for size in (4 * 2**20, 16 * 100):
        budget.take(size)
    with pytest.raises(LoadError, match="too long for its size"):
        budget.take(1)


@pytest.mark.parametrize(
    ("name", "extents", "key"),
    [
        (b"a", [], b"\0a\0\1\0"),
        (b"a\0\xff", [(0, -1)], b"\0a\0\xff\xff\0\0\1\1\1\x80\x7f"),
        (b"", [(63, 64)], b"\0\0\1\1\1\xbf\xc0\x40"),
        (b"", [(8191, 8192)], b"\0\0\1\1\1\xdf\xff\xe0\x20\0"),
        (b"", [(2**62 - 1, 2**63 - 1)],
         b"\0\0\1\1\1\xff\xbf" + b"\xff" * 7 + b"\xff\xc0" + b"\x7f" + b"\xff" * 7),
    ],
)  # fmt: skip
def test_slice_key(name: bytes, extents: list[tuple[int, int]], key: bytes) -> None:
    prefix, suffix = key_prefix(name), key_suffix(extents)
    assert prefix + suffix == key
    assert b"\xff" in name or split_key(key) == (prefix, suffix)
