"""Numbers as people read and write them, at the limits of each unit."""

from __future__ import annotations

import pytest

from tfprof.definitions.units import FORMATS, SCALES, format_share, parse_memory, parse_time


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("number", 999, "999"),
        ("number", 1000, "1.00k"),
        ("number", 999_999, "1000.00k"),
        ("number", 10**6, "1.00m"),
        ("number", 10**9, "1.00b"),
        ("number", -1000, "-1000"),
        ("time", 999, "999us"),
        ("time", 1000, "1.00ms"),
        ("time", 10**6, "1.00sec"),
        ("memory", 1000, "1.00KB"),
        ("memory", 10**6, "1.00MB"),
        ("memory", 2**70, "1180591620717411.25MB"),
        # Beyond 64 bits they are not rounded to doubles first, which gives .51 and .87.
        ("number", 9414574983504999820, "9414574983.50b"),
        ("memory", 10455340989000874697, "10455340989000.88MB"),
    ],
)
def test_formats(unit, value, text):
    assert FORMATS[unit](value) == text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("16GB", 16 * 10**9),
        ("16GiB", 16 * 2**30),
        ("800m", 800 * 10**6),
        ("1kb", 1000),
        ("1.5KiB", 1536),
        ("1TB", 10**12),
        ("7b", 7),
        (" 7 ", 7),
        ("7x", None),
        ("-1", None),
        ("", None),
    ],
)
def test_memory(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("641ms", 641_000),
        ("1.5s", 1_500_000),
        ("2sec", 2 * 10**6),
        ("300", 300),
        ("300us", 300),
        ("3 µs", 3),
        ("x", None),
    ],
)
def test_time(text, micros):
    assert parse_time(text) == micros


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (0.4519, "45.2%"), (0.9999, "99.9%"), (1.0, "100%"), (1.5, "100%")],
)
def test_shares(share, text):
    assert format_share(share) == text


def test_the_smallest_unit_is_one():
    """As the page divides by it."""
    assert [scale[0] for scale in SCALES.values()] == [("", 1), ("us", 1), ("B", 1)]
