"""Names with anything in them: exact in files, harmless on a terminal."""

from __future__ import annotations

import csv
import io
import json

import pytest

import tfprof
from fuzz.odd import TEXTS
from tests.robustness.models import CPU, command, graph_of, run_of

NAMES = sorted({text.replace("/", "_") for text in TEXTS} - {""})
CONTROLS = {chr(code) for code in (*range(32), 127, *range(128, 160))} - {"\n", "\t"}


@pytest.fixture(scope="module")
def profile():
    graph = graph_of(*((name, "A") for name in NAMES))
    run = run_of(CPU, *((name, 1, 5) for name in NAMES if ":" not in name))
    return tfprof.load(graph=graph, run_meta=run)


def test_text_is_exact(profile, tmp_path):
    profile.report(max_depth=9).write(f"file:outfile={tmp_path / 'out'}")
    text = (tmp_path / "out").read_bytes().decode()
    assert all(f"  {name} (" in text for name in NAMES)


def test_rows_are_exact(profile, tmp_path):
    for kind in ("json", "csv"):
        profile.report().write(f"{kind}:outfile={tmp_path / kind}")
    rows = json.loads((tmp_path / "json").read_bytes())
    assert sorted(row["name"] for row in rows[1:]) == NAMES
    # Python 3.10 cannot read NUL.
    text = (tmp_path / "csv").read_bytes().decode().replace("\0", "NUL")
    names = [row["name"].replace("NUL", "\0") for row in csv.DictReader(io.StringIO(text, ""))]
    assert sorted(names[1:]) == NAMES


@pytest.mark.parametrize("view", ["scope", "graph"])
def test_message_is_exact(profile, view):
    assert sorted(child.name for child in profile.report(view).proto().children) == NAMES


def test_saved_profile_is_exact(profile):
    again = tfprof.load(profile=profile.serialize())
    assert sorted(again.nodes.name.to_pylist()) == NAMES


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_terminal_sees_no_controls(view, tmp_path, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    path = tmp_path / "graph.pb"
    path.write_bytes(graph_of(*((name, name) for name in NAMES)).SerializeToString())
    words = (f"--graph_path={path}", view, "-select=occurrence")
    done = command(*words, terminal=True)
    assert done.status == 0
    assert not CONTROLS & set(done.out + done.err)
    assert r"\x1b[2J" in done.out
    assert "\x1b[2J" in command(*words).out


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "a\rb", "\u2028", "\x9b31m"])
def test_errors_are_one_line_without_controls(text, tmp_path):
    with pytest.raises(tfprof.LoadError) as caught:
        tfprof.load(graph=tmp_path / f"no{text}")
    assert len(str(caught.value).splitlines()) == 1
    assert not CONTROLS & set(str(caught.value))
    done = command(f"--{text}=1", "scope")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert not CONTROLS & set(done.err)


def test_names_that_are_no_utf_8_are_refused(tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(graph_of(("name", "A")).SerializeToString().replace(b"name", b"\xff\xfe\xc3("))
    with pytest.raises(tfprof.LoadError, match=r"graph\.pb"):
        tfprof.load(graph=path)


BROKEN = ("row\nbreak (99.99ms/99.99ms)", "tab\there", "scope\n/b", "\n", "\t")


@pytest.fixture
def broken(tmp_path):
    """A graph whose names, types and devices have line breaks and tabs, and a run of it."""
    graph = tmp_path / "graph.pb"
    graph.write_bytes(graph_of(*((name, f"O\n{name}\t") for name in BROKEN)).SerializeToString())
    run = run_of("/device:CPU\n:0\t", *((name, 1, 5) for name in BROKEN))
    (tmp_path / "run").write_bytes(run.SerializeToString())
    return (f"--graph_path={graph}", f"--run_meta_path={tmp_path / 'run'}", "--quiet")


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_rows_of_a_terminal_are_lines(view, broken, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    words = (view, "-select=micros,device,op_types", "-max_depth=9", "-order_by=name")
    shown = command(*broken, *words, terminal=True)
    exact = command(*broken, *words)
    out = tmp_path / "out"
    rows = len(tfprof.load(graph=tmp_path / "graph.pb").report(view, max_depth=9))
    assert shown.status == exact.status == 0
    # The header stands for the root of op view, which has no row.
    assert shown.out.count("\n") == rows + (view != "op")
    assert r"row\nbreak" in shown.out
    assert "\t" not in shown.out
    assert "row\nbreak" in exact.out
    assert "tab\there" in exact.out
    assert command(*broken, *words, f"-output=file:outfile={out}", terminal=True).status == 0
    assert out.read_bytes().decode() == exact.out


def test_compat_is_exact_on_a_pipe_and_printable_on_a_terminal(broken):
    """The bytes of the original are for programs; a terminal gets what it can bear."""
    words = ("scope", "-select=micros", "-max_depth=9", "--compat")
    assert "row\nbreak" in command(*broken, *words).out
    shown = command(*broken, *words, terminal=True)
    assert r"row\nbreak" in shown.out
    assert "\t" not in shown.out


@pytest.mark.parametrize("terminal", [False, True])
def test_advice_has_names_on_one_line(broken, terminal):
    shown = command(*broken, "advise", terminal=terminal)
    assert shown.status == 0
    assert "row\nbreak" not in shown.out
    assert r"row\nbreak" in shown.out
    assert "row\\nbreak" in command(*broken, "advise", "--json").out


def test_models_have_names_on_one_line(tmp_path):
    graph = graph_of(("a\nb", "Placeholder"), ("c\t\n", "Mat\nMul", "a\nb", "a\nb"))
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    for words in (("model", str(path)), ("cost", str(path)), ("cost", str(path), "--explain=a\nb")):
        done = command(*words)
        assert done.status == 0
        assert "a\nb" not in done.out
        assert "Mat\nMul" not in done.out


def test_print_to_a_terminal_is_printable(monkeypatch, profile):
    """What the API prints to a terminal is escaped too, and left alone elsewhere."""
    for terminal in (False, True):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        monkeypatch.setattr(stream, "isatty", lambda terminal=terminal: terminal)
        monkeypatch.setattr("sys.stdout", stream)
        profile.report(max_depth=9).write()
        printed = stream.buffer.getvalue().decode()
        assert ("\x1b[2J" in printed) is not terminal
        assert ("a\nb" in printed) is not terminal
