"""Tables whose columns are of another type are refused, whatever the annotation is called."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import tfprof
from tfprof import demo
from tfprof.api.profile import Profile
from tfprof.loaders.parquet.checks import find_fault

PARTS = ("nodes", "edges", "records", "saved")


@pytest.fixture(scope="module")
def profiles() -> list[Profile]:
    """One with records, one that was saved as a ProfileProto."""
    profile = tfprof.load(**demo.paths())
    return [profile, tfprof.load(profile=profile.serialize())]


def _replace_column(profile: Profile, part: str, name: str, column: Any) -> Profile:
    old = getattr(profile, part)
    if isinstance(old, tuple):
        return profile.replace(**{part: (replace(old[0], **{name: column}), *old[1:])})
    return profile.replace(**{part: replace(old, **{name: column})})


@pytest.mark.parametrize(("kind", "other"), [("b", np.int8), ("b", np.float64), ("i", np.float64)])
def test_columns_of_another_type_are_refused(
    profiles: list[Profile], kind: str, other: type
) -> None:
    names = set()
    for profile in profiles:
        assert find_fault(profile) == ""
        for part in PARTS:
            value = getattr(profile, part)
            for record in value[:1] if isinstance(value, tuple) else [value]:
                for item in fields(record):
                    column = getattr(record, item.name)
                    if not isinstance(column, np.ndarray) or column.dtype.kind != kind:
                        continue
                    names.add(item.name)
                    changed = _replace_column(profile, part, item.name, column.astype(other))
                    fault = f"the column '{item.name}' is not of the right type"
                    assert find_fault(changed) == fault
    if kind == "b":
        assert names == {"in_graph", "copy", "output_has_memory", "interval_accelerator"}
    else:
        assert len(names) > 20
