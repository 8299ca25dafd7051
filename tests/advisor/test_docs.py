"""Every checker and option is in the documentation, with its default."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof.advisor import CHECKERS

PAGE = Path(__file__).parents[2] / "docs" / "advise.md"


@pytest.mark.parametrize("name", CHECKERS)
def test_documented(name: str) -> None:
    (row,) = (line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{name}` |"))
    for setting, option in CHECKERS[name].settings.items():
        assert f"`{setting}` {option.default:g}".replace("1e+06", "1000000") in row
