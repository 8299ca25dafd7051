"""Broken checkpoints: one clear line that names file and tensor, and never another exception."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint import Checkpoint, open_checkpoint
from tfprof.loaders.checkpoint.strings import decode_strings
from tfprof.loaders.checkpoint.table import open_table
from tfprof.protos.checkpoint_pb2 import BundleEntryProto, BundleHeaderProto, SavedTensorSlices

from .conftest import SaveV1
from .table_writer import write_table


@pytest.fixture
def copied(sharded: Path, tmp_path: Path) -> Path:
    """A sharded checkpoint to damage."""
    for file in sharded.parent.glob(f"{sharded.name}.*"):
        shutil.copy(file, tmp_path / file.name)
    return tmp_path / sharded.name


def shard(prefix: Path, number: int) -> Path:
    return prefix.with_name(f"{prefix.name}.data-{number:05d}-of-00003")


def index(prefix: Path) -> Path:
    return prefix.with_name(prefix.name + ".index")


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def change(prefix: Path, name: str, edit: Callable[[BundleEntryProto], object]) -> None:
    """Rewrite the entry of a tensor in an index whose checksums stay right."""
    rows = dict(open_table(index(prefix)).items())
    entry = BundleEntryProto.FromString(rows[name.encode()])
    edit(entry)
    rows[name.encode()] = entry.SerializeToString()
    index(prefix).write_bytes(write_table(rows.items()))


def test_flipped_byte_of_data(copied: Path) -> None:
    for number in range(3):
        flip(shard(copied, number), 0)
    checkpoint = open_checkpoint(copied)
    for name, number in (("a", 0), ("b", 1), ("c", 2)):
        with pytest.raises(LoadError, match=f"{shard(copied, number)}: tensor '{name}' does not"):
            checkpoint.read(name)
    assert checkpoint.read("grid").shape == (7, 5)


def test_flipped_byte_of_strings(copied: Path) -> None:
    content = shard(copied, 2).read_bytes()
    flip(shard(copied, 2), content.rindex(b"w5"))
    with pytest.raises(LoadError, match="tensor 'words': does not match its checksum"):
        open_checkpoint(copied).read("words")


def test_flipped_byte_of_index(copied: Path) -> None:
    flip(index(copied), 20)
    with pytest.raises(LoadError, match=r"index: the block at 0 does not match its checksum"):
        open_checkpoint(copied)


def test_missing_shard(copied: Path) -> None:
    shard(copied, 1).unlink()
    checkpoint = open_checkpoint(copied)
    assert checkpoint.read("a").shape == (7, 5)
    for name in ("b", "grid"):
        with pytest.raises(
            LoadError, match=f"{shard(copied, 1)}: no such file, needed for tensor '{name}'"
        ):
            checkpoint.read(name)


def test_short_shard(copied: Path) -> None:
    path = shard(copied, 2)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(LoadError, match=f"{path}: tensor 'c' should be 560 bytes at 0, but the fi"):
        open_checkpoint(copied).read("c")


def test_every_truncation_of_the_index(copied: Path) -> None:
    content = index(copied).read_bytes()
    for size in range(len(content)):
        index(copied).write_bytes(content[:size])
        with pytest.raises(LoadError, match=re.escape(index(copied).name)):
            open_checkpoint(copied)


def absurd(entry: BundleEntryProto) -> None:
    entry.size = 1 << 46
    entry.shape.dim[0].size = 1 << 44
    del entry.shape.dim[1]


def overflowing(entry: BundleEntryProto) -> None:
    entry.shape.dim[0].size = entry.shape.dim[1].size = 1 << 62


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (absurd, "tensor 'a' should be 70368744177664 bytes at 0, but the file has"),
        (overflowing, "tensor 'a': its shape is impossible"),
        (lambda entry: entry.shape.dim.add(size=0), "has 140 bytes where its shape needs 0"),
        (lambda entry: setattr(entry.shape.dim[0], "size", -1), "'a': its shape is not known"),
        (lambda entry: setattr(entry, "offset", -5), "tensor 'a' should be 140 bytes at -5"),
        (lambda entry: setattr(entry, "offset", 1 << 62), "tensor 'a' should be 140 bytes at 4611"),
        (lambda entry: setattr(entry, "size", 8), "'a': has 8 bytes where its shape needs 140"),
        (lambda entry: setattr(entry, "shard_id", 3), "tensor 'a' is in shard 3 of 3"),
        (lambda entry: setattr(entry, "dtype", 21), "tensor 'a': values of variant cannot be read"),
        (lambda entry: setattr(entry, "dtype", 77), "tensor 'a': values of type 77 cannot be read"),
        (lambda entry: setattr(entry, "dtype", 7), "tensor 'a': its string"),
        (lambda entry: entry.slices.add(), "'a': a slice has 0 dimensions instead of 2"),
        (lambda entry: entry.shape.dim.extend([entry.shape.Dim(size=1)] * 60), "62 dimensions"),
        (lambda entry: entry.shape.dim.extend([entry.shape.Dim(size=1)] * 600), "absurd"),
    ],
)
def test_absurd_entry(
    copied: Path, edit: Callable[[BundleEntryProto], object], message: str
) -> None:
    change(copied, "a", edit)
    with pytest.raises(LoadError, match=message):
        open_checkpoint(copied).read("a")


def repeat(entry: BundleEntryProto) -> None:
    entry.shape.dim[0].size = 300_000
    first = entry.slices[0]
    del entry.slices[1:]
    entry.slices.extend([first] * 99_999)


def overlap(entry: BundleEntryProto) -> None:
    del entry.shape.dim[:]
    entry.shape.dim.add(size=6)
    entry.shape.dim.add(size=5)
    first = entry.slices[0]
    del entry.slices[:]
    entry.slices.extend([first, first])


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda entry: entry.slices.pop(), "tensor 'grid': its slices do not cover it"),
        (lambda entry: setattr(entry.slices[0].extent[0], "length", 2), "is not in the index"),
        (lambda entry: setattr(entry.slices[0].extent[0], "length", 9), "a slice lies outside"),
        (lambda entry: setattr(entry, "dtype", 3), "a slice is of another type or shape"),
        (repeat, "tensor 'grid': its slices are larger than the files"),
        (overlap, "tensor 'grid': its slices overlap"),
    ],
)
def test_absurd_slices(
    copied: Path, edit: Callable[[BundleEntryProto], object], message: str
) -> None:
    change(copied, "grid", edit)
    with pytest.raises(LoadError, match=message):
        open_checkpoint(copied).read("grid")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (BundleHeaderProto(num_shards=1, endianness="BIG"), "was written on a big-endian machine"),
        (BundleHeaderProto(), "has no header"),
        (BundleHeaderProto(num_shards=1, version={"min_consumer": 2}), "a reader of version 2"),
    ],
)
def test_header(tmp_path: Path, header: BundleHeaderProto, message: str) -> None:
    path = tmp_path / "x.index"
    path.write_bytes(write_table([(b"", header.SerializeToString())]))
    with pytest.raises(LoadError, match=f"^{path}: .*{message}"):
        open_checkpoint(tmp_path / "x")


def test_name_that_is_no_text(tmp_path: Path) -> None:
    header = BundleHeaderProto(num_shards=1).SerializeToString()
    (tmp_path / "x.index").write_bytes(write_table([(b"", header), (b"a\xff", b"")]))
    with pytest.raises(LoadError, match="is not UTF-8"):
        open_checkpoint(tmp_path / "x")


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        (b"\xff" * 9 + b"\x7f" + bytes(4), "its string lengths end too early"),  # above 64 bits
        (b"\xff" * 9 + b"\x01" + bytes(4), "its strings do not fill its bytes"),
        (b"\x01" + bytes(4), "its strings do not fill its bytes"),
        (b"\x01" + bytes(4) + b"a", "its string lengths do not match their checksum"),
        (b"", "its string lengths end too early"),
    ],
)
def test_broken_strings(stored: bytes, message: str) -> None:
    with pytest.raises(LoadError, match=f"^file: tensor: {message}"):
        decode_strings(stored, 1, 0, "file: tensor")


def test_v1_lists_more_than_it_has(tmp_path: Path) -> None:
    saved = SavedTensorSlices()
    for size in (3, 1 << 40):
        meta = saved.meta.tensor.add(name=f"t{size}", type=1)
        meta.shape.dim.add(size=size)
        meta.slice.add().extent.add()
    path = tmp_path / "v1"
    path.write_bytes(
        write_table([(b"", saved.SerializeToString()), (b"\0t3\0\1\1\1\x80\x7f", b"")])
    )
    checkpoint = open_checkpoint(path)
    with pytest.raises(LoadError, match="'t3': has 0 values where its shape needs 3"):
        checkpoint.read("t3")
    with pytest.raises(LoadError, match="a slice of it is not in the file"):
        checkpoint.read(f"t{1 << 40}")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ((1, 3, 1), (1, 3, 1), "tensor 't' is listed twice"),
        ((1, 3, 1), (1, 4, 1), "tensor 't' is of another type or shape than in another shard"),
        ((1, 3, 0), (1, 3, 0), "tensor 't': has no slices"),
        ((1, 3, 0), (1, 3, 2), "tensor 't': has no slices, or one of them twice"),
        ((21, 0, 0), (21, 0, 1), "tensor 't': values of variant cannot be read"),
    ],
)
def test_v1_list(
    tmp_path: Path, first: tuple[int, int, int], second: tuple[int, int, int], message: str
) -> None:
    saved = SavedTensorSlices()
    for dtype, size, slices in (first, second):
        meta = saved.meta.tensor.add(name="t")
        meta.type = dtype
        meta.shape.dim.add(size=size)
        for _ in range(slices):
            meta.slice.add().extent.add()
    path = tmp_path / "v1"
    path.write_bytes(write_table([(b"", saved.SerializeToString()), (b"\0t\0\1\1\1\x80\x7f", b"")]))
    with pytest.raises(LoadError, match=f"^{path}: {message}"):
        open_checkpoint(path).read("t")


def error_of(ask: Callable[[], object]) -> str:
    """The text of the LoadError that asking raises, or nothing; others are not caught."""
    try:
        ask()
    except LoadError as error:
        return str(error)
    return ""


def errors_of(path: Path) -> list[str]:
    """The errors of all that can be asked of a checkpoint."""
    opened: list[Checkpoint] = []
    error = error_of(lambda: opened.append(open_checkpoint(path)))
    if error:
        return [error]
    asked = [partial(getattr, opened[0], "names")]
    asked += [partial(opened[0].statistics, name) for name in opened[0].tensors]
    return [error for error in map(error_of, asked) if error]


def mutate(content: bytes, dice: random.Random) -> bytes:
    """Some bytes changed, cut, doubled or removed."""
    kind, at = dice.randrange(4), dice.randrange(len(content))
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + content[at + dice.randrange(1, 9) :]
    if kind == 2:
        return content[:at] + dice.randbytes(dice.randrange(1, 9)) + content[at:]
    changed = bytearray(content)
    for _ in range(dice.randrange(1, 4)):
        changed[dice.randrange(len(changed))] = dice.choice((0, 1, 127, 128, 255, at & 255))
    return bytes(changed)


@pytest.mark.parametrize("resealed", [False, True])
@pytest.mark.parametrize("kind", ["v1", "sharded", "slots"])
def test_mutations(
    request: pytest.FixtureRequest, save_v1: SaveV1, tmp_path: Path, kind: str, resealed: bool
) -> None:
    """Only LoadErrors, also where the damage is below checksums that were made right again."""
    source = tmp_path / "source"
    source.mkdir()
    path = save_v1(source, sharded=False)[0] if kind == "v1" else request.getfixturevalue(kind)
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, tmp_path / file.name)
    victims = [tmp_path / path.name] if kind == "v1" else sorted(tmp_path.glob(f"{path.name}.*"))
    tables = [victim for victim in victims if ".data-" not in victim.name]
    dice, broken = random.Random(11), 0
    for victim in tables if resealed else victims:
        content = victim.read_bytes()
        rows = list(open_table(victim).items()) if resealed else []
        for _ in range(150):
            if resealed:
                place = dice.randrange(len(rows))
                key, value = rows[place]
                changed = [*rows[:place], (key, mutate(value or b"\0", dice)), *rows[place + 1 :]]
                victim.write_bytes(write_table(changed, snappy=dice.random() < 0.5))
            else:
                victim.write_bytes(mutate(content, dice))
            errors = errors_of(tmp_path / path.name)
            broken += bool(errors)
            assert not any("\n" in error for error in errors)
        victim.write_bytes(content)
    assert errors_of(tmp_path / path.name) == []
    assert broken > 50
