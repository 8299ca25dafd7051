"""`.keras` files that cannot be read: why, in one line, and what to do instead."""

from __future__ import annotations

import re
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tfprof.errors import LoadError

INSTEAD = "; load it in Python and call tfprof.model(model), or call model.export(DIR) and give DIR"


@pytest.fixture
def saved(tf: Any, tmp_path: Path) -> Path:
    """A model with a layer that only its program knows."""

    class Doubled(tf.keras.layers.Layer):  # type: ignore[misc, name-defined]
        def call(self, x: Any) -> Any:
            return x * 2.0

    path = tmp_path / "model.keras"
    model = tf.keras.Sequential([tf.keras.Input((4,)), Doubled(), tf.keras.layers.Dense(2)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Keras uses what NumPy is about to change
        model.save(path)
    return path


def test_a_class_of_the_program_is_named(saved: Path) -> None:
    expected = f"{saved}: Keras cannot load it: it has a class 'Doubled' of its own{INSTEAD}"
    with pytest.raises(LoadError, match=f"^{re.escape(expected)}$"):
        tfprof.model(saved)


def test_a_truncated_file(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-100])
    with pytest.raises(LoadError, match=r"not a Keras model; truncated, or a different format$"):
        tfprof.cost(saved)


def test_another_archive(tf: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(LoadError, match=r"no item named 'config\.json' in the archive") as failure:
        tfprof.model(path)
    assert str(failure.value).endswith(INSTEAD)
    assert len(str(failure.value).splitlines()) == 1


def test_without_keras(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keras", None)
    with pytest.raises(LoadError, match=r"needs Keras; install it, or call model\.export\(DIR\)"):
        tfprof.model(saved)
