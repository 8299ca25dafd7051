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
