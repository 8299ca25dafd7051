"""Names with anything in them: exact in files, harmless on a terminal."""

from __future__ import annotations

import csv
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
    with (tmp_path / "csv").open(newline="", encoding="utf-8") as lines:
        assert sorted([row["name"] for row in csv.DictReader(lines)][1:]) == NAMES


@pytest.mark.parametrize("view", ["scope", "graph"])
def test_message_is_exact(profile, view):
    assert sorted(child.name for child in profile.report(view).proto().children) == NAMES


def test_saved_profile_is_exact(profile):
    again = tfprof.load(profile=profile.serialize())
    assert sorted(again.nodes.name.to_pylist()) == NAMES


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_terminal_sees_no_controls(view, tmp_path):
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
