"""A profile can go to another process, also after it was asked."""

from __future__ import annotations

import copy
import pickle

import pytest

import tfprof
from tfprof import demo


@pytest.mark.parametrize("copied", [lambda p: pickle.loads(pickle.dumps(p)), copy.deepcopy])
def test_a_copy_answers_the_same(copied):
    profile = tfprof.load(**demo.paths())
    asked = {view: profile.report(view, max_depth=5).text() for view in ("scope", "op", "code")}
    other = copied(profile)
    assert {view: other.report(view, max_depth=5).text() for view in asked} == asked


@pytest.mark.parametrize("view", ["scope", "op", "graph", "code"])
def test_a_copy_of_a_report_is_equal(view):
    report = tfprof.load(**demo.paths()).report(view, max_depth=5)
    other = pickle.loads(pickle.dumps(report))
    assert other.text() == report.text()
    assert [row.total for row in other] == [row.total for row in report.rows]
    assert other.root.own == report.root.own


def test_repr_of_a_profile_is_its_size():
    profile = tfprof.load(**demo.paths())
    assert repr(profile) == f"<Profile: {len(profile.nodes):,} nodes, {len(profile.steps)} steps>"
