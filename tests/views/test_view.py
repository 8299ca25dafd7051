"""What the four views have in common."""

from __future__ import annotations

import pytest

from tests.test_goldens import INPUTS
from tfprof import load
from tfprof.definitions.quirks import REPAIRED
from tfprof.views import VIEWS, view_of


@pytest.mark.parametrize("inputs", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("kind", VIEWS)
def test_every_position_has_a_name_and_a_node_or_none(kind, inputs):
    profile = load(**inputs)
    view = view_of(profile, kind, REPAIRED)
    names = profile.nodes.name.to_pylist()
    assert len(view.tree) == len(view.name) == len(view.node)
    assert len(view.member_node) == len(view.member_position)
    assert view.node[0] == -1
    if kind in ("op", "code"):
        assert set(view.node.tolist()) == {-1}
        assert set(view.member_position.tolist()) <= set(range(1, len(view.tree)))
        return
    assert sorted(view.node[view.node != -1].tolist()) == list(range(len(names)))
    for name, node in zip(view.name.to_pylist(), view.node.tolist(), strict=True):
        assert node == -1 or names[node] == name
