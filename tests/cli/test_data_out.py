"""Data on standard output: `-output json`, `outfile=-` and `--json`, with messages on stderr."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet
import pytest

import tfprof
from tests.cli.conftest import Tfprof
from tfprof.api.profile import Profile
from tfprof.api.screen import Screen
from tfprof.cli import main
from tfprof.outputs import OUTPUTS
from tfprof.views import VIEWS

STREAMS = [output.name for output in OUTPUTS.values() if output.streams]
OPTIONS = ("-select", "micros", "-max_depth", "3")


def view_of(output: str) -> str:
    return {"dot": "graph", "timeline": "scope", "pprof": "scope"}.get(output, "op")


@pytest.mark.parametrize("output", STREAMS)
def test_data_goes_to_standard_output(run_demo: Tfprof, output: str, tmp_path: Path) -> None:
    view, path = view_of(output), tmp_path / "file"
    plain = run_demo(view, *OPTIONS, "-output", output)
    dash = run_demo(view, *OPTIONS, "-output", f"{output}:outfile=-")
    run_demo(view, *OPTIONS, "-output", f"{output}:outfile={path}")
    assert plain.status == dash.status == 0
    assert plain.out == dash.out == path.read_bytes() != b""


def test_json_and_csv_are_among_them() -> None:
    assert {"json", "csv"} <= set(STREAMS)


@pytest.mark.parametrize("output", [o.name for o in OUTPUTS.values() if "outfile" in o.keys])
def test_a_dash_is_standard_output(run_demo: Tfprof, output: str, tmp_path: Path) -> None:
    view, path = view_of(output), tmp_path / "file"
    done = run_demo(view, *OPTIONS, "-step", "0", "-output", f"{output}:outfile=-")
    run_demo(view, *OPTIONS, "-step", "0", "-output", f"{output}:outfile={path}")
    assert done.status == 0
    assert done.out == path.read_bytes() != b""
    assert not Path("-").exists()


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_json_as_a_short_form(run_demo: Tfprof, view: str) -> None:
    done = run_demo(view, *OPTIONS, "--json")
    assert done.status == 0
    assert json.loads(done.out)[0]["name"] == "_TFProfRoot"
    assert done.out == run_demo(view, *OPTIONS, "-output", "json").out
    assert done.out == run_demo(stdin=f"{view} {' '.join(OPTIONS)} --json\n").out


def test_rows_are_the_same_in_every_form(run_demo: Tfprof, demo_profile: Profile) -> None:
    options = {"select": ["micros"], "max_depth": 3}
    report = demo_profile.report("scope", options, hide_name_regexes=[])
    words = ("scope", *OPTIONS, "-hide_name_regexes=")
    rows = json.loads(run_demo(*words, "--json").out)
    assert [row["name"] for row in rows] == report.names
    text = run_demo(*words, "-output", "csv").text
    assert [row["name"] for row in csv.DictReader(io.StringIO(text))] == report.names
    table = pyarrow.parquet.read_table(
        io.BytesIO(run_demo(*words, "-output", "parquet:outfile=-").out)
    )
    assert table.column("name").to_pylist() == report.names


def test_messages_stay_on_stderr(process: Tfprof) -> None:
    done = process("--demo", "op", "--json")
    assert json.loads(done.out)
    assert "of graph nodes executed" in done.err


def test_a_timeline_of_several_steps_needs_a_file(run_demo: Tfprof) -> None:
    done = run_demo("graph", "-output", "timeline:outfile=-")
    assert (done.status, done.out) == (2, b"")
    assert "several steps go to several files; choose one with -step, or name a file" in done.err


@pytest.mark.parametrize("output", ["parquet", "pprof"])
def test_binary_data_does_not_go_to_a_terminal(output: str) -> None:
    out, err = io.BytesIO(), io.StringIO()
    words = ("--demo", "scope", "-select", "micros", "-output", f"{output}:outfile=-")
    status = main(words, screen=Screen(out, err, terminal=True))
    assert (status, out.getvalue()) == (2, b"")
    assert f"{output} is binary; name a file, or pipe it" in err.getvalue()


def test_two_outputs_are_a_contradiction(run_demo: Tfprof) -> None:
    done = run_demo("op", "--json", "-output", "csv")
    assert (done.status, done.out) == (2, b"")
    assert "--json and -output" in done.err


def test_an_output_that_was_set_gives_way(run_demo: Tfprof) -> None:
    done = run_demo(stdin="set -output csv\nop --json\n")
    assert json.loads(done.out)


def test_in_compat_a_dash_is_a_file(
    run_demo: Tfprof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_demo("op", "--compat", "-output", "file:outfile=-")
    assert (done.status, done.out) == (0, b"")
    assert (tmp_path / "-").read_bytes().startswith(b"\nDoc:\n")


@pytest.mark.parametrize("output", ["html:outfile=page", "json", "rows.csv", "--json"])
def test_compat_has_the_outputs_of_the_original(
    run_demo: Tfprof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = [output] if output == "--json" else ["-output", output]
    done = run_demo("op", "--compat", *arguments)
    assert (done.status, done.out) == (2, b"")
    assert "known are stdout, file, timeline, pprof, none" in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_python_writes_to_standard_output_too(
    demo_profile: Profile, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    report = demo_profile.report("op")
    for output in ("json", "json:outfile=-"):
        report.write(output)
        assert json.loads(capsysbinary.readouterr().out)
    assert json.loads(report.json()) == json.loads(report.json())
    report.write("json")
    assert capsysbinary.readouterr().out.decode() == report.json()


def test_what_cannot_stand_on_standard_output_needs_a_file() -> None:
    for output in ("file", "parquet", "pprof", "timeline"):
        with pytest.raises(tfprof.OptionError, match=f"{output} needs outfile"):
            tfprof.outputs.parse_output(output)
