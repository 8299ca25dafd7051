"""How much a report keeps in memory once its numbers were read."""

from __future__ import annotations

import tracemalloc

import pytest

from tests.robustness.models import loaded, log_of

COUNT = 500


@pytest.mark.parametrize("view", ["scope", "graph", "code"])
def test_numbers_of_rows_that_are_not_in_a_report_are_not_kept(view: str) -> None:
    names = [f"n{i}" for i in range(COUNT)]
    log = log_of({name: [("m.py", name, 1)] for name in names})
    profile = loaded(*((name, name) for name in names), log=log)
    for _ in range(2):  # what belongs to the profile is kept by the first report
        report = profile.report(view, show_name_regexes=["n7", "m.py:1:n7"], max_depth=9)
        tracemalloc.start()
        report.own.column("parameters")
        report.total.column("parameters")
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(report.own) == 2
    assert kept < 8 * COUNT  # less than one column of all rows
