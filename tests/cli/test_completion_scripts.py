"""The completion scripts, asked through the shells themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tfprof.cli.commands import COMMANDS
from tfprof.cli.completion_scripts import SCRIPTS, script
from tfprof.cli.flags import FLAGS
from tfprof.definitions.metrics import METRICS


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_names_everything(shell: str) -> None:
    text = script([shell])
    outside = [name for name, command in COMMANDS.items() if command.where != "shell"]
    for name in [*FLAGS, *METRICS, *outside]:
        assert name in text


def in_bash(*words: str) -> list[str]:
    """What bash offers for the last of some words."""
    ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tfprof; printf \'%s\\n\' "${COMPREPLY[@]}"'
    # Outside of a completion bash has no options to change.
    text = f"compopt() {{ :; }}\n{script(['bash'])}\n{ask}"
    done = subprocess.run(
        ["bash", "-c", text, "bash", *words], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash(tmp_path: Path) -> None:
    (tmp_path / "graph.pb").touch()
    assert in_bash("tfprof", "sc") == ["scope"]
    assert in_bash("tfprof", "--demo", "op", "--sel") == ["--select"]
    assert in_bash("tfprof", "-show") == ["-show_name_regexes"]
    assert in_bash("tfprof", "op", "-order_by", "pe") == ["peak_bytes"]
    assert in_bash("tfprof", "op", "-select", "micros,pa") == ["micros,params"]
    assert in_bash("tfprof", "op", "--select", "=", "micros,pa") == ["micros,params"]
    assert in_bash("tfprof", "op", "--select", "=") == list(METRICS)
    assert in_bash("tfprof", "--graph_path", f"{tmp_path}/g") == [f"{tmp_path}/graph.pb"]
    assert in_bash("tfprof", "completion", "") == list(SCRIPTS)
    assert in_bash("tfprof", "help", "-sel") == ["-select"]
    assert in_bash("tfprof", "op", "-max_depth", "") == []


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish(tmp_path: Path) -> None:
    (tmp_path / "tfprof.fish").write_text(script(["fish"]))
    questions = ["tfprof sc", "tfprof --demo op -order_by pe", "tfprof op -select micros,pa"]
    asked = "; ".join(f'complete -C "{question}"' for question in questions)
    done = subprocess.run(
        ["fish", "-N", "-c", f"source {tmp_path}/tfprof.fish; {asked}"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert found == ["scope", "peak_bytes", "micros,params"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_reads_the_script(tmp_path: Path) -> None:
    (tmp_path / "_tfprof").write_text(script(["zsh"]))
    subprocess.run(["zsh", "-n", str(tmp_path / "_tfprof")], check=True)
