"""Code view: the frames that nodes and gradients are in."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import tfprof
from tests.profiles.test_user_code import load
from tests.robustness.models import graph_of, log_of
from tfprof.definitions.quirks import ORIGINAL, REPAIRED, Quirks
from tfprof.loaders.op_log import read_op_log
from tfprof.protos import log_pb2
from tfprof.views import code, view_of
from tfprof.views.view import ROOT, Frame


def micros(profile: tfprof.Profile, **options: Any) -> dict[str, int]:
    """The inclusive time of each path of frames; a node takes 9 us."""
    report = profile.report("code", select=["micros"], max_depth=99, order_by="name", **options)
    path: list[str] = []
    times = {}
    for row in list(report)[1:]:
        path[row.depth - 1 :] = [row.name.replace(":call:x @ w", "")]
        times[" > ".join(path)] = row.total["exec_micros"]
    return times


def test_nodes_share_the_frames_that_their_stacks_share() -> None:
    profile = load({"x": ["a.py", "b.py"], "y": ["a.py", "c.py"], "z": ["a.py"], "none": []})
    assert micros(profile) == {"a.py:1": 27, "a.py:1 > b.py:2": 9, "a.py:1 > c.py:2": 9}


@pytest.mark.parametrize("few", [0, 1, 2, 99])
def test_few_stacks_are_followed_one_by_one(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The view is the same from whatever number on."""
    monkeypatch.setattr(code, "_FEW_STACKS", few)
    stacks = {
        "c": ["a.py", "c.py", "e.py", "f.py"],
        "b": ["a.py", "b.py"],
        "d": ["a.py", "c.py", "e.py"],
        "a": ["a.py", "c.py", "d.py", "g.py", "h.py"],
        "e": ["b.py"],
        "gradients/c_grad/x": ["train.py"],
        "gradients/a_grad/x": ["train.py"],
    }
    view = view_of(load(stacks), "code", REPAIRED)
    names = [name.replace(":call:x @ w", "") for name in view.name.to_pylist()]
    rows = [f"{depth} {name}" for depth, name in zip(view.tree.depth, names, strict=True)]
    forward = ["3 c.py:2", "4 d.py:3", "5 g.py:4", "6 h.py:5", "4 e.py:3", "5 f.py:4"]
    gradients = [f"{row} (gradient)" for row in ("2 a.py:1", *forward)]
    assert rows[1:] == ["2 a.py:1", *forward, "3 b.py:2", "2 b.py:1", *gradients]


def test_frames_without_matching_nodes_are_left_out() -> None:
    profile = load({"x": ["a.py", "b.py"], "y": ["a.py", "c.py"], "z": ["d.py"]})
    log = log_pb2.OpLogProto()
    log.log_entries.add(name="x").types.append("mine")
    profile = profile.with_op_log(read_op_log(log))
    assert micros(profile, account_type_regexes=["mine"]) == {"a.py:1": 9, "a.py:1 > b.py:2": 9}


def test_several_op_logs() -> None:
    profile = load({"a": [], "b": [], "c": ["x.py", "y.py"]})
    for name, line in (("a", 7), ("b", 8)):
        log = log_pb2.OpLogProto()
        frames = log.log_entries.add(name=name).code_def.traces
        for file in ("x.py", "z.py"):
            frames.add(lineno=line, file=file, function="call", line="x @ w")
        profile = profile.with_op_log(read_op_log(log))
    assert micros(profile) == {
        "x.py:1": 9, "x.py:1 > y.py:2": 9,
        "x.py:7": 9, "x.py:7 > z.py:7": 9,
        "x.py:8": 9, "x.py:8 > z.py:8": 9,
    }  # fmt: skip


def test_gradients_are_in_the_frames_of_their_forward_node() -> None:
    """Without one they are in their own."""
    names = ("a_grad/x", "a_grad/y", "b_grad/x", "no_grad/x")
    gradients = {f"gradients/{name}": ["train.py"] for name in names}
    profile = load({"a": ["a.py"], "b": ["b.py", "c.py"], **gradients})
    assert micros(profile) == {
        "a.py:1": 9,
        "a.py:1 (gradient)": 18,
        "b.py:1": 9,
        "b.py:1 > c.py:2": 9,
        "b.py:1 (gradient)": 9,
        "b.py:1 (gradient) > c.py:2 (gradient)": 9,
        "train.py:1": 9,
    }


def test_gradients_of_a_scope_without_nodes_are_in_their_own_frames() -> None:
    profile = load({"a": ["a.py"], "gradient_tape/none/x": ["train.py"]})
    assert micros(profile) == {"a.py:1": 9, "train.py:1": 9}


def test_gradients_of_a_scope_of_gradients_are_in_their_own_frames() -> None:
    gradient = {"layer/gradients/a_grad/x": ["train.py"], "gradient_tape/layer/c": ["tape.py"]}
    wanted = {"a.py:1": 9, "a.py:1 (gradient)": 9, "tape.py:1": 9}
    assert micros(load({"a": ["a.py"], **gradient})) == wanted


def test_gradients_of_a_node_that_does_not_exist_are_in_their_own_frames() -> None:
    """Although names begin like it."""
    profile = load({"a-b": ["a.py"], "gradients/a-_grad/x": ["train.py"]})
    assert micros(profile) == {"a.py:1": 9, "train.py:1": 9}


def test_functions_of_gradients_are_marked() -> None:
    view = view_of(load({"a": ["a.py"], "gradients/a_grad/x": ["t.py"]}), "code", REPAIRED)
    assert view.frames is not None
    functions = [view.frames[position].function for position in range(3)]
    assert functions == ["", "call", "call (gradient)"]
    assert view.frames[0] == Frame(ROOT.encode(), "", "", line=0, function_line=0)


@pytest.mark.parametrize("shared", [0, 1, 2])
def test_gradients_of_a_scope_are_in_the_frames_that_its_nodes_share(shared: int) -> None:
    """If they share none, they are in their own."""
    outer = ["m.py", "n.py"][:shared]
    a, b = ([*outer, file, "z.py"] for file in ("a.py", "b.py"))
    forward = {"first": ["first.py"], "layer/a": a, "layer/b": b, "layer0/a": ["other.py"]}
    marked = "m.py:1 (gradient)", "m.py:1 (gradient) > n.py:2 (gradient)"
    of_gradient = dict.fromkeys(marked[:shared] or ["train.py:1"], 9)
    profile = load({**forward, "gradient_tape/layer/c": ["train.py"]})
    assert micros(profile) == micros(load(forward)) | of_gradient


def test_long_functions_are_cut() -> None:
    """The original counts bytes, and may cut a letter in two."""
    functions = ["f" * 19, "f" * 20, "é" * 19]
    log = log_of({str(i): [("a.py", name, i)] for i, name in enumerate(functions)})
    profile = tfprof.load(graph_of(*((str(i), "A") for i in range(3))), op_log=log)
    cut = "f" * 17 + "..."
    names = profile.report("code", order_by="name").names[1:]
    assert names == ["a.py:0:" + functions[0], f"a.py:1:{cut}", "a.py:2:" + functions[2]]
    original = view_of(profile, "code", ORIGINAL).name.cast(pa.binary()).to_pylist()[1:]
    assert b"a.py:2:" + "é".encode() * 8 + "é".encode()[:1] + b"..." in original
    assert f"a.py:1:{cut}".encode() in original


def test_the_original_says_which_gradients_it_leaves_out() -> None:
    stacks = {"a": ["a.py"], "gradients/a_grad/x": ["train.py"]}
    unmatched = {f"gradients/no_grad/{name}": ["train.py"] for name in "xy"}
    for nodes, warnings in (
        (stacks, ()),
        ({**stacks, **unmatched}, ("1 gradient nodes not accounted",)),
    ):
        profile = load(nodes)
        repaired, original = (view_of(profile, "code", quirks) for quirks in (REPAIRED, ORIGINAL))
        assert (len(repaired.member_node), repaired.warnings) == (len(nodes), ())
        assert (len(original.member_node), original.warnings) == (len(stacks), warnings)


def test_ids_of_several_op_logs() -> None:
    """An id of a log is its own; in the original those of the first log stay."""
    profile = tfprof.load(graph_of(("a", "A"), ("b", "B")))
    for name, file in (("a", "first.py"), ("b", "second.py")):
        log = read_op_log(log_of({name: [(file, f"of_{name}", 1)]}))
        profile = profile.with_op_log(log)
    names = {
        quirks: view_of(profile, "code", quirks).name.to_pylist()[1:]
        for quirks in (REPAIRED, ORIGINAL)
    }
    assert names[REPAIRED] == ["first.py:1:of_a", "second.py:1:of_b"]
    assert set(names[ORIGINAL]) == {"first.py:1:of_a"}


def test_nodes_without_stacks_are_in_no_frame() -> None:
    view = view_of(tfprof.load(graph_of(("a", "A"))), "code", REPAIRED)
    assert (len(view.tree), view.member_node.tolist(), view.member_position.tolist()) == (1, [], [])


def test_lines_of_functions_that_begin_elsewhere_are_different_frames() -> None:
    """As of two lambdas in one line."""
    log = log_of({"a": [("m.py", "f", 9)], "b": [("n.py", "g", 1), ("m.py", "f", 9)]})
    for entry, begin in zip(log.log_entries, (3, 7), strict=True):
        entry.code_def.traces[-1].func_start_line = begin
    view = view_of(tfprof.load(graph_of(("a", "A"), ("b", "B")), op_log=log), "code", REPAIRED)
    assert view.frames is not None
    assert view.name.to_pylist()[1:] == ["m.py:9:f", "n.py:1:g", "m.py:9:f"]
    assert [view.frames[i].function_line for i in (1, 3)] == [3, 7]


def test_frames_have_the_text_of_their_line_if_it_is_known() -> None:
    with_text = load({"x": ["a.py"]})
    without = tfprof.load(graph_of(("x", "A")), op_log=log_of({"x": [("a.py", "main", 1)]}))
    views = [view_of(profile, "code", REPAIRED) for profile in (with_text, without)]
    assert [view.frames[1].text for view in views if view.frames] == ["x @ w", ""]


def test_texts_of_lines_have_no_space_around_them() -> None:
    log = log_of({"x": [("a.py", "f", 1)]})
    log.id_to_string[9] = "\t x @ w "
    log.log_entries[0].code_def.traces[0].line_id = 9
    view = view_of(tfprof.load(graph_of(("x", "A")), op_log=log), "code", REPAIRED)
    assert view.frames is not None
    assert (view.frames[1].name, view.frames[1].text) == (b"a.py:1:f:x @ w", "x @ w")


def test_names_of_all_lines_and_of_all_positions_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before they are made: those of a log, one by one, of all logs, and of the view."""
    counted: list[tuple[int, int, str]] = []
    monkeypatch.setattr(
        code,
        "check_line_names",
        lambda size, *, lines, files: counted.append((size, lines, " ".join(files))),
    )
    profile = tfprof.load(graph_of(("a", "A"), ("b", "B"), ("c", "C")))
    shared = ("d/bb.py", "f", 2)
    stacks = {"a": [("a.py", "f", 1), shared], "b": [shared]}
    for log in (log_of(stacks), log_of({"c": [("c.py", "f", 33)]})):
        profile = profile.with_op_log(read_op_log(log))
    view = view_of(profile, "code", REPAIRED)
    assert view.name.to_pylist()[1:] == ["a.py:1:f", "bb.py:2:f", "bb.py:2:f", "c.py:33:f"]
    both, every = "a.py d/bb.py", "a.py d/bb.py c.py"
    twice = " ".join(f"{file} {file}" for file in every.split())
    assert counted == [
        (8, 2, "a.py"), (17, 2, both), (17, 2, both),
        (9, 1, "c.py"), (26, 3, every),
        (len("_TFProfRoot") + 35, 5, f"{twice} "),
    ]  # fmt: skip


@pytest.mark.parametrize("quirks", [REPAIRED, ORIGINAL])
def test_files_whose_names_are_too_long(quirks: Quirks) -> None:
    nodes = [(name, "A") for name in "abcd"]
    short = log_of({"a": [("f" * 2_000_000, "f", 1)]})
    long = log_of({name: [("f" * 2_200_000, "f", line)] for line, (name, _) in enumerate(nodes)})
    view = view_of(tfprof.load(graph_of(*nodes), op_log=short), "code", quirks)
    assert len(view.name[1].as_py()) == 2_000_004
    with pytest.raises(tfprof.LoadError, match=r"of 2,200,000 characters: .* 4 lines of code"):
        view_of(tfprof.load(graph_of(*nodes), op_log=long), "code", quirks)
