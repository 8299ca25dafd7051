"""The completion scripts, asked through the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

from tfprof.advisor import CHECKERS
from tfprof.cli.commands import COMMANDS
from tfprof.cli.completion_scripts import SCRIPTS, script
from tfprof.cli.flags import FLAGS
from tfprof.cli.inputs import INPUTS
from tfprof.definitions.metrics import METRICS


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_names_everything(shell: str) -> None:
    text = script([shell])
    outside = [name for name, command in COMMANDS.items() if command.where != "shell"]
    for name in [*FLAGS, *METRICS, *outside]:
        assert name in text


def in_bash(*words: str, folder: Path | None = None) -> list[str]:
    """What bash offers for the last of some words."""
    ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tfprof; printf \'%s\\n\' "${COMPREPLY[@]}"'
    # Outside of a completion bash has no options to change.
    text = f"compopt() {{ :; }}\n{script(['bash'])}\n{ask}"
    done = subprocess.run(
        ["bash", "-c", text, "bash", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    assert done.stderr == ""
    return done.stdout.splitlines() if done.stdout != "\n" else []


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


def test_bash_completes_paths(tmp_path: Path) -> None:
    for name in ("my model.pb", "my_graph.pb"):
        (tmp_path / name).touch()
    (tmp_path / "scope_folder").mkdir()
    prefix = f"{tmp_path}/my"
    found = [f"{tmp_path}/my model.pb", f"{tmp_path}/my_graph.pb"]
    for words in ([], ["model"], ["cost"], ["op"], ["tables"]):
        assert sorted(in_bash("tfprof", *words, prefix)) == found, words
    assert in_bash("tfprof", "sc", folder=tmp_path) == ["scope", "scope_folder"]
    runs = in_bash("tfprof", "--run_meta_path", "=", f"a,{tmp_path}/my_")
    assert runs == [f"a,{tmp_path}/my_graph.pb"]


def test_bash_completes_files_after_outfile(tmp_path: Path) -> None:
    (tmp_path / "rows.json").touch()
    start = ("tfprof", "op", "-output", "json")
    assert in_bash("tfprof", "op", "-output", "js") == ["json", "json:outfile="]
    assert in_bash("tfprof", "op", "-output", "fi") == ["file:outfile="]
    assert in_bash(*start, ":") == ["outfile="]
    assert in_bash(*start, ":", "out") == ["outfile="]
    assert in_bash(*start, ":", "outfile", "=", f"{tmp_path}/r") == [f"{tmp_path}/rows.json"]
    assert in_bash(*start, ":", "outfile", "=", folder=tmp_path) == ["rows.json"]
    assert in_bash(
        "tfprof", "op", "--output", "=", "json", ":", "outfile", "=", "r", folder=tmp_path
    ) == ["rows.json"]


def test_bash_completes_checkers() -> None:
    assert in_bash("tfprof", "--demo", "advise", "Exp") == ["ExpensiveOperationChecker"]
    assert set(CHECKERS) <= set(in_bash("tfprof", "--demo", "advise", ""))


def test_bash_offers_what_a_command_takes() -> None:
    assert in_bash("tfprof", "tables", "--") == [
        "--out", *(f"--{name}" for name in INPUTS), "--compat", "--quiet", "--no_pager",
    ]  # fmt: skip
    assert "--signature" in in_bash("tfprof", "model", "--")
    assert "--signature" not in in_bash("tfprof", "op", "--")
    assert in_bash("tfprof", "op", "--js") == ["--json"]
    assert in_bash("tfprof", "diff", "sc") == ["scope"]
    assert in_bash("tfprof", "diff", "--before") == ["--before_step"]


CHOICES: dict[str, list[str]] = {
    "tfprof sc": ["scope"],
    "tfprof g": ["graph", "graph.pb"],
    "tfprof my": ["my model"],
    "tfprof model gra": ["graph.pb"],
    "tfprof diff g": ["graph", "graph.pb"],
    "tfprof diff --str": ["--strict"],
    "tfprof --sel": ["--select"],
    "tfprof -sel": ["-select"],
    "tfprof op --js": ["--json"],
    "tfprof model --sig": ["--signature"],
    "tfprof op --sig": [],
    "tfprof op -max_depth ": [],
    "tfprof --demo op -order_by pe": ["peak_bytes"],
    "tfprof op -select micros,pa": ["params"],
    "tfprof op --select=micros,pa": ["params"],
    "tfprof --graph_path g": ["graph.pb"],
    "tfprof --run_meta_path a,g": ["graph.pb"],
    "tfprof op -output js": ["json", "json:outfile="],
    "tfprof op -output json:outfile=g": ["graph.pb"],
    "tfprof help -sel": ["-select"],
    "tfprof completion ": sorted(SCRIPTS),
    "tfprof --demo advise Exp": ["ExpensiveOperationChecker"],
}
"""What a shell offers for the end of a line, in a folder with `graph.pb` and `my model/`."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "graph.pb").touch()
    (work / "my model").mkdir()
    return work


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "tfprof.fish").write_text(script(["fish"]))
    asked = "; ".join(f"echo '? {line}'; complete -C '{line}'" for line in CHOICES)
    done = subprocess.run(
        ["fish", "-N", "-c", f"source {tmp_path}/tfprof.fish; {asked}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert done.stderr == ""
    found: dict[str, list[str]] = {}
    for text in done.stdout.splitlines():
        if text.startswith("? "):
            line = text[2:]
            found[line] = []
            continue
        # fish offers whole words, also what was typed before a comma or an equals sign.
        typed = line.rpartition(" ")[2]
        before = typed[: max(typed.rfind(","), typed.rfind("=")) + 1]
        found[line].append(text.split("\t")[0].removeprefix(before).rstrip("/"))
    assert found == CHOICES


ZSHRC = r"""
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit
compinit -u -d $ZDOTDIR/dump
PROMPT="READY>"
compadd() {
  local -a offered
  if [[ "${@[1,(i)(-|--)]}" != *-(O|A|D)* ]]; then
    builtin compadd -O offered "$@"
    (( $#offered )) && print -rl -- $offered >> $ZDOTDIR/offered
  fi
  builtin compadd "$@"
}
end_of_line() {
  print -r -- "? $BUFFER" >> $ZDOTDIR/offered
  BUFFER=""
}
zle -N end_of_line
bindkey "^X^A" end_of_line
"""
"""Writes what is offered for a line to a file, and on Ctrl-X Ctrl-A the line."""


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "_tfprof").write_text(script(["zsh"]))
    (tmp_path / ".zshrc").write_text(ZSHRC)
    shell = pexpect.spawn(
        "zsh",
        ["-d", "-i"],
        env={**os.environ, "ZDOTDIR": str(tmp_path), "TERM": "dumb"},
        encoding="utf-8",
        dimensions=(60, 200),
        timeout=120,
        cwd=str(folder),
    )
    shell.expect("READY>")
    for line in CHOICES:
        shell.send(f"{line}\t\x18\x01")
    shell.sendline("exit")
    shell.expect(pexpect.EOF)
    shell.close()
    offered: list[list[str]] = [[]]
    for text in (tmp_path / "offered").read_text().splitlines():
        if text.startswith("? "):
            offered.append([])
        else:
            offered[-1].append(text.replace("\\", ""))
    found = dict(zip(CHOICES, map(sorted, offered[:-1]), strict=True))
    assert found == CHOICES
