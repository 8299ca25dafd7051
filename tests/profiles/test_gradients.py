"""The forward node that the name of a gradient node says."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.profiles.gradients import forward_names

PARTS = st.sampled_from(["gradients/", "_grad/", "a", "é", "/", "\n"])
NAMES = st.lists(PARTS, max_size=8).map("".join)


def _repaired(name):
    forward, mark, _ = name.partition("gradients/")[2].partition("_grad/")
    return forward if mark and forward else None


def _original(name):
    if "gradients/" not in name or "_grad/" not in name:
        return None
    start = name.find("gradients/") + len("gradients/")
    end = name.find("_grad/")
    if end == start:
        return None
    return name[start:] if end < start else name[start:end]


@given(st.lists(NAMES, max_size=10))
def test_forward_names(names):
    column = pa.array(["before", *names], pa.string()).slice(1)
    assert forward_names(column, REPAIRED).to_pylist() == [_repaired(name) for name in names]
    assert forward_names(column, ORIGINAL).to_pylist() == [_original(name) for name in names]


def test_later_gradients():
    cases = {
        "y": None,
        "gradients_1/y_grad/Mul": "y",
        "f/gradients_12/scope/y_grad/Mul": "scope/y",
        "gradients_1/gradients/y_grad/Mul_grad/Mul": "y",
        "gradients_x/y_grad/Mul": None,
    }
    assert forward_names(pa.array(cases), REPAIRED).to_pylist() == list(cases.values())
    assert forward_names(pa.array(list(cases)[:3]), ORIGINAL).null_count == 3


def test_gradient_tapes():
    cases = {
        "f/y": None,
        "z": None,
        "z/a": None,
        "f/gradient_tape/y/Mul": "f/y",
        "gradient_tape/z/b/c": "z",
        "gradient_tape/z/a/b": "z/a",
        "f/gradient_tape/z/b": "z",
        "gradient_tape/q": None,
    }
    assert forward_names(pa.array(cases), REPAIRED).to_pylist() == list(cases.values())
    assert forward_names(pa.array(cases), ORIGINAL).null_count == len(cases)
