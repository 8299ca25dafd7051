"""Every checker and setting is in the documentation, and the example of a new checker works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.advisor.models import Model
from tfprof.advisor import CHECKERS, advise

PAGE = Path(__file__).parents[2] / "docs" / "advise.md"


@pytest.mark.parametrize("name", CHECKERS)
def test_documented(name: str) -> None:
    (row,) = (line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{name}` |"))
    for setting, option in CHECKERS[name].settings.items():
        assert f"`{setting}` {option.default:g}".replace("1e+06", "1000000") in row


def test_a_checker_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    section = PAGE.read_text().partition("## Write a checker")[2]
    example = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example[1], names)
    monkeypatch.setitem(CHECKERS, "LargeGraph", names["CHECKER"])
    profile = Model().node("a", "Add").node("b", "Add").load()
    assert advise(profile)["LargeGraph"].findings == ()
    (finding,) = advise(profile, "LargeGraph:limit=1").findings
    assert (finding.message, str(finding.impact)) == ("the graph is large", "2 nodes")
