"""The hand-made models G1 to G3, whose reports by the original are in goldens/, by command.

`pytest tests/test_goldens.py --update-goldens` runs the original and writes them again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf import text_format

import tfprof
from tests.oracle.original import Original
from tfprof import ProfileOptionBuilder
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2

GOLDENS = Path(__file__).parent / "goldens"
CPU = "/device:CPU:0"


def run_of(device, *records):
    """A RunMetadata of records (name, start, duration) on one device."""
    run = run_metadata_pb2.RunMetadata()
    stats = run.step_stats.dev_stats.add(device=device).node_stats
    for name, start, duration in records:
        stats.add(node_name=name, all_start_micros=start, op_end_rel_micros=duration)
    return run


def graph_of(*nodes):
    """A GraphDef of nodes (name, op, inputs)."""
    graph = graph_pb2.GraphDef()
    for name, op, *inputs in nodes:
        graph.node.add(name=name, op=op, input=inputs)
    return graph


def g1_inputs():
    graph = graph_of(("s/x", "Add"), ("s/x/var", "VariableV2"), ("s/y", "Mul"), ("z", "Mul"))
    graph.node.add(name="t/q", op="MatMul")
    graph.node[1].attr["shape"].shape.dim.add(size=10)
    records = [("s/x", 1, 10), ("s/x/var", 2, 3), ("s/y", 3, 100), ("z", 4, 1000)]
    return {"graph": graph, "run_meta": run_of(CPU, *records, ("t/q", 4, 10000))}


def g2_inputs():
    graph = graph_of(
        ("a", "Const"),
        ("b", "Relu", "a"),
        ("c", "Relu", "a"),
        ("d", "Add", "c", "b"),
        ("e", "NoOp", "^d", "missing"),
        ("m", "Merge", "enter", "ni"),
        ("enter", "Enter", "a"),
        ("ni", "NextIteration", "m"),
        ("self", "X", "self"),
        ("p", "P", "q"),
        ("q", "Q", "p"),
    )
    names = ["a", "b", "c", "d", "e", "m", "enter", "ni", "self", "p", "q"]
    return {
        "graph": graph,
        "run_meta": run_of(CPU, *((n, 1, i) for i, n in enumerate(names, 1))),
    }


def g3_inputs():
    top, lib = "/p/main.py", "/p/lib.py"
    grads = ["gradients/x/Conv2D_grad/CBF", "gradients/x/Conv2D_grad/Shape"]
    grads += ["t1/gradients/y_grad/R", "gradients/nofwd_grad/Z"]
    stacks = {
        "x/Conv2D": [
            (top, 10, "<module>"),
            (lib, 20, "abcdefghijklmnopqrs"),
            ("/q/lib.py", 30, "abcdefghijklmnopqrst"),
        ],
        "y": [(top, 10, "<module>"), (lib, 21, "f")],
        "w": [(top, 11, "<module>"), (lib, 21, "f")],
        **{name: [(top, 12, "<module>")] for name in grads},
    }
    log = log_pb2.OpLogProto()
    ids = {"none": 0}
    for name, frames in stacks.items():
        entry = log.log_entries.add(name=name)
        for file, line, function in frames:
            entry.code_def.traces.add(
                file_id=ids.setdefault(file, len(ids)),
                function_id=ids.setdefault(function, len(ids)),
                lineno=line,
            )
    for text, key in ids.items():
        log.id_to_string[key] = text
    graph = graph_of(*((name, "Op") for name in stacks))
    micros = [("x/Conv2D", 1), (grads[1], 10), (grads[0], 100), ("y", 1000), ("w", 10_000)]
    micros.append((grads[2], 1_000_000))
    run = run_of(CPU, *((name, 1, duration) for name, duration in micros))
    return {"graph": graph, "run_meta": run, "op_log": log}


INPUTS = {"g1": g1_inputs(), "g2": g2_inputs(), "g3": g3_inputs()}


@pytest.fixture(scope="module")
def g1():
    return tfprof.load(**INPUTS["g1"])


@pytest.fixture(scope="module")
def g2():
    return tfprof.load(**INPUTS["g2"])


@pytest.fixture(scope="module")
def g3():
    return tfprof.load(**INPUTS["g3"])


SELECT = ["micros", "params", "occurrence"]
CASES = {
    "g1 scope -select micros,params,occurrence": ("scope", {"select": SELECT}),
    "g1 scope -account_type_regexes VariableV2": (
        "scope",
        {"select": SELECT, "account_type_regexes": ["VariableV2"]},
    ),
    "g1 scope -hide_name_regexes s_x -account_displayed_op_only": (
        "scope",
        {"select": SELECT, "hide_name_regexes": ["s/x"], "account_displayed_op_only": True},
    ),
    "g1 op -order_by micros": ("op", {"select": SELECT, "order_by": "micros"}),
    "g2 graph -select micros,occurrence,input_shapes": (
        "graph",
        {"select": ["micros", "occurrence", "input_shapes"]},
    ),
    "g3 code -select micros -order_by micros": (
        "code",
        {"select": ["micros"], "order_by": "micros"},
    ),
}
DEFAULTS = {
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "show_name_regexes": [".*"],
    "max_depth": 10,
}


@pytest.fixture(scope="module", autouse=True)
def updated_goldens(request):
    """With `--update-goldens`, write what the original prints."""
    if not request.config.getoption("update_goldens"):
        return
    jobs = []
    for case, (kind, options) in CASES.items():
        inputs = INPUTS[case.split()[0]]
        messages = (inputs.get(part) for part in ("graph", "run_meta", "op_log"))
        data = [b"" if message is None else message.SerializeToString() for message in messages]
        options = ProfileOptionBuilder({**DEFAULTS, **options}).build() | {"output": "file"}
        jobs.append([("one_shot", *data, kind, options)])
    original = Original()
    answers = original.run(jobs)
    original.close()
    for case, (answer,) in zip(CASES, answers, strict=True):
        ((_, text),) = answer.files
        (GOLDENS / f"{case}.txt").write_bytes(text.partition(b"Profile:\n")[2])


@pytest.mark.parametrize("case", list(CASES))
def test_golden(case, request):
    profile = request.getfixturevalue(case.split()[0])
    kind, options = CASES[case]
    report = profile.report(kind, {**DEFAULTS, **options}, compat=True)
    assert report.text().partition("Profile:\n")[2] == (GOLDENS / f"{case}.txt").read_text()
    # The invariant beside the golden: whatever is shown, the root's total is the sum of its parts.
    if not report.options.account_displayed_op_only and kind != "op":
        rows = [row for row in report.rows if row.parent and row.parent.parent is None]
        total = sum(row.total["exec_micros"] for row in rows)
        assert total == report.rows[0].total["exec_micros"]


def test_minima_of_g1(g1):
    shown = g1.report("scope", {**DEFAULTS, "min_params": 1}, compat=True).names
    assert shown == ["_TFProfRoot", "s/x/var"]
    shown = g1.report("scope", {**DEFAULTS, "min_occurrence": 1}, compat=True)
    assert [(row.name, row.depth) for row in shown][1:] == [
        ("s/x", 1),
        ("s/x/var", 2),
        ("s/y", 1),
        ("t/q", 1),
        ("z", 1),
    ]


def test_cycles_of_g2_are_shown_by_default(g2):
    report = g2.report("graph", select="micros", max_depth=100)
    assert report.rows[0].total["exec_micros"] == sum(range(1, 12))
    assert {row.name for row in report.rows[0].children} == {"e", "m", "p", "self"}


def test_gradients_of_g3(g3):
    compat = g3.report("code", DEFAULTS, compat=True)
    warning = "1 gradient nodes not accounted"
    assert warning in compat.messages
    assert warning in g3.advise(compat=True).messages
    default = g3.report("code", select="micros")
    assert warning not in (*default.messages, *g3.advise().messages)
    assert "main.py:12:<module>" in default.names


def test_text_and_binary_graphs_are_the_same(g1):
    text = text_format.MessageToString(graph_of(("a", "A"), ("b", "B", "a:1")))
    binary = graph_of(("a", "A"), ("b", "B", "a:1")).SerializeToString()
    assert tfprof.load(graph=text.encode()).serialize() == tfprof.load(graph=binary).serialize()
