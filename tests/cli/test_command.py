"""One-shot use: the answer on stdout, the rest on stderr, and the status."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import tfprof
from tests.cli.conftest import COMMAND, Tfprof, environment
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.cli.commands import COMMANDS
from tfprof.views import VIEWS

PATHS = demo.paths()


def test_every_view_is_a_command() -> None:
    assert set(VIEWS) <= set(COMMANDS)


@pytest.mark.parametrize("view", VIEWS)
def test_a_report_is_all_there_is_on_stdout(
    process: Tfprof, demo_profile: Profile, view: str
) -> None:
    done = process("--demo", view, "-select", "micros", "-hide_name_regexes=", "-max_depth=10")
    assert done.text == demo_profile.report(view).text()
    assert (
        done.err == "45% of graph nodes executed, 100% of traced time attributed to graph nodes\n"
    )
    assert done.status == 0


def test_quiet_leaves_stderr_empty(process: Tfprof) -> None:
    assert process("--demo", "op", "--quiet").err == ""


def test_files_are_steps_in_their_order(run: Tfprof) -> None:
    runs = ",".join(map(str, PATHS["run_meta"]))
    inputs = [f"--graph_path={PATHS['graph']}", "--run_meta_path", runs]
    both = run(*inputs, "op", "-step", "1", "-order_by", "micros", "-quiet")
    only = run(*inputs[:2], str(PATHS["run_meta"][1]), "op", "-order_by=micros", "-quiet")
    assert both.status == only.status == 0
    assert both.out == only.out != run(*inputs, "op", "-order_by", "micros", "-quiet").out


def test_a_home_folder_is_found_in_any_form(
    run: Tfprof, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "graph.pb").write_bytes(PATHS["graph"].read_bytes())
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("op", "-select=params", "--graph_path=~/graph.pb").lines[1].startswith("VariableV2 ")


def test_a_checkpoint_adds_its_type(run: Tfprof) -> None:
    inputs = [f"--graph_path={PATHS['graph']}", f"--checkpoint_path={PATHS['checkpoint']}"]
    done = run(*inputs, "scope", "-account_type_regexes", "_checkpoint_variables")
    assert done.lines[1] == "_TFProfRoot (--/930.58k params)"


def test_a_saved_profile_answers_the_same(
    run: Tfprof, demo_profile: Profile, tmp_path: Path
) -> None:
    (tmp_path / "saved").write_bytes(demo_profile.serialize())
    saved = run(f"--profile_path={tmp_path / 'saved'}", "op", "-order_by", "micros")
    assert saved.out == run("--demo", "op", "-order_by", "micros").out


def test_what_cannot_be_known_is_told(run: Tfprof) -> None:
    done = run("op", f"--graph_path={PATHS['graph']}", "-select", "params,micros,tensor_value")
    assert done.status == 0
    assert done.err.splitlines() == [
        "no run metadata loaded: give --run_meta_path to see micros",
        "no checkpoint loaded: give --checkpoint_path to see tensor_value",
    ]


def test_the_legend_comes_when_asked(run_demo: Tfprof) -> None:
    plain = run_demo("op").text
    told = run_demo("op", "--legend").text
    assert told.endswith(plain)
    assert told.startswith("\nDoc:\nop: ")
    assert "\nexecution time: Sum of" in told


def test_a_report_goes_to_a_file(run_demo: Tfprof, tmp_path: Path) -> None:
    done = run_demo("op", f"--output=file:outfile={tmp_path / 'report'}")
    assert done.out == b""
    assert (tmp_path / "report").read_bytes() == run_demo("op", "-output=stdout").out


def test_a_legend_goes_to_the_file_too(run_demo: Tfprof, tmp_path: Path) -> None:
    run_demo("op", "--legend", f"--output=file:outfile={tmp_path / 'report'}")
    assert (tmp_path / "report").read_bytes() == run_demo("op", "--legend", "-output=stdout").out


def test_what_a_writer_says_is_a_message(run_demo: Tfprof, tmp_path: Path) -> None:
    words = ["scope", "-output", f"timeline:outfile={tmp_path / 'trace.json'}"]
    told, quiet = run_demo(*words), run_demo(*words, "--quiet")
    assert (told.out, quiet.out, quiet.err) == (b"", b"", "")
    assert "events" in told.err
    compat = run_demo(*words, "--compat", "--quiet")
    assert f"Timeline file is written to {tmp_path / 'trace.json'}_-1." in compat.text


def test_tables_go_to_a_folder(run_demo: Tfprof, tmp_path: Path) -> None:
    done = run_demo("tables", f"--out={tmp_path / 'tables'}")
    assert (done.status, done.out) == (0, b"")
    assert (tmp_path / "tables" / "nodes.parquet").exists()


def test_advice(run_demo: Tfprof) -> None:
    assert "top 1 operation type: Conv2DBackpropFilter" in run_demo("advise").text
    only = run_demo("advise", "ExpensiveOperationChecker")
    assert only.text.startswith("\nExpensiveOperationChecker:\n")
    assert list(json.loads(run_demo("advise", "--json").text)) == ["checkers", "messages"]
    wrong = run_demo("advise", "ExpensiveOperationCheker")
    assert (wrong.status, wrong.out) == (2, b"")


def test_a_regex_can_hold_a_blank_and_a_comma(run_demo: Tfprof) -> None:
    option = r"AddN|x\, y,Conv2D"
    flags = run_demo("op", "-account_type_regexes", option)
    shell = run_demo(stdin=f"op -account_type_regexes '{option}'\n")
    assert flags.out == shell.out
    assert [line.split()[0] for line in flags.lines[1:]] == ["Conv2D", "AddN"]


def test_without_arguments_there_is_help(run: Tfprof) -> None:
    assert run().out == run("--help").out == run("-h").out
    assert run().status == 0


def test_the_version(run: Tfprof) -> None:
    assert run("--version").text == f"tfprof {tfprof.__version__}\n"


MISUSES = {
    "--demo foo": "'foo' is neither a command nor a file; commands are summary, scope, graph",
    "--demo scpe": "did you mean 'scope'?",
    "--demo op --selct micros": "unknown option '--selct'; did you mean '--select'?",
    "--demo op -select": "option '-select' needs a value",
    "--demo op -select microz": "did you mean 'micros'?",
    "--demo op -order_by microz": "did you mean 'micros'?",
    "--demo op -max_depth ten": "'ten' is not a whole number",
    "--demo op -max_depth 99999999999999999999": "does not fit in 64 bits",
    "--demo op -step 7": "there is no step 7",
    "--demo op -show_name_regexes (": "option 'show_name_regexes': invalid regex '('",
    "--demo op -output nowhere": "unknown type 'nowhere'",
    "--demo op -output file": "file needs outfile",
    "--demo op -output file:outfil=x": "no key 'outfil'",
    "--demo op rows": "'rows' is neither a command nor a file",
    "--demo set -step 1": "'set' works only at the prompt",
    "--demo --graph_path=g op": "leave out --graph_path",
    "--profile_path=p --graph_path=g op": "--profile_path is a whole profile; leave out --graph",
    "--profile_path=p --run_meta_path=r op": "leave out --run_meta_path",
    "op": "no input: name a file or a folder, or try --demo",
    "completion csh": "'completion' needs a shell",
    "help scpe": "no help on 'scpe'; did you mean 'scope'?",
    "tables": "'tables' needs --out",
    "--demo op --out x": "'op' takes no option '--out'; it belongs to 'run', 'tables'",
}


@pytest.mark.parametrize("line", MISUSES)
def test_misuse_is_one_line_and_status_2(run_demo: Tfprof, run: Tfprof, line: str) -> None:
    done = run(*line.split(" "))
    assert MISUSES[line] in done.err
    assert done.err.startswith("tfprof: ")
    assert done.err.count("\n") == 1
    assert (done.status, done.out) == (2, b"")


def test_failed_input_and_output_is_one_line_and_status_1(run: Tfprof, tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(b"\xff\x00junk" * 9)
    for line in (
        f"op --graph_path={tmp_path / 'missing'}",
        f"op --graph_path={tmp_path}",
        f"op --graph_path={tmp_path / 'junk'}",
        f"op --profile_path={tmp_path / 'junk'}",
        f"op --graph_path={PATHS['graph']} --run_meta_path={tmp_path / 'junk'}",
        f"op --graph_path={PATHS['graph']} --op_log_path={tmp_path / 'missing'}",
        f"op --graph_path={PATHS['graph']} --checkpoint_path={tmp_path / 'missing'}",
        f"op --graph_path={PATHS['graph']} -select params -output file:outfile={tmp_path}/no/x",
        f"op --graph_path={PATHS['graph']} -select params -output file:outfile={tmp_path}",
    ):
        done = run(*line.split())
        assert (done.status, done.out) == (1, b""), line
        assert done.err.startswith("tfprof: "), line
        assert str(tmp_path) in done.err, line
        assert done.err.count("\n") == 1, line


def test_a_file_name_cannot_upset_the_terminal(run: Tfprof) -> None:
    assert run("op", "--graph_path=\x1b]0;title\x07").err.startswith("tfprof: \\x1b]0;title\\x07")


def piped_to(reader: str) -> tuple[int, str]:
    command = " ".join(COMMAND) + f" --demo --quiet scope -max_depth 100 {reader}"
    script = f'{command}; echo "${{PIPESTATUS[0]}}" >&2'
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment(), timeout=60
    )
    *lines, status = done.stderr.splitlines()
    return int(status), "\n".join(lines)


def test_a_reader_that_leaves_early_is_no_failure() -> None:
    assert piped_to("| head -1 > /dev/null") == (0, "")


def test_a_closed_stdout_is_a_failure() -> None:
    assert piped_to(">&-") == (1, "tfprof: standard output is closed; nothing can be printed")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_a_failure() -> None:
    status, message = piped_to("> /dev/full")
    assert (status, message) == (1, f"tfprof: standard output: cannot write: {os.strerror(28)}")


def test_an_interrupt_is_told_by_the_status(run: Tfprof, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tfprof.cli.load_profile", interrupted)
    assert run("--demo", "op").status == 130


def test_a_bug_is_one_line_too(run: Tfprof, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr("tfprof.cli.load_profile", broken)
    done = run("--demo", "op")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert done.err.startswith("tfprof: unexpected ZeroDivisionError: oh no")
