"""The demo, loaded once, and `tfprof` called in this process on it or as a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tfprof
from tfprof import cli, demo
from tfprof.api.profile import Profile
from tfprof.api.screen import Screen

SOURCE = Path(tfprof.__file__).parents[1]


@dataclass(frozen=True)
class Outcome:
    """What a call of the command did."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.text.splitlines()


Tfprof = Callable[..., Outcome]


@pytest.fixture(scope="session")
def demo_profile() -> Profile:
    """The demo's profile."""
    return tfprof.load(**demo.paths())


def call(*argv: str, stdin: str = "") -> Outcome:
    """Call the command in this process."""
    out, err = io.BytesIO(), io.StringIO()
    status = cli.main(argv, screen=Screen(out, err), stdin=io.StringIO(stdin))
    return Outcome(status, out.getvalue(), err.getvalue())


@pytest.fixture
def run() -> Tfprof:
    """The command, called in this process."""
    return call


@pytest.fixture
def run_demo(demo_profile: Profile, monkeypatch: pytest.MonkeyPatch) -> Tfprof:
    """The command in this process, with `--demo` and without reading its files again."""
    load_profile = cli.load_profile

    def loaded(wanted: Any, screen: Screen, *, compat: bool) -> Profile:
        if wanted == demo.paths():
            return demo_profile
        return load_profile(wanted, screen, compat=compat)

    monkeypatch.setattr(cli, "load_profile", loaded)
    return lambda *argv, stdin="": call("--demo", *argv, stdin=stdin)


def environment(**more: str) -> dict[str, str]:
    """An environment in which `python -m tfprof` is this source tree's."""
    return {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONWARNINGS": "error", **more}


COMMAND = [sys.executable, "-m", "tfprof"]


@pytest.fixture
def process() -> Tfprof:
    """The command as a process."""

    def start(*argv: str, stdin: str = "", **more: str) -> Outcome:
        done = subprocess.run(
            [*COMMAND, *argv],
            input=stdin.encode(),
            capture_output=True,
            env=environment(**more),
            timeout=60,
        )
        return Outcome(done.returncode, done.stdout, done.stderr.decode())

    return start
