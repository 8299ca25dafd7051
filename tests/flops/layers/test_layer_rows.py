"""What a layer is called whose class is not known."""

from __future__ import annotations

import pytest

from tfprof.flops.layers.layer_rows import _op_types, _Sums


@pytest.mark.parametrize(
    ("working", "types"),
    [
        (["", ""], "Last1"),
        (["A", ""], "A"),
        (["A", "BA"], "A+B"),
        (["AB", "CD"], "A+B+C+D"),
        (["AB", "CDE"], "A+B+C+D+…"),
    ],
)
def test_op_types_that_do_the_work_or_the_last_one(working: list[str], types: str) -> None:
    sums = [
        _Sums(working_ops=dict.fromkeys(ops), last_op=f"Last{i}") for i, ops in enumerate(working)
    ]
    assert _op_types(sums) == types
    assert _op_types([*sums, _Sums()]) == types
