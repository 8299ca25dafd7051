"""The shell in a real terminal: editing, completion, history, interrupts, errors, pager."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.cli.conftest import COMMAND, environment
from tfprof import demo
from tfprof.protos import graph_pb2

PROMPT = "tfprof>"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\r\x07]")

Terminal = Any
Open = Callable[..., Terminal]


def seen(terminal: Terminal) -> str:
    """What was printed before the last match, without what moves the cursor and sets colours."""
    return CONTROL.sub("", terminal.before or "")


def until(terminal: Terminal, pattern: str) -> str:
    """Wait for a text; everything up to it."""
    terminal.expect(pattern)
    return seen(terminal)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Open]:
    """Starts `tfprof` in a terminal of 30 lines; its history is under `tmp_path`."""
    opened = []

    def start(*argv: str, **more: str) -> Terminal:
        found = pexpect.spawn(
            COMMAND[0],
            [*COMMAND[1:], *(argv or ("--demo",))],
            env=environment(
                **{
                    "TERM": "xterm",
                    "XDG_STATE_HOME": str(tmp_path / "state"),
                    "PROMPT_TOOLKIT_NO_CPR": "1",
                    "PAGER": "cat",
                    "HOME": str(tmp_path),
                    **more,
                }
            ),
            dimensions=(30, 160),
            encoding="utf-8",
            timeout=10,
        )
        opened.append(found)
        found.expect("Ctrl-D leaves")
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
    until(shell, "scope")
    shell.send(" -sel\t")
    until(shell, "ct")
    shell.send(" par\t")
    until(shell, "ams")
    shell.send(" -show_name_regexes pool_logit/b\t")
    until(shell, "iases")
    shell.send("\r")
    until(shell, r"pool_logit/biases \(10, 10/20 params\)")

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
    until(shell, r"_TFProfRoot \(--/464.15k params\)")
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
    shell = terminal(PAGER="")
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
    answer = until(shell, r"c\\x9b1m \(VariableV2\)") + shell.after
    assert r"\x1b[31mred\x07" in answer
    assert r"é\u202eab" in answer
    assert "\x1b[31m" not in shell.before


def test_one_shot_in_a_terminal_is_not_paged(tmp_path: Path) -> None:
    graph = demo.paths()["graph"]
    shown = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], f"--graph_path={graph}", "op", "-select=op_types", "-max_depth=99"],
        env=environment(PAGER="/bin/false", TERM="xterm"),
        dimensions=(10, 200),
        encoding="utf-8",
        timeout=10,
    )
    shown.expect("VariableV2")
    assert ended(shown) == 0
