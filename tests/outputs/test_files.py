"""Where outputs go, and what happens when they cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tfprof
from tests.outputs.samples import gpu_profile
from tfprof.outputs import OUTPUTS, parse_output

TO_FILES = [output.name for output in OUTPUTS.values() if "outfile" in output.keys]


def _report(output):
    return gpu_profile().report("graph" if output in ("dot", "timeline") else "scope", step=0)


@pytest.mark.parametrize("output", TO_FILES)
def test_complete_and_alone(output, tmp_path):
    """A file is written, with the usual permissions, and nothing beside it."""
    file = tmp_path / "result"
    file.write_bytes(b"old")
    file.chmod(0o640)
    _report(output).write(f"{output}:outfile={file}")
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() != b"old"
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("output", TO_FILES)
def test_where_nothing_can_be_written(output, tmp_path):
    """No folder, a folder of this name, a full disk: one line that says so, no partial file."""
    for place in (tmp_path / "no" / "folder", tmp_path, Path("/dev/full")):
        with pytest.raises(tfprof.OutputError, match=r"cannot write|is a directory") as caught:
            _report(output).write(f"{output}:outfile={place}")
        assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("output", TO_FILES)
def test_a_failure_keeps_the_old_file(output, tmp_path, monkeypatch):
    file = tmp_path / "result"
    file.write_bytes(b"old")

    def fail(*_arguments):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "chmod", fail)
    with pytest.raises(tfprof.OutputError, match="No space left"):
        _report(output).write(f"{output}:outfile={file}")
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nonsense", "unknown type 'nonsense'"),
        ("parquet", "parquet needs outfile"),
        ("csv:outfile=", "csv needs outfile"),
        ("csv:file=x", "csv has no key 'file'"),
        ("csv:outfile", "'outfile' is not key=value"),
        ("none:outfile=x", "none has no key 'outfile'"),
    ],
)
def test_wrong_values(value, reason):
    with pytest.raises(tfprof.OptionError, match=reason):
        parse_output(value)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.csv", "csv"),
        ("x.json", "json"),
        ("x.trace.json", "timeline"),
        ("x.TRACE.json.gz", "timeline"),
        ("x.speedscope.json", "speedscope"),
        ("dir,1/a:b.parquet", "parquet"),
        ("x.pb.gz", "pprof"),
        ("x.txt", "file"),
        ("x.gv", "dot"),
        ("x.folded", "folded"),
    ],
)
def test_a_file_name_may_tell_the_type(path, name):
    output, keys = parse_output(path)
    assert (output.name, keys) == (name, {"outfile": path})


def test_every_output_says_what_it_is():
    assert all(output.help for output in OUTPUTS.values())
    endings = [suffix for output in OUTPUTS.values() for suffix in output.suffixes]
    assert len(endings) == len(set(endings))
