"""Rows as JSON, CSV and Parquet, read with pandas and DuckDB; flame graphs and dot."""

from __future__ import annotations

import csv
import io
import json
import re

import duckdb
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof
from tests.outputs.samples import largest, random_profile, report_of
from tests.test_goldens import graph_of
from tfprof.definitions.metrics import METRICS
from tfprof.outputs.row_table import column_names, measure_columns

SEEDS = st.integers(0, 10**6)
KINDS = ["scope", "graph", "op", "code"]
SELECTED = ["micros", "bytes", "params"]


def _pandas(form, path):
    return {"csv": pandas.read_csv, "json": pandas.read_json, "parquet": pandas.read_parquet}[form](
        path
    )


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_sums_are_those_of_the_report(form, seed, kind, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / f"rows.{form}"
    report = report_of(random_profile(seed), kind)
    if report is None:
        return
    if largest(report) >= 2**63:
        return  # more than pandas reads
    report.write(str(file))
    frame = _pandas(form, file)
    assert tuple(frame.columns) == column_names()
    assert len(frame) == len(report)
    for name, measure in measure_columns().items():
        for numbers, title in ((report.own, "own"), (report.total, "total")):
            expected = [int(value) for value in numbers[:, measure]]
            found = [int(value) for value in frame[f"{title}_{name}"]]
            assert found == expected or any(abs(value) > 2**53 for value in expected)
    if form != "csv":  # pandas takes some names for numbers or for none
        assert list(frame["name"].astype(str)) == report.names


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_duckdb_reads_them(seed, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    report = report_of(random_profile(seed), "scope")
    sums = [report.own[:, name].sum() for name in ("exec_micros", "run_count")]
    expected = (len(report), *sums)
    readers = {"csv": "read_csv", "json": "read_json", "parquet": "read_parquet"}
    for form, reader in readers.items():
        file = folder / f"duck.{form}"
        report.write(str(file))
        query = f"select count(*), sum(own_micros), sum(own_runs) from {reader}('{file}')"
        assert duckdb.sql(query).fetchall() == [expected]


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, kind=st.sampled_from(KINDS), depth=st.sampled_from([2, 3, 10**6]))
def test_folded_lines_add_up(seed, kind, depth, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "x.folded"
    report = report_of(random_profile(seed), kind, max_depth=depth)
    if report is None:
        return
    report.write(str(file))
    lines = file.read_bytes().decode().split("\n")[:-1]
    root, at = (report.own, slice(1, None)) if kind == "op" else (report.total, slice(1))
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == sum(
        root[at, "exec_micros"].tolist()
    )


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_speedscope_profiles_are_well_formed(seed, kind, tmp_path_factory):
    """What its importer checks: frames close in turn, time never goes back, ends are right."""
    file = tmp_path_factory.getbasetemp() / "x.speedscope.json"
    report = report_of(random_profile(seed), kind, select=SELECTED)
    if report is None:
        return
    if report.total[0, "parameters"] >= 2**63:
        with pytest.raises(tfprof.OutputError, match="64 bits"):
            report.write(str(file))
        return
    if largest(report) >= 2**63:
        return  # no such file can hold it
    report.write(str(file))
    content = json.loads(file.read_bytes())
    assert content["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = content["shared"]["frames"]
    for profile, name in zip(content["profiles"], SELECTED, strict=True):
        now, opened, own = 0, [], 0
        for event in profile["events"]:
            assert now <= event["at"] <= profile["endValue"]
            assert event["frame"] < len(frames)
            if event["type"] == "O":
                opened.append(event["frame"])
            else:
                assert opened.pop() == event["frame"]
            own += event["at"] - now if opened or event["type"] == "C" else 0
            now = event["at"]
        assert not opened
        at = METRICS[name].measure
        total = report.own[1:, at].sum() if kind == "op" else report.total[0, at]
        assert max(total, 0) == profile["endValue"] == own or any(report.total[:, at] < 0)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_dot_has_the_shown_nodes(seed, tmp_path_factory):
    file = tmp_path_factory.getbasetemp() / "x.dot"
    report = report_of(random_profile(seed), "graph")
    report.write(str(file))
    text = file.read_text()
    own = [int(number) for number in re.findall(r" own_micros=(-?\d+) ", text)]
    assert own == report.own[1:, "exec_micros"].tolist()
    shown = {int(node) for edge in re.findall(r"n(\d+) -> n(\d+);", text) for node in edge}
    assert shown <= set(range(1, len(report)))


def test_names_with_anything_in_them(tmp_path):
    """Quotes, commas, line breaks and other scripts survive."""
    names = ['a"b', "c,d", "e\nf", "日本", "g\\h", "i;j", "\x7f"]
    profile = tfprof.load(graph=_graph(names))
    for form in ("csv", "json", "parquet"):
        file = tmp_path / f"rows.{form}"
        profile.report("scope").write(str(file))
        assert sorted(_pandas(form, file)["name"][1:]) == sorted(names)
    profile.report("graph").write(str(tmp_path / "x.dot"))
    assert (tmp_path / "x.dot").read_text().count("label=") == len(names)


def _graph(names):
    from tfprof.protos import graph_pb2

    return graph_pb2.GraphDef(node=[graph_pb2.NodeDef(name=name, op="Op") for name in names])


@pytest.mark.parametrize(("safe", "quote"), [("", ""), (":safe=0", ""), (":safe=1", "'")])
def test_names_that_are_formulas(safe, quote, capsysbinary):
    names = ["=1+1", "+1", "-1", "@x", "\tx", "a=1"]
    profile = tfprof.load(graph=graph_of(*((name, "A") for name in names)))
    report = profile.report("scope", account_type_regexes=[".*"], order_by="name")
    report.write(f"csv{safe}")
    written = list(csv.DictReader(io.StringIO(capsysbinary.readouterr().out.decode(), newline="")))
    shown = {row["name"] for row in written[1:]}
    assert shown == {*(quote + name for name in names[:-1]), "a=1"}


def test_safe_is_0_or_1():
    profile = tfprof.load(graph=graph_of(("a", "A")))
    with pytest.raises(tfprof.OptionError, match="safe is 'yes'; it may be 0, 1"):
        profile.report("op").write("csv:safe=yes")
