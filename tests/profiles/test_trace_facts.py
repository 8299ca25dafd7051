"""Facts of a trace as JSON, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from tfprof.profiles.trace_facts import TraceFacts

FACTS = TraceFacts({"ops": 3}, {"other": 1}, 3, ("host",), ("a note",))


def test_facts_survive_json() -> None:
    assert TraceFacts.from_dict(FACTS.to_dict()) == FACTS


@pytest.mark.parametrize(
    "change",
    [
        {"used": []},
        {"used": {"ops": float("inf")}},
        {"ignored": "x"},
        {"level": float("inf")},
        {"level": None},
        {"notes": "text"},
        {"hosts": 3},
    ],
)
def test_what_is_no_facts_is_a_value_or_type_error(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        TraceFacts.from_dict({**FACTS.to_dict(), **change})
