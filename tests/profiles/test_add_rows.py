"""Which node a record is of."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tfprof.profiles.add_rows import COPY, match_nodes

NAMES = st.lists(st.text("MEMCPY:é", max_size=12), max_size=20)


@given(NAMES, NAMES)
def test_a_record_is_of_the_node_before_its_first_colon(names, known):
    known = list(dict.fromkeys(known))
    node, new = match_nodes(pa.array(["before", *names]).slice(1), pa.array(known, pa.string()))
    all_names = known + new.to_pylist()
    for name, index in zip(names, node.tolist(), strict=True):
        expected = name.partition(":")[0]
        if index >= 0:
            assert all_names[index] == expected
        else:
            assert COPY in expected
            assert expected not in known
