"""In a real terminal: the shell, its first screen, pager, colours, width and progress."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.cli.conftest import COMMAND, Tfprof, environment
from tfprof import demo
from tfprof.protos import graph_pb2

PROMPT = "tfprof>"
MODEL = str(Path(__file__).resolve().parents[1] / "data" / "keras_2" / "frozen_backbone")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\r\x07]")

# What pytest or its caller may have set, and what the size of the terminal must not yield to.
FOREIGN = ("NO_COLOR", "COLUMNS", "LINES", "LESS", "PAGER", "TFPROF_PAGER")

Terminal = Any
Open = Callable[..., Terminal]


def seen(terminal: Terminal) -> str:
    """What was printed before the last match, without what moves the cursor and sets colours."""
    return CONTROL.sub("", terminal.before or "")


def until(terminal: Terminal, pattern: str) -> str:
    """Wait for a text; everything up to it."""
    terminal.expect(pattern)
    return seen(terminal)


def variables(**more: str) -> dict[str, str]:
    """An environment that says nothing of terminals but this."""
    known = environment()
    return {**{name: known[name] for name in known if name not in FOREIGN}, **more}


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Open]:
    """Starts `tfprof` in a terminal of 30 lines; its history is under `tmp_path`."""
    opened = []

    def start(*argv: str, greeted: bool = True, **more: str) -> Terminal:
        found = pexpect.spawn(
            COMMAND[0],
            [*COMMAND[1:], *(argv or ("--demo",))],
            env=variables(
                **{
                    "TERM": "xterm",
                    "XDG_STATE_HOME": str(tmp_path / "state"),
                    "PROMPT_TOOLKIT_NO_CPR": "1",
                    "PAGER": "cat",
                    "NO_COLOR": "1",
                    "HOME": str(tmp_path),
                    **more,
                }
            ),
            dimensions=(30, 160),
            encoding="utf-8",
            timeout=60,
        )
        opened.append(found)
        if greeted:
            found.expect("Ctrl-D leaves")
            found.greeting = seen(found)
            found.expect(PROMPT)
        return found

    yield start
    for found in opened:
        found.close(force=True)


def ended(terminal: Terminal) -> int:
    """The exit status once it has ended."""
    terminal.expect(pexpect.EOF)
    terminal.close()
    return int(terminal.exitstatus)


def test_a_session(terminal: Open, tmp_path: Path) -> None:
    shell = terminal()

    # Completion of a command, an option, a metric and a name; then the answer.
    shell.send("sc\t")
    # It may draw what was typed before it completes it.
    until(shell, r"sc(\x1b\[[0-9;?]*[A-Za-z])*ope")
    shell.send(" -sel\t")
    until(shell, "ct")
    shell.send(" par\t")
    until(shell, "ams")
    shell.send(" -show_name_regexes pool_logit/b\t")
    until(shell, "iases")
    shell.send("\r")
    until(shell, r"pool_logit/biases +10 +10/20")

    # An error is one line, and the next line is answered.
    shell.expect(PROMPT)
    shell.send("scpe\r")
    until(shell, "tfprof: unknown command 'scpe'; did you mean 'scope'?")
    shell.expect(PROMPT)

    # Ctrl-C drops a line and stays.
    shell.send("op -select nonsense")
    shell.expect("nonsense")
    shell.sendintr()
    shell.expect(PROMPT)

    # `set` holds for the lines that follow.
    shell.send("set -account_type_regexes _trainable_variables -select params\r")
    shell.expect(PROMPT)
    shell.send("scope -max_depth 0\r")
    until(shell, r"_TFProfRoot +--/464.15k")
    shell.expect(PROMPT)
    shell.send("\r")
    until(shell, r"-account_type_regexes       _trainable_variables")
    shell.expect(PROMPT)

    # Ctrl-D leaves.
    shell.sendeof()
    assert ended(shell) == 0

    # The history is kept for the next time, and can be searched.
    kept = (tmp_path / "state" / "tfprof" / "history").read_text()
    assert "+scope -max_depth 0\n" in kept
    assert "nonsense" not in kept
    again = terminal()
    again.send("\x12trainable")
    until(again, "set -account_type_regexes _")
    again.send("\r\r")
    again.expect(PROMPT)
    again.send("\x1b[A")
    until(again, "set -account_type_regexes")
    again.sendintr()
    again.expect(PROMPT)
    again.send("exit\r")
    assert ended(again) == 0


def test_completion_lists_what_is_there(terminal: Open) -> None:
    shell = terminal()
    shell.send("op -order_by pe\t")
    until(shell, "ak_bytes")
    shell.sendintr()
    shell.expect(PROMPT)
    shell.send("scope -show_name_regexes unit_1_0/sub\t\t")
    until(shell, "unit_1_0/sub1/")
    until(shell, "unit_1_0/sub_add/")


def test_long_answers_are_paged(terminal: Open, tmp_path: Path) -> None:
    pager = tmp_path / "pager.py"
    pager.write_text("import sys; print('PAGED', len(sys.stdin.read().splitlines()))")
    shell = terminal(PAGER=f"{sys.executable} {pager}")
    shell.send("scope -select params -max_depth 0\r")
    assert "PAGED" not in until(shell, PROMPT)
    shell.send("scope -select micros -max_depth 100\r")
    paged = re.search(r"PAGED (\d+)", until(shell, r"PAGED \d+\r") + (shell.after or ""))
    assert paged
    assert int(paged[1]) > 1000
    shell.expect(PROMPT)
    shell.send("op -select params\r")
    until(shell, "VariableV2")


def test_a_missing_pager_is_no_failure(terminal: Open) -> None:
    shell = terminal(PAGER="/nonexistent/pager")
    shell.send("help\r")
    until(shell, "unless -account_displayed_op_only is set")


def test_leaving_less_comes_back_to_the_prompt(terminal: Open) -> None:
    shell = terminal(PAGER="less")
    shell.send("scope -select micros -max_depth 100\r")
    until(shell, r"_TFProfRoot.*:\x1b\[K")
    # An interrupt makes less forget what is typed meanwhile, so it may need telling again.
    shell.sendintr()
    for _ in range(10):
        shell.send("q")
        if shell.expect([PROMPT, pexpect.TIMEOUT], timeout=1) == 0:
            break
    shell.send("quit\r")
    assert ended(shell) == 0


def test_a_home_that_cannot_be_written_is_no_failure(terminal: Open, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    shell = terminal(XDG_STATE_HOME=str(tmp_path / "file"))
    shell.send("op -select params\r")
    until(shell, "VariableV2")
    shell.expect(PROMPT)
    shell.send("\x1b[A")
    until(shell, "op -select params")


def test_names_cannot_upset_the_terminal(terminal: Open, tmp_path: Path) -> None:
    graph = graph_pb2.GraphDef()
    graph.node.add(name="\x1b[31mred\x07", op="VariableV2")
    graph.node.add(name="é\u202eabc\x9b1m", op="VariableV2")
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    shell = terminal(f"--graph_path={path}")
    shell.send("scope -select op_types -account_type_regexes .*\r")
    answer = until(shell, r"c\\x9b1m +VariableV2") + shell.after
    assert r"\x1b[31mred\x07" in answer
    assert r"é\u202eab" in answer
    assert "\x1b[31m" not in shell.before


def test_the_first_screen_is_a_summary_that_fits(terminal: Open) -> None:
    shell = terminal()
    greeting = shell.greeting.splitlines()
    assert 20 < len(greeting) <= 30
    assert "Op types by time" in greeting
    assert any("Conv2DBackpropFilter" in line and "█" in line for line in greeting)
    command = "  op -select micros,bytes,occurrence"
    assert any(line.startswith(command) for line in greeting)


@pytest.mark.parametrize("switch", ["--compat", "--quiet"])
def test_compat_and_quiet_have_no_summary(terminal: Open, switch: str) -> None:
    shell = terminal("--demo", switch, greeted=False)
    shell.expect(PROMPT)
    assert "Op types" not in seen(shell)
    size = "tfprof 0.1.0: 2,684 nodes, 2 steps. Enter shows the options"
    assert (size in seen(shell)) == (switch == "--compat")


def test_a_wrong_symbol_ends_the_shell_before_it_starts(terminal: Open) -> None:
    shell = terminal("--demo", "--bind=Q=3", greeted=False)
    assert ended(shell) == 2
    assert "tfprof: cannot bind 'Q': this model has no symbols" in seen(shell)


def spawn(*argv: str, columns: int = 100, **more: str) -> Terminal:
    """The command in a terminal of 20 lines, once it has ended."""
    found = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *argv],
        env=variables(**{"TERM": "xterm", **more}),
        dimensions=(20, columns),
        encoding="utf-8",
        timeout=60,
    )
    assert ended(found) == 0
    return found


LONG = ("--demo", "--quiet", "scope", "-select=micros", "-max_depth=5")
SHORT = ("--demo", "--quiet", "op", "-select=params")


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """A pager that says how many lines it got."""
    path = tmp_path / "pager.py"
    path.write_text("import sys; print('PAGED', len(sys.stdin.read().splitlines()))")
    return f"{sys.executable} {path}"


def test_long_answers_of_one_command_are_paged_as_by_git(pager: str) -> None:
    assert "PAGED" in spawn(*LONG, PAGER=pager).before
    assert "PAGED" in spawn(*LONG, PAGER="cat", TFPROF_PAGER=pager).before
    assert "PAGED" not in spawn(*SHORT, PAGER=pager).before
    assert "PAGED" not in spawn(*LONG, "--no-pager", PAGER=pager).before
    assert "PAGED" not in spawn(*LONG, "--compat", PAGER=pager).before
    assert "PAGED" not in spawn(*LONG, PAGER=pager, TERM="dumb").before


def test_colours_are_for_terminals_that_want_them() -> None:
    hot = "\x1b[1;31m"
    words = ("--demo", "--quiet", "op", "-select=micros", "-order_by=micros", "--no-pager")
    assert hot in spawn(*words).before
    assert "█" in spawn(*words).before
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in spawn(*words, **more).before
    assert "\x1b" not in spawn(*words, "--compat").before


def test_compat_prints_the_text_of_a_pipe(process: Tfprof) -> None:
    words = ("--demo", "--quiet", "op", "--compat", "-select=micros,bytes", "-max_depth=4")
    assert spawn(*words).before.replace("\r\n", "\n") == process(*words).text


@pytest.mark.parametrize("columns", [60, 80, 130])
@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_rows_fit_the_width(view: str, columns: int) -> None:
    words = ("--demo", "--quiet", view, "-select=micros,bytes,accelerator_micros", "-max_depth=6")
    lines = spawn(*words, "--no-pager", columns=columns, NO_COLOR="1").before.split("\r\n")
    assert len(lines) > 5
    assert max(map(len, lines)) <= columns
    assert "accelerator" not in "".join(lines[:4])


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("command", ["model", "cost"])
def test_tables_of_models_fit_the_width(process: Tfprof, command: str, columns: int) -> None:
    words = (command, MODEL, "--quiet", "--no-pager")
    lines = spawn(*words, columns=columns, NO_COLOR="1").before.split("\r\n")
    assert len(lines) > 9
    assert max(map(len, lines)) <= columns
    assert "█" in "".join(lines) or columns == 60
    assert "\x1b[1;31m" in spawn(*words, columns=columns).before
    assert not {"\x1b", "█"} & set(process(*words, COLUMNS="60", TERM="xterm").text)


def test_files_and_pipes_have_nothing_of_it(process: Tfprof, tmp_path: Path) -> None:
    words = ("--demo", "--quiet", "op", "-select=micros,accelerator_micros", "-order_by=micros")
    piped = process(*words, COLUMNS="60", TERM="xterm")
    assert "accelerator execution time" in piped.lines[0]
    assert not {"\x1b", "█", "…"} & set(piped.text)
    out = tmp_path / "report.txt"
    assert spawn(*words, f"-output=file:outfile={out}").before == ""
    assert out.read_text() == piped.text


def test_what_takes_long_shows_progress(tmp_path: Path) -> None:
    pipe = tmp_path / "graph"
    os.mkfifo(pipe)
    shown = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], f"--graph_path={pipe}", "op", "-select=params"],
        env=variables(TERM="xterm", NO_COLOR="1"),
        dimensions=(30, 100),
        encoding="utf-8",
        timeout=60,
    )
    shown.expect("reading files, 1 s")
    pipe.write_bytes(demo.paths()["graph"].read_bytes())
    shown.expect(r"\r\x1b\[Knode name")
    assert "VariableV2" in (shown.read() or "")
    shown.close()
    assert shown.exitstatus == 0
