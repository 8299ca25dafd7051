"""The manual page: it is current, names everything, and troff reads it without a warning."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import environment
from tfprof.cli.commands import COMMANDS
from tfprof.cli.flags import ENVIRONMENT, FLAGS, SWITCHES
from tfprof.cli.inputs import INPUTS
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import listed_options
from tfprof.loaders import LOADERS
from tfprof.outputs import OUTPUTS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tfprof.1"


def troff(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["groff", "-man", "-ww", *options, str(PAGE)], capture_output=True, text=True, check=True
    )


def test_the_page_is_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "docs.py"), "--check"],
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_names_everything() -> None:
    text = PAGE.read_text().replace("\\-", "-")
    terms = re.findall(r"^\.TP\n\.B (\S+)", text, re.MULTILINE)
    flags = {f"--{name}" for name in FLAGS if name in {*SWITCHES, *INPUTS}}
    flags |= {f"--{flag.name}" for command in COMMANDS.values() for flag in command.flags}
    options = {f"-{option.name}" for option in listed_options()}
    named = {re.split(r"[=\[]", term)[0] for term in terms}
    assert {*COMMANDS, *METRICS, *flags, *options} <= named
    assert {term.partition(":")[0] for term in terms} >= set(OUTPUTS)
    for name in [*LOADERS, *ENVIRONMENT]:
        assert f".B {name}\n" in text


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
def test_troff_reads_the_page() -> None:
    assert troff("-z").stderr == ""
    text = troff("-Tascii", "-P-cbou").stdout
    assert "tfprof - where a model's parameters, float operations" in " ".join(text.split())
    assert "-max_depth N" in text
    assert "save\\/.*" in text
