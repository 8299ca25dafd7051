"""Which names are devices."""

from __future__ import annotations

import pytest

from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.profiles.devices import device_rules

BROKEN = ("\n/device:cpu:0", "/job:x\n/device:gpu:1", "\n\n/gpu:0")


@pytest.mark.parametrize("device", BROKEN)
def test_a_line_break_makes_a_device_count_only_by_default(device: str) -> None:
    rules = {quirks: device_rules((device,), quirks) for quirks in (ORIGINAL, REPAIRED)}
    assert (rules[ORIGINAL].canonical.tolist(), rules[ORIGINAL].counts.tolist()) == ([False],) * 2
    assert (rules[REPAIRED].canonical.tolist(), rules[REPAIRED].counts.tolist()) == ([True],) * 2


@pytest.mark.parametrize("quirks", [ORIGINAL, REPAIRED])
def test_a_line_break_at_the_end_is_no_device(quirks) -> None:
    assert not device_rules(("/device:cpu:0\n",), quirks).canonical.any()
