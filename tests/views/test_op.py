"""Op view: which nodes an op type has."""

from __future__ import annotations

import tfprof
from tests.test_goldens import graph_of
from tfprof.definitions.quirks import REPAIRED
from tfprof.views import op


def test_members_are_sorted_by_name() -> None:
    """Also where there are so many that NumPy sorts them in another way."""
    names = [f"{i:03}" for i in range(300)]
    nodes = [(name, f"Type{i % 3}") for i, name in enumerate(names)]
    profile = tfprof.load(graph_of(*reversed(nodes)))
    view = op.build(profile, REPAIRED)
    assert view.name.to_pylist()[1:] == ["Type0", "Type1", "Type2"]
    members = [profile.nodes.name[node].as_py() for node in view.member_node.tolist()]
    assert members == [*names[::3], *names[1::3], *names[2::3]]
