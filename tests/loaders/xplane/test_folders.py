"""Where the files of a trace are found, whatever the working directory is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tfprof
from tests.loaders.xplane.traces import made
from tests.test_goldens import graph_of
from tfprof.errors import LoadError


def _capture(folder: Path) -> Path:
    """A capture whose graph has a node; the trace of it."""
    file = made().write(folder)
    about = {"steps": [0], "notes": [], "level": 3}
    (folder / "capture.json").write_text(json.dumps(about))
    (folder / "functions.pb").write_bytes(graph_of(("a", "NoOp")).SerializeToString())
    return file


@pytest.mark.parametrize(
    ("inside", "path"),
    [
        (".", "."),
        (".", "plugins/profile/run/host.xplane.pb"),
        ("plugins/profile", "."),
        ("plugins/profile/run", "."),
        ("plugins/profile/run", ".."),
        ("plugins/profile/run", "host.xplane.pb"),
    ],
)
def test_relative_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str, path: str
) -> None:
    _capture(tmp_path)
    monkeypatch.chdir(tmp_path / inside)
    profile = tfprof.load(path)
    assert not any("no graph is beside" in text for text in profile.warnings)


_DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "about",
    [
        '{"steps": [1' + 30 * "0" + '], "notes": []}',
        '{"steps": [Infinity], "notes": []}',
        '{"steps": [-1], "notes": []}',
        '{"steps": [true], "notes": []}',
        '{"steps": [], "notes": []}',
        '{"steps": [0], "notes": [], "level": Infinity}',
        '{"steps": [0], "notes": "none"}',
        '{"steps": [0], "notes": [1]}',
        "[]",
        _DEEP,
    ],
)
def test_a_capture_that_is_not_one(tmp_path: Path, about: str) -> None:
    _capture(tmp_path)
    (tmp_path / "capture.json").write_text(about)
    with pytest.raises(LoadError, match=r"capture\.json: not written by tfprof\.capture") as error:
        tfprof.load(tmp_path)
    assert len(str(error.value).splitlines()) == 1
