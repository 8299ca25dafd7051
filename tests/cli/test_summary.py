"""`tfprof summary`: the text, its JSON, and commands that work when they are typed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Tfprof
from tfprof import demo
from tfprof.api.profile import Profile

PATHS = demo.paths()


def test_it_prints_what_python_returns(run_demo: Tfprof, demo_profile: Profile) -> None:
    done = run_demo("summary")
    assert done.text == demo_profile.summary().text(command="tfprof --demo")
    assert (done.status, done.err) == (0, "")
    assert json.loads(run_demo("summary", "--json").text) == demo_profile.summary().to_dict()


def test_the_shell_names_commands_as_they_are_typed_there(run_demo: Tfprof) -> None:
    once, shell = run_demo("summary").text, run_demo(stdin="summary\n").text
    assert once.replace("  tfprof --demo ", "  ") == shell


@pytest.mark.parametrize("name", ["demo", "graph", "checkpoint", "run_meta", "saved", "tables"])
def test_the_next_commands_have_answers(
    run: Tfprof,
    name: str,
    demo_profile: Profile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved").write_bytes(demo_profile.serialize())
    demo_profile.save_tables(tmp_path / "tables")
    (tmp_path / "graph").symlink_to(PATHS["graph"])
    (tmp_path / "run_meta").symlink_to(PATHS["run_meta"][0])
    inputs = {"demo": "--demo", "checkpoint": f"--checkpoint_path={PATHS['checkpoint']}"}
    done = run("summary", inputs.get(name, name))
    assert done.status == 0
    *_, block = done.text.partition("\nNext\n")
    commands = [line.strip() for line in block.splitlines()]
    assert len(commands) >= 3
    for command in commands:
        if "…" in command:
            command = command.replace("…", inputs.get(name, name))
        answer = run(*shlex.split(command)[1:])
        assert answer.status == 0, (command, answer.err)
        assert len(answer.lines) > 1 or "outfile=" in command, command


def test_a_model_leads_to_its_layers(run: Tfprof) -> None:
    done = run("summary", str(PATHS["graph"]))
    assert " model\n" in done.text
    assert " model\n" not in run("summary", f"--graph_path={PATHS['graph']}").text


def test_compat_has_no_summary(run_demo: Tfprof) -> None:
    done = run_demo("summary", "--compat")
    assert (done.status, done.out) == (2, b"")
    assert "'summary' is not in the original" in done.err
    done = run_demo("--compat", stdin="summary\n")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("tfprof: 'summary' is not in the original")
