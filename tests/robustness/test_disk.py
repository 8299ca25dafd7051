"""What is written is on the disk when it has its name; a disk that fails leaves the old file."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

import tfprof
from tests.robustness.models import graph_of
from tests.robustness.test_faults import FILES
from tests.robustness.writer import profiles, write
from tfprof.outputs.files import write_file


class Disk:
    """Remembers what was waited for, and which names were given, in order."""

    def __init__(self, monkeypatch):
        self.events = []
        sync, replace = os.fsync, Path.replace

        def synced(descriptor):
            found = os.fstat(descriptor)
            kind = "folder" if stat.S_ISDIR(found.st_mode) else "file"
            self.events.append((kind, found.st_ino, found.st_size))
            sync(descriptor)

        def replaced(path, target):
            found = path.stat()
            self.events.append(("name", found.st_ino, found.st_size))
            return replace(path, target)

        monkeypatch.setattr(os, "fsync", synced)
        monkeypatch.setattr(Path, "replace", replaced)

    def check(self, path):
        """Contents, then name, then folder, and all of the contents."""
        found = path.stat()
        at = self.events.index(("file", found.st_ino, found.st_size))
        named = self.events.index(("name", found.st_ino, found.st_size), at)
        folder = path.parent.stat().st_ino
        assert folder in [inode for kind, inode, _ in self.events[named:] if kind == "folder"]


@pytest.fixture
def disk(monkeypatch):
    return Disk(monkeypatch)


@pytest.fixture(scope="module")
def profile():
    return profiles()[0]


@pytest.mark.parametrize("kind", FILES)
def test_file_is_on_the_disk(kind, profile, disk, tmp_path, capsys):
    write(profile, f"{kind}:outfile={tmp_path / 'out'}")
    disk.check(tmp_path / "out")


def test_tables_are_on_the_disk(profile, disk, tmp_path):
    profile.save_tables(tmp_path / "tables")
    for path in (tmp_path / "tables").iterdir():
        disk.check(path)


def test_profile_and_log_are_on_the_disk(profile, disk, tmp_path):
    write_file(tmp_path / "profile", profile.serialize())
    tfprof.write_op_log(graph_of(("a", "A")), str(tmp_path), op_log=tfprof.OpLogProto())
    disk.check(tmp_path / "profile")
    disk.check(tmp_path / "tfprof_log")


def failing(number):
    def fail(_descriptor):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_disk_that_fails_late_keeps_the_old_file(number, monkeypatch, tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", failing(number))
    with pytest.raises(tfprof.OutputError, match=f"out: cannot write: {os.strerror(number)}"):
        write_file(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["out"]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_file_system_that_cannot_wait(number, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "fsync", failing(number))
    write_file(tmp_path / "out", b"new")
    assert (tmp_path / "out").read_bytes() == b"new"


def test_folder_that_cannot_be_opened(monkeypatch, tmp_path):
    """The file is there; that its name might be lost with the machine is no reason to fail."""
    opened = os.open

    def refusing(path, flags, *more, **others):
        if Path(path) == tmp_path:
            raise PermissionError(errno.EACCES, "no")
        return opened(path, flags, *more, **others)

    monkeypatch.setattr(os, "open", refusing)
    write_file(tmp_path / "out", b"new")
    assert (tmp_path / "out").read_bytes() == b"new"
