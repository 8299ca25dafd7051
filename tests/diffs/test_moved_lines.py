"""Lines of code before and after: the same, moved, edited, added or removed."""

from __future__ import annotations

import pytest

import tfprof
from tests.test_goldens import CPU, graph_of, run_of
from tfprof.protos.log_pb2 import OpLogProto

FILE = "/home/me/v1/net.py"
OTHER = "/home/me/v2/net.py"
BEFORE = {
    10: ("main", "y = f(x)"),
    20: ("f", "a = conv(x)"),
    21: ("f", "b = conv(a)"),
    22: ("f", "return relu(b)"),
}


def _profile(lines, file=FILE):
    """A profile with a node for each line of `f`, which `main` calls."""
    log = OpLogProto()
    strings: dict[str, int] = {}

    def number(text):
        return strings.setdefault(text, len(strings) + 1)

    (call_line, (caller, call)), *rest = sorted(lines.items())
    nodes = []
    for line, (function, text) in rest:
        name = f"n{len(nodes)}"
        nodes.append((name, "Op"))
        entry = log.log_entries.add(name=name)
        for where, inside, code in ((call_line, caller, call), (line, function, text)):
            entry.code_def.traces.add(
                lineno=where,
                file_id=number(file),
                function_id=number(inside),
                line_id=number(code),
            )
    for text, key in strings.items():
        log.id_to_string[key] = text
    run = run_of(CPU, *((name, 10 * i + 1, 5 + i) for i, (name, _) in enumerate(nodes)))
    return tfprof.load(graph_of(*nodes), [run], log)


def _matches(before, after, *, file=FILE, strict=False):
    """Line before -> (line after, how) of all rows of two versions; None where there is none."""
    diff = tfprof.diff(
        _profile(before),
        _profile(after, file),
        "code",
        select=["micros"],
        min_delta=0,
        max_depth=99,
        strict=strict,
    )
    rows = {}
    for row in diff.rows[1:]:
        lines = [int(name.split(":")[1]) for name in (row.before_name, row.name)]
        if row.match == "added":
            lines[0] = None
        if row.match == "removed":
            lines[1] = None
        rows[tuple(lines)] = row.match
    return rows


def test_nothing_changed():
    assert set(_matches(BEFORE, BEFORE).values()) == {"name"}


def test_lines_move_down():
    after = {line + 3 if line >= 20 else line: code for line, code in BEFORE.items()}
    assert _matches(BEFORE, after) == {
        (10, 10): "name",
        (20, 23): "line moved",
        (21, 24): "line moved",
        (22, 25): "line moved",
    }


def test_in_another_folder():
    assert set(_matches(BEFORE, BEFORE, file=OTHER).values()) == {"name"}


def test_equal_texts_keep_their_order():
    before = {**BEFORE, 21: ("f", "a = conv(x)")}
    after = {10: before[10], 21: before[20], 22: before[21], 23: before[22]}
    assert _matches(before, after) == {
        (10, 10): "name",
        (20, 21): "line moved",
        (21, 22): "line moved",
        (22, 23): "line moved",
    }


def test_an_edited_line():
    after = {**BEFORE, 21: ("f", "b = conv(a, 5)")}
    assert _matches(BEFORE, after)[21, 21] == "line edited"


def test_a_line_that_was_added_and_one_that_was_removed():
    after = {**BEFORE, 23: ("f", "return relu(b)"), 22: ("f", "b = norm(b, training=True)")}
    found = _matches(BEFORE, after)
    assert found[None, 22] == "added"
    assert found[22, 23] == "line moved"
    assert _matches(after, BEFORE)[22, None] == "removed"


def test_strict_moves_nothing():
    after = {line + 3 if line >= 20 else line: code for line, code in BEFORE.items()}
    assert set(_matches(BEFORE, after, strict=True).values()) == {"name", "added", "removed"}


@pytest.mark.parametrize("strict", [False, True])
def test_the_whole_is_the_same_however_lines_are_matched(strict):
    after = {line + 3: code for line, code in BEFORE.items()}
    diff = tfprof.diff(_profile(BEFORE), _profile(after), "code", select=["micros"], strict=strict)
    whole = diff.breakdown("micros")
    assert (whole.before, whole.after) == (18, 18)
    assert whole.changed + whole.added + whole.removed == 0
    assert (whole.added > 0) == strict
