"""Every output of a diff has the same rows: tables, data frames, pprof with signs, and text."""

from __future__ import annotations

import gzip
import json

import pyarrow.parquet
import pytest

import tfprof
from tests.diffs.graphs import network, profile_of
from tfprof.definitions.options import ALL_LEVELS
from tfprof.outputs import OUTPUTS
from tfprof.outputs.diff import DIFF_OUTPUTS
from tfprof.outputs.diff.table import column_names
from tfprof.outputs.diff.text import diff_lines
from tfprof.protos import pprof_pb2
from tfprof.runtime.terminal import STYLES, Terminal, encode_line, line_width


@pytest.fixture(scope="module")
def diff():
    before = profile_of(network("block1", "block3"), micros=lambda name: 50 + len(name))
    after = profile_of(
        network("block1", "stage3", extra={"new/op": "Relu"}),
        micros=lambda name: 10 if "BiasAdd" in name else 60 + len(name),
    )
    return tfprof.diff(before, after, select=["micros"], max_depth=ALL_LEVELS, min_delta=0)


def test_json_and_parquet_and_pandas_have_the_same_rows(diff, tmp_path):
    rows = json.loads(diff.json())
    assert tuple(rows[0]) == column_names()
    diff.write(f"parquet:outfile={tmp_path}/d.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "d.parquet")
    assert table.to_pylist() == rows
    assert table.schema.metadata[b"tfprof.view"] == b"scope"
    frame = diff.to_pandas()
    assert frame["delta_micros"].tolist() == [row["delta_micros"] for row in rows]


def test_own_deltas_add_up_by_match(diff):
    rows = json.loads(diff.json())
    whole = diff.breakdown("micros")
    sums = dict.fromkeys({row["match"] for row in rows}, 0)
    for row in rows:
        assert row["delta_micros"] == row["after_micros"] - row["before_micros"]
        sums[row["match"]] += row["own_delta_micros"]
    assert sums["added"] == whole.added == 60 + len("new/op")
    assert sums["name"] + sums["scope rename"] == whole.changed
    assert sum(sums.values()) == whole.delta == rows[0]["delta_micros"]


@pytest.mark.parametrize("shown", [ALL_LEVELS, 1])
def test_pprof_has_signs(diff, tmp_path, shown):
    """All samples together are the whole change, also of rows that are not shown."""
    profile = diff.before.profile, diff.after.profile
    some = tfprof.diff(*profile, select=["micros"], max_depth=shown)
    some.write(f"pprof:outfile={tmp_path}/d.pprof")
    message = pprof_pb2.Profile()
    message.ParseFromString(gzip.decompress((tmp_path / "d.pprof").read_bytes()))
    values = [sample.value[1] for sample in message.sample]
    assert sum(values) == diff.breakdown("micros").delta
    assert (min(values) < 0 < max(values)) == (shown > 1)


def test_a_diff_has_only_outputs_of_reports():
    assert DIFF_OUTPUTS.keys() < OUTPUTS.keys()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_fit_a_terminal(diff, width):
    lines = list(diff_lines(diff, Terminal(width=width)))
    assert max(map(line_width, lines)) <= width
    assert any("stage3" in encode_line(line, colour=False) for line in lines)


def test_signs_are_coloured_and_written(diff):
    spans = {span.style: span.text for line in diff_lines(diff, Terminal()) for span in line}
    assert spans["hot"].startswith("+")
    assert spans["bar"].startswith("-")
    assert STYLES["hot"] != STYLES["bar"]


def test_printing_and_repr(diff):
    assert str(diff) == diff.text().removesuffix("\n")
    assert repr(diff).startswith("<Diff: scope view, ")
    assert repr(diff["stage3/Conv2D"]).endswith("micros +10us, scope rename>")


def test_names_before_and_after_find_a_row(diff):
    assert diff["block3/Conv2D"].name == "stage3/Conv2D"
    with pytest.raises(KeyError, match="there is no row"):
        diff["nothing"]


def test_in_a_notebook(diff):
    html = diff._repr_html_()
    assert "<th>removed</th>" in html
    assert "scope rename, was block3" in html
    assert "rows that changed are not shown" in html


def test_names_are_escaped_in_a_notebook():
    sides = (profile_of({"<b>x": "Relu"}, micros=lambda _name, n=n: n) for n in (5, 9))
    html = tfprof.diff(*sides, select=["micros"])._repr_html_()
    assert "&lt;b&gt;x" in html
    assert "<b>x" not in html
