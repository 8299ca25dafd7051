"""Paths that are no plain files: devices, pipes, sockets, links, and homes that nobody has."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import warnings
from pathlib import Path

import pytest

import tfprof
from tests.robustness.memory import measured
from tests.robustness.models import command, graph_of, loaded
from tests.robustness.test_bad_files import BAD
from tfprof.loaders import files
from tfprof.outputs.files import write_file

KINDS = ("graph", "run_meta", "op_log", "profile")
READERS = {
    **{kind: lambda path, kind=kind: tfprof.load(**{kind: path}) for kind in KINDS},
    "model": tfprof.cost,
}
readers = pytest.mark.parametrize("read", READERS.values(), ids=READERS)
GRAPH = graph_of(("a", "A"), ("b", "B", "a")).SerializeToString()


@readers
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/full", "/dev/null"])
def test_devices_are_not_read(read, device):
    with measured() as peak, pytest.raises(tfprof.LoadError, match=f"{device}: is a device"):
        read(Path(device))
    assert peak.size < 50_000_000


@readers
def test_socket(read, tmp_path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket"))
        with pytest.raises(tfprof.LoadError, match=r"socket: "):
            read(tmp_path / "socket")


@pytest.fixture
def pipe(tmp_path):
    """A pipe that gets some bytes again and again until nobody reads any more."""
    os.mkfifo(tmp_path / "pipe")

    def fill(data, times):
        def work():
            try:
                with (tmp_path / "pipe").open("wb", buffering=0) as stream:
                    for _ in range(times):
                        stream.write(data)
            except BrokenPipeError:
                return

        writer = threading.Thread(target=work)
        writer.start()
        return tmp_path / "pipe", writer

    return fill


def test_pipe(pipe):
    """As `<(zcat graph.pb.gz)` in a shell."""
    path, writer = pipe(GRAPH, 1)
    assert len(tfprof.load(graph=path).nodes) == 2
    writer.join()


@readers
def test_pipe_without_end(read, pipe, monkeypatch):
    monkeypatch.setattr(files, "MAX_STREAM_BYTES", 5 << 20)
    path, writer = pipe(b"\x0a" * (1 << 20), 100)
    with pytest.raises(tfprof.LoadError, match="pipe: more than"):
        read(path)
    writer.join()


@readers
def test_links_in_a_circle(read, tmp_path):
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(tfprof.LoadError, match="circle: "):
        read(tmp_path / "circle")


@pytest.mark.parametrize("target", ["file", "nothing"])
def test_a_link_is_written_through(target, tmp_path):
    """As any other program does; the link itself stays."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(f"elsewhere/{target}")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere" / target).read_bytes() == b"new"


def test_a_link_to_itself_is_not_written(tmp_path):
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(tfprof.OutputError, match=r"circle: is a link to itself"):
        loaded(("a", "A")).report().write(f"file:outfile={tmp_path / 'circle'}")
    assert [path.name for path in tmp_path.iterdir()] == ["circle"]


@pytest.mark.parametrize(
    "words",
    [
        ("--graph_path=~no_such_user/x", "scope"),
        ("--graph_path=a\0b", "scope"),
        ("model", "~no_such_user/x"),
        ("model", "a\0b"),
        ("--demo", "--quiet", "tables", "--out=~no_such_user/x"),
        ("--demo", "--quiet", "tables", "--out=a\0b"),
    ],
)
def test_paths_that_do_not_exist(words):
    done = command(*words)
    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert "unexpected" not in done.err


@pytest.mark.parametrize("path", ["~no_such_user/", "a\0b/", "/dev/null/"])
def test_completion_of_paths_that_do_not_exist(path):
    from tfprof.api.screen import Screen
    from tfprof.cli.completion import candidates
    from tfprof.cli.console import Console

    console = Console(Screen(None, None), tfprof.Profile)
    assert list(candidates(f"scope -output file:outfile={path}", console)) == []


@pytest.mark.parametrize("digits", [19, 5000])
def test_sizes_of_too_many_digits(digits, tmp_path):
    (tmp_path / "graph.pb").write_bytes(GRAPH)
    done = command("cost", str(tmp_path / "graph.pb"), f"--bind=B={'9' * digits}")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "option 'bind'" in done.err


def test_model_of_nothing(tmp_path):
    (tmp_path / "graph.pb").write_bytes(b"")
    done = command("model", str(tmp_path / "graph.pb"))
    assert done.status == 1
    assert "is empty" in done.err


def refusal(path):
    """Why the cost of a model cannot be told, or nothing."""
    try:
        tfprof.cost(path)
    except tfprof.TfprofError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("path", sorted((BAD / "graph_text").iterdir()), ids=lambda path: path.name)
def test_bad_text_as_a_model(path, tmp_path):
    """The cost of a text graph goes another way than its profile."""
    shutil.copy(path, tmp_path / "model.pbtxt")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reason = refusal(tmp_path / "model.pbtxt")
    assert not reason or str(tmp_path) in reason
    assert len(reason.splitlines()) <= 1
