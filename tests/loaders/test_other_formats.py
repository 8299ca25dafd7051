"""Formats that tfprof does not read: every row of the table has samples, and errors name each."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfprof
from tests.loaders.other_files import FILES, FOLDERS, NAMELESS, write_file, write_folder
from tfprof.errors import LoadError
from tfprof.loaders import LOADERS, PARTS, find_loader
from tfprof.loaders.files import read_head
from tfprof.loaders.message_kinds import HEAD_SIZE
from tfprof.loaders.other_formats import OTHER_FORMATS, find_other_format

READS = f"tfprof reads {', '.join(LOADERS)}"
SAMPLES = pytest.mark.parametrize(
    ("format_name", "name", "content"), FILES, ids=[name for _, name, _ in FILES]
)


def test_every_row_has_a_sample() -> None:
    rows = {row.name for row in OTHER_FORMATS}
    # A table of a profile is one only beside the others.
    assert rows - {"one table of a profile"} <= {name for name, _, _ in FILES} | set(FOLDERS)


@SAMPLES
def test_a_row_recognizes_its_sample(
    format_name: str, name: str, content: bytes, tmp_path: Path
) -> None:
    path = write_file(tmp_path, name, content)
    other = find_other_format(path, read_head(path, HEAD_SIZE))
    assert other is not None
    assert other.name == format_name


@SAMPLES
def test_load_names_the_format(format_name: str, name: str, content: bytes, tmp_path: Path) -> None:
    path = write_file(tmp_path, name, content)
    head = read_head(path, HEAD_SIZE)
    other = find_other_format(path, head)
    assert other is not None
    with pytest.raises(LoadError) as caught:
        tfprof.load(path)
    if find_loader(path, head) is None:
        advice = other.advice_for(path)
        assert str(caught.value) == f"{path}: is {format_name}; {advice or READS}"
    else:
        # A text with nodes alone begins like a GraphDef.
        assert f"it is {format_name}" in str(caught.value)


@pytest.mark.parametrize("part", [part for part in PARTS if part != "tables"])
@SAMPLES
def test_flags_name_the_format(
    format_name: str, name: str, content: bytes, part: str, tmp_path: Path
) -> None:
    path = write_file(tmp_path, name, content)
    with pytest.raises(LoadError) as caught:
        tfprof.load(**{part: path})
    assert str(caught.value).startswith(f"{path}: not a")
    assert f"; it is {format_name}" in str(caught.value)


@pytest.mark.parametrize("format_name", FOLDERS)
def test_folders_are_named(format_name: str, tmp_path: Path) -> None:
    path = write_folder(tmp_path, FOLDERS[format_name])
    with pytest.raises(LoadError) as caught:
        tfprof.load(path)
    named = format_name or "a directory of an unknown format"
    assert str(caught.value).startswith(f"{path}: is {named}; ")


def test_flags_say_what_a_folder_should_be(tmp_path: Path) -> None:
    for part, says in {
        "graph": "is a directory, but not a SavedModel (a folder with a saved_model.pb)",
        "profile": "is a directory, but not an XPlane trace (a .xplane.pb, a TensorBoard log "
        "folder, or what tfprof.capture wrote) or a tables folder (what `tfprof tables` writes)",
        "checkpoint": "is a directory, but not a checkpoint (its prefix, one of its files, or ",
        "run_meta": "is a directory; give a RunMetadata",
        "op_log": "is a directory; give an OpLogProto",
    }.items():
        with pytest.raises(LoadError) as caught:
            tfprof.load(**{part: tmp_path})
        assert str(caught.value).startswith(f"{tmp_path}: {says}"), part


def test_one_table_of_a_folder(tmp_path: Path) -> None:
    tfprof.Profile().save_tables(tmp_path / "tables")
    path = tmp_path / "tables" / "nodes.parquet"
    with pytest.raises(LoadError) as caught:
        tfprof.load(path)
    assert str(caught.value) == (
        f"{path}: is one table of a profile; give its folder, {path.parent}"
    )


@pytest.mark.parametrize("name", NAMELESS)
def test_files_without_a_format_are_one_line(name: str, tmp_path: Path) -> None:
    path = write_file(tmp_path, name, NAMELESS[name])
    with pytest.raises(LoadError) as caught:
        tfprof.load(path)
    assert str(caught.value).startswith(f"{path}: is ")


def test_a_message_of_another_schema(tmp_path: Path) -> None:
    path = write_file(tmp_path, "example.pb", NAMELESS["example.pb"])
    with pytest.raises(LoadError, match=r"is a protobuf message of another kind; tfprof reads"):
        tfprof.load(path)
    with pytest.raises(LoadError, match=r"it is a protobuf message of another kind"):
        tfprof.load(graph=path)
