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

import tfprof
from tests.cli.conftest import Outcome, call, environment
from tests.seeds.documents import Shown, started, typed
from tests.seeds.models import MODELS
from tfprof import demo
from tfprof.cli.parser import parse_command, split_line
from tfprof.definitions.options import OPTIONS
from tfprof.protos import graph_pb2

ELLIPSIS = "..."
PATHS = demo.paths()
Check = Callable[[tuple[str, ...], list[str]], None]


def without_header(answer: tuple[str, ...] | list[str]) -> list[str]:
    """An answer's rows."""
    return [line for line in answer if not line.startswith("node name |")]


def as_printed_today(line: str) -> str:
    """A line of the documents with what has changed since.

    The root has no self value, occurrences are two numbers, and devices have lower case.
    """
    line = re.sub(r"^_TFProfRoot \((0us|0)/", "_TFProfRoot (--/", line)
    line = re.sub(r"(?<=, )( *)\d+$", r"\1RUN|DEFINED", line)
    return line.replace("device:GPU", "device:gpu")


def without_occurrence(row: str) -> str:
    """A row with words for its two numbers of occurrences, whatever the room they take."""
    return re.sub(r"(?<=, ) *(\d+\|\d+|RUN\|DEFINED)$", "RUN|DEFINED", row)


def exactly(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows, line for line."""
    listing = [without_occurrence(as_printed_today(line)) for line in without_header(expected)]
    assert [without_occurrence(row) for row in rows] == listing


def but_for_global_step(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows; the documents give a scalar one parameter in one place and none in others."""
    exactly(tuple(line.replace("(0/0 params)", "(1/1 params)") for line in expected), rows)


def in_order(expected: tuple[str, ...], rows: list[str]) -> None:
    """The printed rows but the root, in this order among others: we count more operations."""
    left = iter(rows[1:])
    for line in without_header(expected)[1:]:
        assert line == "  ..." or line in left, line


def largest(expected: tuple[str, ...], rows: list[str]) -> None:
    """The first row up to its own share: we count more operations, and no more rows fit."""
    beginning = without_header(expected)[0].partition("%,")[0]
    assert rows[0].startswith(beginning)


def with_ellipses(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows, line for line, but for those that the documents leave out as `...`."""
    left = list(rows)
    skips = False
    for line in map(as_printed_today, without_header(expected)):
        if line.strip() == ELLIPSIS:
            skips = True
            continue
        while skips and left and left[0] != line:
            left.pop(0)
        assert left, line
        assert left.pop(0) == line
        skips = False
    assert skips or not left


def beginning(expected: tuple[str, ...], rows: list[str]) -> None:
    """The first rows, line for line; the documents leave the others out."""
    with_ellipses((*expected, ELLIPSIS), rows)


def by_self_time(expected: tuple[str, ...], rows: list[str]) -> None:
    """All rows up to their inclusive time: the old graph view counted shared inputs repeatedly."""

    def self_times(lines: list[str]) -> list[str]:
        return [
            line.partition("/")[0] if "Root" in line else line.rpartition("/")[0] for line in lines
        ]

    listing = [as_printed_today(line) for line in without_header(expected)]
    listing = [line for line in listing if line.strip() != ELLIPSIS]
    assert self_times(rows) == self_times(listing)


UNITS = {"us": "TIME", "ms": "TIME", "sec": "TIME", "B": "BYTES", "KB": "BYTES", "MB": "BYTES"}


def form(line: str) -> str:
    """A row with a word for each number, and one blank between columns."""
    if line.startswith("node name |"):
        return line
    name, numbers = re.fullmatch(r"( *\S+?) *(?:$| (.*))", without_occurrence(line)).groups()  # type: ignore[union-attr]

    def word(number: re.Match[str]) -> str:
        return UNITS.get(number[1], "SHARE" if number[1] == "%" else "COUNT")

    cells = re.sub(r"[\d.]+(us|ms|sec|KB|MB|B|%|)", word, numbers or "")
    indent = " " * (len(name) - len(name.lstrip()))
    return f"{indent}NAME {' '.join(cells.split())}"


def same_form(expected: tuple[str, ...], rows: list[str]) -> None:
    """As many rows of the same columns, the largest share of time first; numbers differ."""
    assert list(map(form, rows)) == [form(as_printed_today(line)) for line in expected]
    shares = [float(re.findall(r"([\d.]+)%\)", row)[1]) for row in rows]
    assert shares == sorted(shares, reverse=True)


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
    "-account_type_regexes .* -order_by micros": ("model_analyzer", with_ellipses),
    "scope -account_type_regexes VariableV2 -max_depth 4 -select params": ("demo", exactly),
    "op -select micros,bytes,occurrence -order_by micros": ("demo", same_form),
    "scope -show_name_regexes unit_1_0.*gamma -select tensor_value -max_depth 5": ("demo", exactly),
    "scope -account_type_regexes _checkpoint_variables -select params -max_depth 4": (
        "demo",
        but_for_global_step,
    ),
    "graph -start_name_regexes cost.* -max_depth 100 -min_micros 10000 -select micros "
    "-account_type_regexes .*": ("resnet", by_self_time),
    "scope -start_name_regexes gradient.* -max_depth 100 -min_micros 20000 -select micros "
    "-account_type_regexes .*": ("resnet", by_self_time),
    "scope -min_float_ops 1 -max_depth 10 -select float_ops -account_type_regexes .*": (
        "demo",
        in_order,
    ),
    "set -account_type_regexes _trainable_variables": ("demo", nothing),
    "scope -max_depth 4 -select params": ("demo", exactly),
    "set -account_type_regexes .*": ("graph", nothing),
    "scope -show_name_regexes unit_2_1.*DW -max_depth 100 -account_displayed_op_only": (
        "graph",
        exactly,
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
        with_ellipses,
    ),
    "code -start_name_regexes .*_add_seq2seq.* -show_name_regexes seq2seq_attention.* "
    "-max_depth 10 -select micros -order_by micros": ("seq2seq", beginning),
    "code  -max_depth 5 -select micros -order_by micros -start_name_regexes .*_add_seq2seq.* "
    "-min_micros 100000": ("seq2seq", with_ellipses),
    "op -select micros,occurrence -order_by micros": ("textsum", exactly),
    "op -select micros,device -order_by micros": ("textsum", beginning),
    "graph -max_depth 10000000 -step 0 -account_type_regexes .*gpu:3.*,.*worker.*cpu:0.* "
    "-output timeline:outfile=<filename.json>": ("textsum", nothing),
    "scope -max_depth 30 -select micros -min_micros 100000 -order_by micros": (
        "towers",
        exactly,
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


SLOW = [
    shown for shown in typed() if "-min_micros" in shown.command and "code" not in shown.command
]


@pytest.mark.parametrize("shown", SLOW, ids=lambda shown: shown.command)
def test_rows_of_the_demo_pass_a_minimum_by_themselves(
    demo_profile: tfprof.Profile, shown: Shown
) -> None:
    """On the demo as many nodes are slow as its machine took; the form is that of the documents."""
    parsed = parse_command(split_line(shown.command), OPTIONS)
    options = dict(parsed.options)
    least = options.pop("min_micros")
    options["hide_name_regexes"] = ()
    everything = demo_profile.report(parsed.name, options)
    passing = {row.name for row in everything if row.own["exec_micros"] >= least}
    lines = call("--demo", "--quiet", stdin=shown.command + "\n").lines
    assert lines[0] == "node name | execution time"
    assert form(lines[1]) == form(as_printed_today(without_header(shown.answer)[0]))
    assert {line.split()[0] for line in lines[2:]} == passing
    row_form = form(without_header(shown.answer)[1]).strip()
    assert all(form(line).strip() == row_form for line in lines[2:])
    tops = [line for line in lines[2:] if not line.startswith("    ")]
    if options.get("order_by") != "micros":
        assert tops == sorted(tops)


def test_the_minima_of_the_demo_leave_rows() -> None:
    counts = [len(call("--demo", "--quiet", stdin=shown.command + "\n").lines) for shown in SLOW]
    assert len(counts) == 3
    assert counts[0] > 10 < counts[1]


@pytest.mark.parametrize(
    "shown", [shown for shown in typed() if shown.answer and "node name" in shown.answer[0]]
)
def test_headers_are_those_of_the_documents(models: dict[str, list[str]], shown: Shown) -> None:
    model, _ = REPLAYS[shown.command]
    header = call(*models[model], "--quiet", stdin=shown.command + "\n").lines[0]
    assert header.replace("op occurrence (run|defined)", "op occurrence") == shown.answer[0]


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
