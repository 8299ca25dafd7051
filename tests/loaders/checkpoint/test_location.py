"""Whatever a user may name leads to the checkpoint, or to one line that says what is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint import open_checkpoint

from .conftest import SaveV1


@pytest.mark.parametrize("suffix", ["", ".index", ".data-00001-of-00003", ".meta"])
def test_prefix_or_file(sharded: Path, suffix: str) -> None:
    ours = open_checkpoint(f"{sharded}{suffix}")
    assert list(ours.tensors) == ["a", "b", "c", "grid", "words"]
    assert ours.read("c")[-1] == 69


def test_directory(slots: Path, sharded: Path, tmp_path: Path) -> None:
    assert open_checkpoint(slots.parent).tensors == open_checkpoint(slots).tensors
    assert open_checkpoint(sharded.parent).tensors == open_checkpoint(sharded).tensors
    (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "{slots}"\n')
    assert open_checkpoint(tmp_path).tensors == open_checkpoint(slots).tensors


def test_saved_model(keras_model: Path) -> None:
    prefix = open_checkpoint(keras_model / "variables" / "variables")
    assert open_checkpoint(keras_model).tensors == prefix.tensors
    assert open_checkpoint(keras_model / "variables").tensors == prefix.tensors


def test_v1_shards(save_v1: SaveV1, tmp_path: Path) -> None:
    pattern, second = save_v1(tmp_path, sharded=True)
    assert pattern.name == "model.ckpt-12-?????-of-00002"
    expected = list(open_checkpoint(second).tensors)
    plain = pattern.with_name("model.ckpt-12")
    for path in (pattern, plain, pattern.with_name("model.ckpt-12-00001-of-00002"), pattern.parent):
        assert list(open_checkpoint(path).tensors) == expected
    shutil.copy(pattern.with_name("model.ckpt-12-00000-of-00002"), plain)
    assert len(open_checkpoint(plain).tensors) < len(expected), "a file of that very name wins"
    plain.unlink()
    pattern.with_name("model.ckpt-12-00001-of-00002").unlink()
    with pytest.raises(LoadError, match=r"ckpt-12-00001-of-00002: no such file"):
        open_checkpoint(pattern)


def test_shards_of_two_checkpoints(save_v1: SaveV1, tmp_path: Path) -> None:
    pattern, _ = save_v1(tmp_path, sharded=True)
    shutil.copy(
        pattern.with_name("model.ckpt-12-00000-of-00002"),
        pattern.with_name("model.ckpt-12-00000-of-00001"),
    )
    with pytest.raises(LoadError, match="has several sets of shards; name one, as in "):
        open_checkpoint(pattern.with_name("model.ckpt-12"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a checkpoint, or a truncated one"),
        (
            b"\x89HDF\r\n\x1a\n" + bytes(90),
            "not a checkpoint; it is an HDF5 file, such as Keras writes",
        ),
        (b"PK\x03\x04" + bytes(90), "not a checkpoint; it is a zip archive"),
        (bytes(100), "not a checkpoint, or a truncated one"),
    ],
)
def test_other_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.ckpt"
    path.write_bytes(content)
    with pytest.raises(LoadError) as caught:
        open_checkpoint(path)
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no checkpoint in this directory"),
        ({"saved_model.pb": b""}, "is a SavedModel without variables"),
        ({"a.index": b"", "b.index": b""}, "has 2 checkpoints; name one, as in"),
        ({"checkpoint": b"\xff\0"}, "names no checkpoint"),
        ({"checkpoint": b'model_checkpoint_path: "\\x"'}, "names no checkpoint"),
        ({"checkpoint": b'model_checkpoint_path: "\\000"'}, "no checkpoint there"),
        ({"checkpoint": b'model_checkpoint_path: "gone"'}, "no checkpoint there"),
    ],
)
def test_odd_directories(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(LoadError, match=message):
        open_checkpoint(tmp_path)


@pytest.mark.parametrize("path", ["", "/", "missing", "missing/x.ckpt", "a\0b", "x" * 5000, "."])
def test_paths_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LoadError, match="no checkpoint"):
        open_checkpoint(path)


def test_unknown_tensor(sharded: Path) -> None:
    with pytest.raises(LoadError, match=r"has no tensor 'grit'; did you mean 'grid'\?"):
        open_checkpoint(sharded).read("grit")
