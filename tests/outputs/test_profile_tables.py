"""A profile that is saved as tables and read back is the same."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import tfprof
from tests.outputs.samples import random_profile
from tfprof.loaders.parquet.profile_tables import read_tables
from tfprof.outputs.profile_tables import profile_tables, save_tables
from tfprof.profiles.profile import Profile


def _plain(value):
    """A value that compares by content."""
    if is_dataclass(value):
        names = (item.name for item in fields(value) if item.name != "_cache")
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return value.to_pylist()
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, dict) else value


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), saved=st.booleans())
def test_round_trip(seed, saved, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    profile = random_profile(seed)
    if saved:
        profile = tfprof.load(profile=profile.serialize())
    save_tables(profile, folder)
    again = tfprof.Profile.from_tables(folder)
    assert again.serialize() == profile.serialize()
    # The tables have what was counted.
    assert _plain(again.replace(saved_flops=profile.saved_flops)) == _plain(profile)


def test_empty(tmp_path):
    save_tables(Profile(), tmp_path / "new")
    assert _plain(read_tables(tmp_path / "new")) == _plain(Profile())


def test_all_or_nothing(tmp_path, monkeypatch):
    """A table that cannot be written leaves none behind, and old ones as they were."""
    from pyarrow.parquet import write_table

    def fail(table, stream, **options):
        if "consumer" in table.column_names:
            raise OSError(28, "No space left on device")
        write_table(table, stream, **options)

    monkeypatch.setattr("pyarrow.parquet.write_table", fail)
    with pytest.raises(tfprof.OutputError, match="No space left"):
        save_tables(random_profile(1), tmp_path)
    assert not list(tmp_path.iterdir())


def test_wrong_folders(tmp_path):
    with pytest.raises(tfprof.OutputError, match="cannot make the folder"):
        save_tables(Profile(), tmp_path / "missing" / "folder")
    with pytest.raises(tfprof.LoadError, match="no such file"):
        read_tables(tmp_path)
    save_tables(Profile(), tmp_path)
    (tmp_path / "nodes.parquet").write_bytes(b"nonsense")
    with pytest.raises(tfprof.LoadError, match=r"nodes\.parquet"):
        read_tables(tmp_path)


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [
        ("profile", "devices", pa.list_(pa.binary())),
        ("profile", "counting", pa.binary()),
        ("profile", "has_trace", pa.int64()),
        ("profile", "steps", pa.list_(pa.string())),
        ("strings", "text", pa.binary()),
    ],
)
def test_columns_of_another_type(tmp_path, table, column, kind):
    save_tables(random_profile(3), tmp_path)
    path = tmp_path / f"{table}.parquet"
    found = parquet.read_table(path)
    at = found.column_names.index(column)
    parquet.write_table(found.set_column(at, column, found.column(column).cast(kind)), path)
    with pytest.raises(tfprof.TfprofError, match=f"{table}.parquet: .* not of the right type"):
        read_tables(tmp_path)


@pytest.mark.parametrize("column", ["id", "text"])
def test_strings_have_no_gaps(tmp_path, column):
    save_tables(random_profile(3), tmp_path)
    path = tmp_path / "strings.parquet"
    rows = [*parquet.read_table(path).to_pylist(), {"part": -1, "id": 7, "text": "x", column: None}]
    rows.sort(key=lambda row: row["part"])
    parquet.write_table(pa.Table.from_pylist(rows, parquet.read_schema(path)), path)
    with pytest.raises(tfprof.TfprofError, match=r"strings\.parquet: .* not of the right type"):
        read_tables(tmp_path)


def test_methods(tmp_path):
    profile = random_profile(2)
    profile.save_tables(tmp_path)
    assert _plain(tfprof.Profile.from_tables(tmp_path)) == _plain(profile)


def test_tables_have_the_documented_names():
    found = profile_tables(tfprof.load(profile=random_profile(4).serialize()))
    assert {"profile", "nodes", "edges", "types", "strings", "saved_time"} <= found.keys()
