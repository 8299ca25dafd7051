"""The switches of compatibility: each acts somewhere, and each is in the documentation."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import tfprof
from tfprof.definitions.quirks import ORIGINAL, REPAIRED, Quirks

SOURCES = [
    path
    for path in Path(tfprof.__file__).parent.rglob("*.py")
    if path.name != "quirks.py" and not path.name.endswith("_pb2.py")
]
NAMES = [item.name for item in fields(Quirks)]


@pytest.mark.parametrize("name", NAMES)
def test_every_quirk_acts(name):
    assert any(re.search(rf"quirks\.{name}\b", path.read_text()) for path in SOURCES)


def test_presets():
    assert all(getattr(ORIGINAL, name) for name in NAMES)
    assert not any(getattr(REPAIRED, name) for name in NAMES)


def test_nothing_asks_for_an_unknown_quirk():
    used = {
        name for path in SOURCES for name in re.findall(r"quirks\.([a-z_0-9]+)\b", path.read_text())
    }
    modules = {"import", "for", "quirks_for"}
    assert used <= set(NAMES) | modules
