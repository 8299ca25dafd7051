"""Arguments of a wrong type: one line that names the argument, never a TypeError."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfprof
from tfprof import demo

CNN = Path(__file__).parents[1] / "data" / "memory" / "cnn"


@pytest.fixture(scope="module")
def profile() -> tfprof.Profile:
    return tfprof.load(**demo.paths())


@pytest.fixture(scope="module")
def cnn() -> tfprof.Profile:
    return tfprof.load(graph=CNN / "graph.pb", run_meta=CNN / "run_meta_16")


@pytest.mark.parametrize(
    ("bind", "error"),
    [
        (5, "cannot bind 5: give sizes by name"),
        ("B=64", "cannot bind 'B=64': give sizes by name"),
        (["B"], r"cannot bind \['B'\]: give sizes by name"),
        ({"B": True}, "cannot bind 'B' to True: a size of 1 or more"),
        ({"B": "64"}, "cannot bind 'B' to '64': a size of 1 or more"),
        ({"B": 1.5}, "cannot bind 'B' to 1.5: a size of 1 or more"),
        ({1: 2}, "cannot bind 1: the symbols of this model are B"),
    ],
)
def test_memory(cnn: tfprof.Profile, bind: Any, error: str) -> None:
    with pytest.raises(tfprof.OptionError, match=error):
        cnn.memory(bind)


def test_largest(cnn: tfprof.Profile) -> None:
    with pytest.raises(tfprof.OptionError, match=r"option 'largest': \['B'\] is not the name"):
        cnn.memory().largest(["B"], "1GB")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"step": "x"}, "step: 'x' is not a whole number"),
        ({"step": None}, "step: None is not a whole number"),
        ({"step": -5}, "step: -5 is below -1"),
        ({"top": "3"}, "top: '3' is not a whole number"),
        ({"top": 1.5}, "top: 1.5 is not a whole number"),
        ({"top": -1}, "top: -1 is below 0"),
        ({"at": []}, r"option 'at': \[\] is not a whole number"),
    ],
)
def test_live_tensors(profile: tfprof.Profile, arguments: Any, error: str) -> None:
    with pytest.raises(tfprof.OptionError, match=error):
        profile.live_tensors(**arguments)


@pytest.mark.parametrize("path", [5, None, b"page.html", [], 1.5, ""])
def test_paths(profile: tfprof.Profile, path: Any) -> None:
    with pytest.raises(tfprof.OptionError, match=r"path: .* is not a path"):
        profile.save_page(path)
    with pytest.raises(tfprof.OptionError, match=r"folder: .* is not a path"):
        profile.save_tables(path)


def test_the_command_of_a_page(profile: tfprof.Profile, tmp_path: Path) -> None:
    with pytest.raises(tfprof.OptionError, match="command: 5 is not a text"):
        profile.save_page(tmp_path / "page.html", command=5)  # type: ignore[arg-type]
    assert not (tmp_path / "page.html").exists()
