"""Small tables of a profile that once took gigabytes or failed: each keeps 2 s and 300 MB."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from tests.robustness.budget import run_measured
from tests.robustness.models import loaded

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
