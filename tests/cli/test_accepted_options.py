"""A command refuses what it does not take: nothing that is typed is ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Tfprof
from tfprof import demo
from tfprof.cli.commands import COMMANDS, accepted_options
from tfprof.cli.flags import FLAGS
from tfprof.definitions.options import OPTIONS

VALUES = {
    "integer": "1",
    "order": "name",
    "regexes": ".*",
    "select": "micros",
    "output": "stdout",
    "text": "x",
    "time": "1ms",
    "path": "x",
    "paths": "x",
    "sizes": "B=8",
}
ARGUMENTS = {"model": ["x.pb"], "cost": ["x.pb"], "completion": ["bash"]}
SEEN_FIRST = ("help", "version")


@pytest.mark.parametrize("name", [n for n, c in COMMANDS.items() if c.where != "shell"])
def test_options_that_a_command_does_not_take_are_an_error(run: Tfprof, name: str) -> None:
    accepted = accepted_options(COMMANDS[name])
    refused = [flag for flag in FLAGS if flag not in accepted and flag not in SEEN_FIRST]
    assert refused
    for flag in refused:
        kind = FLAGS[flag].kind
        word = f"--{flag}={VALUES[kind]}" if kind in VALUES else f"--{flag}"
        words = [word, name] if name == "help" else [name, *ARGUMENTS.get(name, []), word]
        done = run(*words)
        assert (done.status, done.out) == (2, b""), words
        assert done.err.startswith(f"tfprof: '{name}' takes no option "), words
        assert flag in done.err, words


def test_the_output_of_a_model_is_not_ignored(run: Tfprof, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    done = run("model", str(demo.paths()["graph"]), "-output", f"json:outfile={path}")
    assert (done.status, done.out) == (2, b"")
    assert done.err == (
        "tfprof: 'model' takes no option '-output'; it takes --signature, --json, --explain, "
        "--depth, --run_meta_path, --bind, --quiet, --no_pager\n"
    )
    assert not path.exists()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("advise -max_depth 3", "'advise' takes no option '-max_depth'; it takes --json"),
        ("reset -max_depth 3", "'reset' takes no option '-max_depth'"),
        ("exit --legend", "'exit' takes no option '--legend'"),
    ],
)
def test_the_shell_refuses_too(run_demo: Tfprof, line: str, says: str) -> None:
    done = run_demo(stdin=line + "\n")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith(f"tfprof: {says}")


def test_files_that_a_command_does_not_read(run: Tfprof) -> None:
    done = run(str(demo.paths()["graph"]), "completion", "bash")
    assert (done.status, done.out) == (2, b"")
    assert "'completion' takes no file" in done.err


def test_options_of_a_command_need_the_command(run: Tfprof) -> None:
    for word in ("--json", "--out=x", "--explain=y"):
        done = run("--demo", word)
        assert (done.status, done.out) == (2, b"")
        name = word.partition("=")[0]
        assert f"option '{name}' needs a command: " in done.err


def test_views_take_every_option_of_a_report() -> None:
    for command in COMMANDS.values():
        if command.options:
            assert set(OPTIONS) <= set(accepted_options(command))
