"""docs/truth.md has every case, and ours is right in each."""

from __future__ import annotations

from pathlib import Path

from benchmarks.truth.cases import CASES
from benchmarks.truth.page import PAGE

TEXT = (Path(__file__).parents[2] / PAGE).read_text()
ROWS = {
    cells[1]: cells
    for line in TEXT.splitlines()
    if len(cells := [cell.strip() for cell in line.split("|")]) > 8
}


def test_every_case_is_there() -> None:
    assert [case.name for case in CASES] == [name for name in ROWS if name not in ("case", "---")]
    for case in CASES:
        assert f"| {case.name} | {case.formula} |" in TEXT


def test_ours_is_right_in_every_row() -> None:
    for case in CASES:
        _, _, _, ours, ledger, _, parameters, *_ = ROWS[case.name]
        assert ours.startswith("= "), case.name
        assert ledger.startswith("complete: "), case.name
        assert parameters.startswith("= "), case.name
