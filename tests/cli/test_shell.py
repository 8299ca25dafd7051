"""The shell on piped lines: no prompt, and it survives whatever fails."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import COMMAND, Tfprof, environment
from tests.robustness.models import graph_of, log_of
from tfprof.cli.commands import COMMANDS
from tfprof.cli.flags import FLAGS
from tfprof.cli.shell import history_file
from tfprof.definitions.metrics import METRICS


def test_lines_are_answered_without_a_prompt(process: Tfprof, run_demo: Tfprof) -> None:
    done = process("--demo", stdin="op -select params\nscope -select params\n")
    assert (
        done.out == run_demo("op", "-select=params").out + run_demo("scope", "-select=params").out
    )
    assert (
        done.err == "45% of graph nodes executed, 100% of traced time attributed to graph nodes\n"
    )
    assert done.status == 0


def test_a_pipe_without_lines_shows_the_first_screen(run_demo: Tfprof) -> None:
    assert run_demo(stdin="").out == run_demo("summary").out != b""
    for argv, stdin in (("--quiet", ""), ("--compat", ""), ("--no_pager", "quit\n")):
        assert run_demo(argv, stdin=stdin).out == b""


def test_options_hold_for_one_line(run_demo: Tfprof) -> None:
    once, after = run_demo("op", "-select", "params"), run_demo("op")
    assert run_demo(stdin="op -select params\nop\n").out == once.out + after.out


@pytest.mark.parametrize("first", ["code -select params", "advise OperationChecker"])
def test_compat_says_what_there_is_to_say_of_a_view_once(
    run: Tfprof, tmp_path: Path, first: str
) -> None:
    graph, log = tmp_path / "graph.pb", tmp_path / "log"
    lost = "gradients/nowhere_grad/x"
    graph.write_bytes(graph_of(("a", "A"), (lost, "A")).SerializeToString())
    stacks = {"a": [("f.py", "f", 1), ("g.py", "g", 2)], lost: [("f.py", "f", 3)]}
    log.write_bytes(log_of(stacks).SerializeToString())
    lines = f"{first}\ncode -select params\nadvise OperationChecker\ncode -select params\n"
    done = run(f"--graph_path={graph}", f"--op_log_path={log}", "--compat", stdin=lines)
    assert done.err.count("1 gradient nodes not accounted\n") == 1


def test_set_keeps_options_until_reset(run_demo: Tfprof) -> None:
    kept, plain = run_demo("op", "-select", "params"), run_demo("op")
    done = run_demo(stdin="set -select params\nop\nop -select micros\nreset\nop\n")
    micros = run_demo("op", "-select", "micros")
    assert done.out == kept.out + micros.out + plain.out


def test_set_keeps_the_legend(run_demo: Tfprof) -> None:
    done = run_demo(stdin="set -legend\nop\nop -legend=false\n")
    assert done.out == run_demo("op", "--legend").out + run_demo("op").out


def test_flags_before_the_shell_are_set(run_demo: Tfprof) -> None:
    assert run_demo("-select=params", stdin="op\n").out == run_demo("op", "-select=params").out


def test_a_kept_option_can_be_wrong_only_once(run_demo: Tfprof) -> None:
    done = run_demo(stdin="set -show_name_regexes (\nset -output nowhere\nop\n")
    assert done.out == run_demo("op").out
    assert done.err.count("tfprof: ") == done.err.count("\n") == 2


def test_output_keys_do_not_stick(run_demo: Tfprof, tmp_path: Path) -> None:
    line = f"set -output file:outfile={tmp_path / 'a'}\nop\nop -output file\n"
    done = run_demo(stdin=line)
    assert (tmp_path / "a").read_bytes() == run_demo("op", "-output=stdout").out
    assert "file needs outfile" in done.err


def test_failures_are_told_and_survived(run_demo: Tfprof) -> None:
    lines = ["foo", "op -selct", "op 'a", "-select params", "scope --graph_path=x", "exit"]
    done = run_demo(stdin="\n".join([*lines[:-1], "op", *lines[-1:], "op"]))
    assert done.out == run_demo("op").out
    known = "summary, scope, graph, op, code, advise, set, reset, sql, help, exit, quit"
    assert done.err.splitlines() == [
        f"tfprof: unknown command 'foo'; known are {known}",
        "tfprof: unknown option '-selct'; did you mean '-select'?",
        "tfprof: unclosed quote: add a closing '",
        f"tfprof: a line starts with a command: {known}",
        "tfprof: option '--graph_path' works only on the command line",
    ]
    assert done.status == 2


def test_an_unexpected_failure_is_survived(
    run_demo: Tfprof, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("tfprof.cli.help.help_text", broken)
    done = run_demo(stdin="help\nop\n")
    assert done.out == run_demo("op").out
    assert (done.status, done.err.count("\n")) == (1, 1)


@pytest.mark.parametrize("line", ["   ", "\t", "# a comment", "tfprof>", "tfprof> # note"])
def test_nothing_is_answered_with_nothing(run_demo: Tfprof, line: str) -> None:
    done = run_demo(stdin=f"{line}\n")
    assert (done.out, done.err, done.status) == (b"", "", 0)


def test_a_copied_prompt_is_no_word(run_demo: Tfprof) -> None:
    assert run_demo(stdin="tfprof> op -select params\n").out == run_demo("op", "-select=params").out


def test_help_is_the_same_as_outside(run_demo: Tfprof, run: Tfprof) -> None:
    assert run_demo(stdin="help -select\nhelp op\n").out == run(
        "help", "-select", "op"
    ).out.replace(b"\n\nop", b"\nop", 1)


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_line_ends(run_demo: Tfprof, ending: str) -> None:
    assert run_demo(stdin=f"op -select params{ending}").out == run_demo("op", "-select=params").out


def test_a_line_may_be_any_bytes() -> None:
    done = subprocess.run(
        [*COMMAND, "--demo", "--quiet"],
        input=b"op -show_name_regexes \xff\xfe\nop \xff\nop -select params\n",
        capture_output=True,
        env=environment(),
    )
    assert done.stdout.endswith(b"VariableV2               930.58k params (100.00%, 100.00%)\n")
    assert done.stderr.count(b"tfprof: ") == done.stderr.count(b"\n") == 2
    assert done.returncode == 2


ENDING = [name for name in COMMANDS if name != "ui"]
"""Commands that end; a page is served until it is interrupted."""
WORDS = [
    *ENDING,
    *(f"-{name}" for name in FLAGS),
    *METRICS,
    *(
        "=",
        "-",
        "--",
        "'",
        '"',
        "\\",
        ",",
        "(",
        "[",
        "#",
        "a b",
        "-1",
        "99999999999999999999",
        "true",
    ),
    *("file", "file:outfile=", "csv:", ":", "é", "\0", "\x1b", "\udcff", "*", ".*"),
]


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.sampled_from(ENDING),
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["", " ", " ", "="])), max_size=5),
)
def test_no_line_is_a_surprise(
    run_demo: Tfprof,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    words: list[tuple[str, str]],
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "".join(word + after for word, after in [(command, " "), *words])
    done = run_demo(stdin=f"{line}\n")
    shot = run_demo(*line.split())
    for outcome in (done, shot):
        assert "unexpected" not in outcome.err
        failures = [text for text in outcome.err.splitlines() if text.startswith("tfprof: ")]
        assert len(failures) == (outcome.status != 0)


def test_where_the_history_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    inside = Path("tfprof") / "history"
    assert history_file({}) == tmp_path / ".local" / "state" / inside
    assert history_file({"XDG_STATE_HOME": "relative"}) == tmp_path / ".local" / "state" / inside
    assert history_file({"XDG_STATE_HOME": "/state"}) == Path("/state") / inside
