"""Every tfprof command line of the user documents, replayed.

What depends on the model alone must be what the documents print; the times of their machines are
in the models that were written from the documents, and differ on the demo.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf import text_format

from tests.cli.conftest import Outcome, call, environment
from tests.seeds.documents import Shown, started, typed
from tests.seeds.models import MODELS
from tfprof import demo
from tfprof.protos import graph_pb2

ELLIPSIS = "..."
PATHS = demo.paths()
Check = Callable[[tuple[str, ...], list[str]], None]


def without_header(answer: tuple[str, ...] | list[str]) -> list[str]:
    """An answer's rows."""
    return [line for line in answer if not line.startswith("node name |")]


def exactly(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows, line for line."""
    assert rows == without_header(expected)


def but_for_global_step(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows; the documents give a scalar one parameter in one place and none in others."""
    exactly(tuple(line.replace("(0/0 params)", "(1/1 params)") for line in expected), rows)


def root_aside(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows but what the root says of itself, which it has no numbers of."""
    assert rows[0] == re.sub(r"\(\w+/", "(--/", expected[0])
    assert rows[1:] == list(expected[1:])


def in_order(expected: tuple[str, ...], rows: list[str]) -> None:
    """The printed rows but the root, in this order among others: we count more operations."""
    left = iter(rows[1:])
    for line in without_header(expected)[1:]:
        assert line == "  ..." or line in left, line


def largest(expected: tuple[str, ...], rows: list[str]) -> None:
    """The first row up to its own share: we count more operations, and no more rows fit."""
    beginning = without_header(expected)[0].partition("%,")[0]
    assert rows[0].startswith(beginning)


def by_first_time(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows up to their first column: the documents have one column of time, we have three."""
    left = list(rows)
    skips = False
    for line in without_header(expected):
        if line.strip() == ELLIPSIS:
            skips = True
            continue
        # Only the older documents give the root a time of its own.
        beginning = line.removesuffix(")").replace("_TFProfRoot (0us/", "_TFProfRoot (--/")
        while skips and left and not left[0].startswith(beginning):
            left.pop(0)
        assert left, line
        assert left.pop(0).startswith(beginning), line
        skips = False
    assert skips or not left


def first_by_time(expected: tuple[str, ...], rows: list[str]) -> None:
    """The first rows up to their first column; the documents leave the others out."""
    by_first_time((*expected, ELLIPSIS), rows)


def nodes_by_time(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows but scopes, which the documents leave out and later versions show."""
    nodes = [f"  {row.strip()}" for row in rows[1:] if "(0us/" not in row]
    by_first_time(expected, [rows[0], *nodes])


def op_rows(expected: tuple[str, ...], rows: list[str]) -> None:
    """Names, times and own shares of the operation types, the largest first."""
    for line, row in zip(without_header(expected), rows, strict=False):
        name, time, share = re.findall(r"^\S+|[\d.]+m?sec|[\d.]+ms|, [\d.]+%", line)[:3]
        assert row.startswith(name), line
        assert time in row, line
        assert share in row, line


def op_devices(expected: tuple[str, ...], rows: list[str]) -> None:
    """Devices as well; their names are lower case now, and there is one form of them."""
    op_rows(expected, rows)
    for line, row in zip(without_header(expected), rows, strict=False):
        devices = line.lower().rpartition(", ")[2].replace("/cpu:", "/device:cpu:")
        assert row.replace("/cpu:", "/device:cpu:").endswith(devices), line


def sorted_by_time(expected: tuple[str, ...], rows: list[str]) -> None:
    """As many rows as are printed, the largest share of time first, and three kinds of number."""
    assert len(rows) == len(expected)
    shares = [float(re.findall(r"([\d.]+)%\)", row)[1]) for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert all(re.search(r"B \(.*(us|ms|sec) \(.*\d+\|\d+$", row) for row in rows)


def only_slow(least: int) -> Check:
    """Rows that take at least so many microseconds; which ones depends on the machine."""

    def check(expected: tuple[str, ...], rows: list[str]) -> None:
        assert re.match(r"_TFProfRoot \(--/[\d.]+(ms|sec), ", rows[0])
        units = {"us": 1, "ms": 1_000, "sec": 1_000_000}
        for row in rows[1:]:
            number, unit = re.findall(r"/([\d.]+)(us|ms|sec)", row)[0]
            assert float(number) * units[unit] >= least

    return check


def options(expected: tuple[str, ...], rows: list[str]) -> None:
    """Every option of the documents with its value, among others that came later."""
    for line in expected:
        if line.startswith("-output"):
            assert "-output                     stdout" in rows
        elif line.startswith("-account_type_regexes"):
            assert f"{line},VarHandleOp" in rows
        elif line.startswith("-"):
            assert line in rows
        elif not line.startswith("#  "):
            tokens = set(re.findall(r"\w+", line))
            assert any(tokens <= set(re.findall(r"\w+", row)) for row in rows), line


def nothing(expected: tuple[str, ...], rows: list[str]) -> None:
    """No answer."""
    assert rows == []


# What each line needs, and what of its answer does not depend on a machine.
REPLAYS: dict[str, tuple[str, Check]] = {
    "": ("graph", options),
    "code -max_depth 1000 -show_name_regexes .*model_analyzer.*py.* -select micros "
    "-account_type_regexes .* -order_by micros": ("model_analyzer", by_first_time),
    "scope -account_type_regexes VariableV2 -max_depth 4 -select params": ("demo", exactly),
    "op -select micros,bytes,occurrence -order_by micros": ("demo", sorted_by_time),
    "scope -show_name_regexes unit_1_0.*gamma -select tensor_value -max_depth 5": ("demo", exactly),
    "scope -account_type_regexes _checkpoint_variables -select params -max_depth 4": (
        "demo",
        but_for_global_step,
    ),
    "graph -start_name_regexes cost.* -max_depth 100 -min_micros 10000 -select micros "
    "-account_type_regexes .*": ("demo", only_slow(10_000)),
    "scope -start_name_regexes gradient.* -max_depth 100 -min_micros 20000 -select micros "
    "-account_type_regexes .*": ("demo", only_slow(20_000)),
    "scope -min_float_ops 1 -max_depth 10 -select float_ops -account_type_regexes .*": (
        "demo",
        in_order,
    ),
    "set -account_type_regexes _trainable_variables": ("demo", nothing),
    "scope -max_depth 4 -select params": ("demo", exactly),
    "set -account_type_regexes .*": ("graph", nothing),
    "scope -show_name_regexes unit_2_1.*DW -max_depth 100 -account_displayed_op_only": (
        "graph",
        root_aside,
    ),
    "scope -account_type_regexes pool_logit -max_depth 4 -select params": ("demo", exactly),
    "scope -select device,params -account_type_regexes .*ps.*task:0.* -max_depth 1": (
        "textsum",
        exactly,
    ),
    "scope -select device,params -account_type_regexes .*ps.*task:1.* -max_depth 1": (
        "textsum",
        exactly,
    ),
    "scope -min_float_ops 1 -select float_ops -account_displayed_op_only": ("demo", in_order),
    "op -min_float_ops 1 -select float_ops -account_displayed_op_only -order_by float_ops": (
        "demo",
        largest,
    ),
    "code -show_name_regexes seq2seq_attention.* -max_depth 10 -select micros -order_by micros": (
        "seq2seq",
        by_first_time,
    ),
    "code -start_name_regexes .*_add_seq2seq.* -show_name_regexes seq2seq_attention.* "
    "-max_depth 10 -select micros -order_by micros": ("seq2seq", first_by_time),
    "code  -max_depth 5 -select micros -order_by micros -start_name_regexes .*_add_seq2seq.* "
    "-min_micros 100000": ("seq2seq", by_first_time),
    "op -select micros,occurrence -order_by micros": ("textsum", op_rows),
    "op -select micros,device -order_by micros": ("textsum", op_devices),
    "graph -max_depth 10000000 -step 0 -account_type_regexes .*gpu:3.*,.*worker.*cpu:0.* "
    "-output timeline:outfile=<filename.json>": ("textsum", nothing),
    "scope -max_depth 30 -select micros -min_micros 100000 -order_by micros": (
        "towers",
        nodes_by_time,
    ),
}
KEPT = "set "


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The flags that load each model."""
    flags_of = {"demo": ["--demo"], "graph": [f"--graph_path={PATHS['graph']}"]}
    for name, make in MODELS.items():
        flags = make().save(tmp_path_factory.mktemp(name))
        flags_of[name] = [f"--{flag}={path}" for flag, path in flags.items()]
    return flags_of


def test_every_line_is_replayed() -> None:
    assert {shown.command for shown in typed()} == set(REPLAYS)
    assert len(typed()) == 28


def kept_before(shown: Shown) -> str:
    """What was set right before a line in the same example."""
    lines = typed()
    before = lines[lines.index(shown) - 1].command
    return f"{before}\n" if before.startswith(KEPT) else ""


@pytest.mark.parametrize("shown", typed(), ids=lambda shown: shown.command or "empty line")
def test_a_line_has_the_answer_of_the_documents(
    models: dict[str, list[str]], tmp_path: Path, shown: Shown
) -> None:
    model, check = REPLAYS[shown.command]
    line = shown.command.replace("<filename.json>", str(tmp_path / "timeline.json"))
    done = call(*models[model], "--quiet", stdin=kept_before(shown) + line + "\n")
    assert (done.status, done.err) == (0, "")
    check(shown.answer, without_header(done.lines))
    if "timeline" in line:
        assert (tmp_path / "timeline.json").stat().st_size > 1000


@pytest.mark.parametrize(
    "shown", [s for s in typed() if s.command.startswith(("graph -start", "scope -start"))]
)
def test_the_nodes_of_slow_rows_are_in_the_demo(shown: Shown) -> None:
    """On a fast machine they are too quick to be rows, so the least time is left out."""
    line = re.sub(r"-min_micros \d+", "", shown.command)
    rows = {row.split()[0] for row in call("--demo", "--quiet", stdin=line + "\n").lines}
    named = {line.split()[0] for line in shown.answer} - {ELLIPSIS}
    assert named <= rows


def test_smaller_counts_of_float_operations() -> None:
    shown = next(shown for shown in typed() if shown.command.startswith("op -min_float_ops"))
    rows = call("--demo", "--quiet", stdin=f"{shown.command} -max_depth 100\n").lines
    for line in without_header(shown.answer):
        name, number, *_ = line.split()
        assert any(row.split()[:2] == [name, number] for row in rows), line


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the files that the calls name, and `tfprof` as a program."""
    folder = tmp_path_factory.mktemp("home")
    demo = graph_pb2.GraphDef.FromString(PATHS["graph"].read_bytes())
    # Text takes long to read, and these calls ask for variables alone.
    graph = graph_pb2.GraphDef(node=[node for node in demo.node if node.op == "VariableV2"])
    (folder / "graph.pbtxt").write_text(text_format.MessageToString(graph))
    (folder / "run_meta").symlink_to(PATHS["run_meta"][0])
    (folder / "tfprof_log").symlink_to(PATHS["op_log"])
    for path in PATHS["checkpoint"].parent.glob("model.ckpt*"):
        (folder / path.name).symlink_to(path)
    textsum = MODELS["textsum"]()
    textsum.save(folder / "tfprof" / "textsum")
    text = text_format.MessageToString(textsum.graph)
    (folder / "tfprof" / "textsum" / "graph.pbtxt").write_text(text)
    program = folder / "bin" / "tfprof"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tfprof "$@"\n')
    program.chmod(0o755)
    return folder


def in_bash(home: Path, script: str, stdin: str) -> Outcome:
    """What bash does with a call as it is printed."""
    paths = environment()["PATH"]
    done = subprocess.run(
        ["bash", "-c", script.replace("/tmp/dump", str(home / "dump"))],
        input=stdin.encode(),
        capture_output=True,
        env=environment(HOME=str(home), PATH=f"{home / 'bin'}:{paths}"),
        cwd=home,
        timeout=60,
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


@pytest.mark.parametrize("script", started())
def test_a_call_of_the_program_works(home: Path, script: str) -> None:
    done = in_bash(home, script, "scope -select params -account_type_regexes VariableV2\n")
    assert done.status == 0
    assert "tfprof:" not in done.err
    if "help" in script:
        assert "-account_type_regexes" in done.text
    elif "/tmp/dump" in script:
        assert done.out == b""
        rows = (home / "dump").read_text().splitlines()
        # The documents' two views of global_step again.
        assert rows == [
            "node name | # parameters",
            "_TFProfRoot (--/930.58k params)",
            "  global_step (1/1 params)",
            "  pool_logit/DW (64x10, 640/1.28k params)",
            "  pool_logit/biases (10, 10/20 params)",
        ]
    elif "textsum" in script:
        assert done.lines[1] == "_TFProfRoot (--/84.65m params)"
    else:
        assert done.lines[1] == "_TFProfRoot (--/930.58k params)"


def test_there_are_eight_calls() -> None:
    assert len(started()) == 8
