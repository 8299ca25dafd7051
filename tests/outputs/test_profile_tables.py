"""A profile that is saved as tables and read back is the same."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import tfprof
from tests.outputs.samples import gpu_profile, random_profile
from tests.robustness.models import log_of
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.quirks import REPAIRED
from tfprof.flops.node_flops import node_flops
from tfprof.loaders.op_log import read_op_log
from tfprof.loaders.parquet.profile_tables import read_tables
from tfprof.outputs.profile_tables import profile_tables, save_tables
from tfprof.profiles.profile import Profile
from tfprof.resolve import resolve

CAPTURE = Path(__file__).parents[1] / "data" / "samples" / "captures" / "open_batch"


def _plain(value):
    """A value that compares by content."""
    if is_dataclass(value):
        names = (item.name for item in fields(value) if item.name != "_cache")
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return value.to_pylist()
    if isinstance(value, np.ndarray):
        # Tables have 64 bits where a column had numbers of any size.
        dtype = np.dtype(np.int64) if value.dtype == object else value.dtype
        return dtype.str, value.shape, value.tolist()
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
    entries = again.saved_flops
    assert dict(zip(entries.name.to_pylist(), entries.float_ops, strict=True)) == _counted(profile)
    assert len(entries.name) == len(_counted(profile))
    assert (entries.stack == -1).all()
    assert not len(entries.type_entry)
    assert not len(entries.type)
    assert _plain(again.replace(saved_flops=profile.saved_flops)) == _plain(profile)
    save_tables(again, folder)
    assert _plain(tfprof.Profile.from_tables(folder)) == _plain(again)


def _counted(profile):
    """By name, the counted float operations of one execution that no op log has."""
    resolved = resolve(profile, REPAIRED)
    flops = node_flops(resolved, REPAIRED)
    nodes = profile.nodes
    logged = dict(zip(nodes.name.to_pylist(), nodes.float_ops.tolist(), strict=True))
    numbers = zip(resolved.nodes.name.to_pylist(), flops.float_ops, flops.per_example, strict=True)
    return {
        name: number
        for name, number, per_example in numbers
        if not per_example and number != logged.get(name, 0)
    }


def test_code_traces_of_two_sources(tmp_path):
    """Those of a capture have lines of 64 bits, those of an op log 32."""
    captured = tfprof.load(CAPTURE)
    name = captured.nodes.name[0].as_py()
    log = log_of({name: [("other.py", "main", 7)]})
    profile = captured.with_op_log(read_op_log(log))
    assert len({stacks.line.dtype for stacks in profile.stacks}) == 2
    save_tables(profile, tmp_path)
    assert read_tables(tmp_path).stacks[-1].line.tolist() == [7]


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


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
@pytest.mark.parametrize(
    ("version", "property_"), [(2, "uncounted"), (3, "counting")], ids=["version 2", "version 3"]
)
def test_tables_of_older_versions(view, version, property_):
    """`tests/data` has tables that were written before some properties and `nanos` were known."""
    folder = Path(__file__).parents[1] / "data" / f"tables_v{version}"
    (properties,) = parquet.read_table(folder / "profile.parquet").to_pylist()
    assert properties["version"] == version
    assert property_ in properties
    assert "trace" not in properties
    assert not (folder / "nanos.parquet").exists()
    old, new = tfprof.load(folder), gpu_profile()
    options = {"select": list(METRICS), "max_depth": 100}
    assert old.report(view, options).text() == new.report(view, options).text()
    assert _plain(_without_allocators(old)) == _plain(_without_allocators(new))


def _without_allocators(profile):
    """A profile without the names of allocators, which tables have from version 4 on."""
    records = (replace(run, allocation_allocator=pa.array([])) for run in profile.records)
    return profile.replace(records=tuple(records))


@pytest.mark.parametrize("version", [1, 5])
def test_tables_of_another_version(tmp_path, version):
    save_tables(Profile(), tmp_path)
    path = tmp_path / "profile.parquet"
    table = parquet.read_table(path)
    assert table["version"].to_pylist() == [4]
    parquet.write_table(table.set_column(0, "version", [[version]]), path)
    with pytest.raises(tfprof.LoadError, match=f"version {version}, not 4; save them again"):
        read_tables(tmp_path)


def test_tables_have_the_documented_names():
    found = profile_tables(tfprof.load(profile=random_profile(4).serialize()))
    assert {"profile", "nodes", "edges", "types", "strings", "saved_time"} <= found.keys()


def test_tables_of_two_runs_of_one_graph_are_refused(tmp_path):
    """Their rows fit together, but their totals would be of neither."""
    graph = graph_of(("a", "A"), ("b", "B", "a"))
    for number in (1, 2):
        run = run_of(CPU, ("a", 1, number), ("b", 2, 7))
        tfprof.load(graph=graph, run_meta=run).save_tables(tmp_path / str(number))
    (tmp_path / "2" / "records.parquet").replace(tmp_path / "1" / "records.parquet")
    with pytest.raises(tfprof.LoadError, match=r"records\.parquet are of different profiles"):
        tfprof.Profile.from_tables(tmp_path / "1")


def test_tables_that_another_program_wrote_are_read(tmp_path):
    save_tables(random_profile(3), tmp_path)
    for path in tmp_path.iterdir():
        table = parquet.read_table(path)
        parquet.write_table(table.replace_schema_metadata(None), path)
    assert len(tfprof.Profile.from_tables(tmp_path).nodes) == len(random_profile(3).nodes)


def test_damaged_pages_are_found(tmp_path):
    save_tables(random_profile(3), tmp_path)
    path = tmp_path / "nodes.parquet"
    metadata = parquet.read_metadata(path).row_group(0).column(0)
    data = bytearray(path.read_bytes())
    data[metadata.data_page_offset + metadata.total_compressed_size // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(tfprof.LoadError, match=r"nodes\.parquet: cannot read the table"):
        tfprof.Profile.from_tables(tmp_path)
