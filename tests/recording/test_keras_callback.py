"""Arguments of captures that are wrong are one error, before anything runs."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfprof
from tfprof.errors import OptionError
from tfprof.recording.keras_callback import _check_steps

WRONG_STEPS = [3, None, "x", "25", (1,), (1, 2, 3), (2.0, 5.0), (False, True), (5, 2), (-1, 2)]


@pytest.mark.parametrize("steps", WRONG_STEPS, ids=repr)
def test_steps_that_are_no_range(steps: Any) -> None:
    with pytest.raises(OptionError, match=r"KerasCallback: steps=.* is no range; give the first"):
        tfprof.KerasCallback("unused", steps=steps)


def test_steps_of_numpy() -> None:
    assert _check_steps([np.int64(2), 5]) == (2, 5)


@pytest.mark.parametrize("folder", ["", None, 3, b"run1"], ids=repr)
def test_a_folder_without_a_name(folder: Any) -> None:
    with pytest.raises(OptionError, match=r"folder=.*: name a folder"):
        tfprof.capture(folder)


def test_a_folder_below_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line opens `~/run1` there, too."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert tfprof.capture("~/run1").folder == tmp_path / "run1"
    assert tfprof.capture("~nobody_of_this_name/run1").folder.name == "run1"


def test_warnings_name_the_line_of_the_program(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        capture = tfprof.capture(tmp_path)
        with capture._report_faults("nothing"):
            raise OSError("a reason")
    assert [Path(warning.filename).name for warning in seen] == ["test_keras_callback.py"]
    assert str(seen[0].message) == "tfprof.capture: nothing: OSError: a reason"
