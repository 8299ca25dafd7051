"""Scripts that are captured as they are, and `ProfileContext` around `fit`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tests.recording.captures import ROOT, environment
from tests.recording.scripts import LOOP

pytest.importorskip("tensorflow")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts")


@pytest.fixture(scope="module")
def ended(folder: Path) -> Any:
    command = [sys.executable, "-W", "ignore", "-m", "tests.recording.scripts", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def _runs(profile: tfprof.Profile, scope: str) -> int:
    """In how many steps an op of a scope ran."""
    return sum(
        any(name.startswith(scope) for name in records.names.cast("string").to_pylist())
        for records in profile.records
    )


def _lines(profile: tfprof.Profile) -> str:
    return profile.report("code", select=["micros"], max_depth=100).text()


def test_exit_statuses(ended: Any) -> None:
    assert ended.stdout.splitlines() == ["0 ", "3 ", "0 "]


def test_fit(ended: Any, folder: Path) -> None:
    profile = tfprof.load(folder / "fit")
    assert profile.steps == (3, 4, 5)
    assert _runs(profile, "fit/") == 3
    assert "fit_script.py:6:<module>:model.fit(" in _lines(profile)


def test_a_step_has_all_functions_of_a_loop(ended: Any, folder: Path) -> None:
    """The one that is captured first ends before the others of its last step have run."""
    profile = tfprof.load(folder / "loop")
    assert profile.steps == (3, 4, 5)
    assert _runs(profile, "preprocess/") == _runs(profile, "train_step/") == 3
    assert "loop_script.py:12:train_step:loss = tf.reduce_..." in _lines(profile)


def test_session(ended: Any, folder: Path) -> None:
    profile = tfprof.load(folder / "session")
    assert profile.steps == (3, 4, 5)
    assert "session_script.py:6:<module>:" in _lines(profile)
    trainable = profile.report(
        "scope", select=["params"], account_type_regexes=["_trainable_variables"]
    )
    assert trainable.root.total["parameters"] == 2500


def test_profile_context_around_fit(ended: Any, folder: Path) -> None:
    assert tfprof.load(folder / "context").steps == (5, 6)
    assert tfprof.load(profile=folder / "context" / "profile_9").steps == (5, 6)
    captured, unused = (line for line in ended.stderr.splitlines() if line.startswith("tfprof"))
    assert captured == (
        "tfprof: steps 5 to 6 of a tf.function are captured; open them with: tfprof context"
    )
    assert unused == (
        "tfprof.ProfileContext: nothing was traced: nothing ran more than 1 times; capture steps "
        "0:1; see tfprof.KerasCallback and tfprof.capture"
    )


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP)
    command = [sys.executable, "-m", "tfprof", "run", "--steps", "3:5", "--out", "a", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "captured in a; open it with: tfprof a" in done.stderr
    assert tfprof.load(tmp_path / "a").steps == (3, 4)


def test_a_script_that_changes_its_working_directory(tmp_path: Path) -> None:
    """Neighbours, source lines and the captured folder are found as before, as in Python."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "neighbour.py").write_text("")
    text = "import os, sys\nos.chdir('elsewhere')\nimport neighbour\nprint(__file__, sys.argv)\n"
    (tmp_path / "scripts" / "train.py").write_text(text + LOOP)
    script = str(Path("scripts", "train.py"))
    printed = []
    for options in (["-m", "tfprof", "run", "--steps", "3:5", "--out", "a", script], [script]):
        command = [sys.executable, *options]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, text=True
        )
        assert done.returncode == 3, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert not list((tmp_path / "elsewhere").iterdir())
    assert ":train_step:loss = tf.reduce_..." in _lines(tfprof.load(tmp_path / "a"))


def test_sigterm_while_a_capture_stops(tmp_path: Path) -> None:
    """It ends the process, as it does at any other time."""
    text = """
import os, signal, time, tensorflow as tf
def stop():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)
tf.profiler.experimental.stop = stop
"""
    (tmp_path / "train.py").write_text(text + LOOP)
    command = [sys.executable, "-m", "tfprof", "run", "--steps", "3:5", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == -signal.SIGTERM, done.stderr


def _run(tmp_path: Path, *arguments: str) -> Any:
    command = [sys.executable, "-m", "tfprof", "run", *arguments]
    return subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)


@pytest.mark.parametrize(
    ("out", "problem"),
    [
        ("afile", "afile is no folder; name another folder with --out"),
        ("afile/below", "afile is no folder; name another folder with --out"),
        ("link", "link is no folder; name another folder with --out"),
        ("n" * 300, "File name too long; name another folder with --out"),
        ("", "is empty; name a folder to write to"),
        ("locked/below", "locked cannot be written to; name another folder with --out"),
    ],
)
def test_a_folder_that_cannot_be_written(tmp_path: Path, out: str, problem: str) -> None:
    """It is refused before the script starts."""
    if out.startswith("locked") and os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    (tmp_path / "train.py").write_text("print('started')")
    (tmp_path / "afile").write_text("")
    (tmp_path / "link").symlink_to("missing")
    (tmp_path / "locked").mkdir(0o555)
    done = _run(tmp_path, "--out", out, "train.py")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("tfprof: option '--out': ")
    assert line.endswith(problem)


def test_a_folder_instead_of_a_script(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    done = _run(tmp_path, "scripts")
    assert done.returncode != 0
    assert done.stderr == "tfprof: scripts: is a folder; give a Python script\n"


@pytest.mark.parametrize(("end", "status"), [("sys.exit(7)", 7), ("sys.exit('no')", 1), ("", 2)])
def test_a_script_that_ends_before_a_step(tmp_path: Path, end: str, status: int) -> None:
    (tmp_path / "train.py").write_text(f"import sys\n{end}\n")
    done = _run(tmp_path, "train.py")
    assert done.returncode == status
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("tfprof"))
    assert line == (
        "tfprof: nothing was captured: no tf.function and no session ran; put "
        "`with tfprof.capture(FOLDER):` around the steps of a program that runs op by op"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["train.py"]
