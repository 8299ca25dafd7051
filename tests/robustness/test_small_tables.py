"""Small tables of a profile that once took gigabytes or failed: each keeps 2 s and 300 MB."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import tfprof
from tests.robustness.budget import run_measured
from tests.robustness.models import CPU, loaded, log_of, run_of
from tfprof.loaders.parquet.profile_tables import read_tables
from tfprof.protos.run_metadata_pb2 import RunMetadata

_ROWS = 2_000_000


def _write(folder, name, table):
    pyarrow.parquet.write_table(table, folder / f"{name}.parquet", compression="zstd")


def _zeros(*names):
    return {name: np.zeros(_ROWS, np.int64) for name in names}


def _texts():
    return pa.array(["a"]).take(pa.array(np.zeros(_ROWS, np.int32)))


@pytest.mark.parametrize("names", [["edges"], ["strings", "unplaced", "inner"]], ids=["one", "all"])
def test_many_equal_rows(names, tmp_path):
    loaded(("a", "A")).save_tables(tmp_path)
    tables = {
        "edges": {**_zeros("consumer", "index", "output"), "producer": _texts()},
        "strings": {**_zeros("part", "id"), "text": _texts()},
        "unplaced": {**_zeros("float_ops", "stack"), "name": _texts()},
        "inner": {**_zeros("float_ops", "stack"), "name": _texts()},
    }
    for name in names:
        _write(tmp_path, name, pa.table(tables[name]))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 200_000
    done = run_measured(tmp_path, "graph").check()
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "that unpack to far too many" in done.err


@pytest.fixture
def folder(tmp_path):
    """The tables of a profile with records, allocations, outputs and stacks."""
    run = run_of(CPU, ("a", 1, 5), ("b", 3, 4))
    for record in run.step_stats.dev_stats[0].node_stats:
        memory = record.memory.add(allocator_name="cpu", total_bytes=8, live_bytes=8)
        memory.allocation_records.add(alloc_micros=2, alloc_bytes=8)
        record.output.add(slot=0).tensor_description.shape.dim.add(size=3)
    log = log_of({"a": [("f.py", "f", 3)]})
    loaded(("a", "A"), ("b", "B", "a"), run=run, log=log).save_tables(tmp_path)
    assert read_tables(tmp_path).steps
    return tmp_path


def _change(folder, name, column, values):
    table = pyarrow.parquet.read_table(folder / f"{name}.parquet")
    index = table.column_names.index(column)
    _write(folder, name, table.set_column(index, column, values(table.column(column))))


@pytest.mark.parametrize(("name", "column"), [("records", "names"), ("allocations", "allocator")])
def test_names_with_gaps(name, column, folder):
    _change(folder, name, column, lambda old: pa.array([None, *old.to_pylist()[1:]], old.type))
    with pytest.raises(tfprof.LoadError, match="is not of the right type"):
        read_tables(folder)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.uint64()], ids=str)
@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("nodes", "float_ops"),
        ("frames", "line"),
        ("records", "duration"),
        ("records", "output_bytes"),
        ("allocations", "micros"),
    ],
)
def test_integers_of_other_types(name, column, kind, folder):
    """Their sums overflow, and what is computed with them fails."""
    _change(folder, name, column, lambda old: pa.array([7] * len(old), kind))
    with pytest.raises(tfprof.LoadError, match="is not of the right type"):
        read_tables(folder)


def test_time_of_a_peak_beyond_64_bits():
    pytest.importorskip("duckdb")
    run = run_of(CPU, ("a", 1, 5))
    memory = run.step_stats.dev_stats[0].node_stats[0].memory.add(allocator_name="cpu")
    for micros in (-(2**63), 2):
        memory.allocation_records.add(alloc_micros=micros, alloc_bytes=8)
    result = loaded(("a", "A"), run=run).sql("select micros from memory_peaks")
    assert result.records() == [{"micros": 2**63 - 1}]


def test_long_names_in_many_steps(tmp_path):
    """Names repeat in each step, and compress well: what tfprof writes it reads."""
    names = ["scope_of_a_layer/" * 15 + str(i) for i in range(2000)]
    profile = loaded(*((name, "A") for name in names))
    run = RunMetadata()
    device = run.step_stats.dev_stats.add(device="/job:localhost/cpu:0")
    for start, name in enumerate(names, 1):
        device.node_stats.add(
            node_name=name,
            all_start_micros=start,
            all_end_rel_micros=1,
            op_end_rel_micros=1,
            timeline_label=f"{name} = A()",
        )
    steps = 30
    for step in range(steps):
        profile = profile.add_step(step, run)
    profile.save_tables(tmp_path)
    assert tfprof.load(tmp_path).steps == tuple(range(steps))
