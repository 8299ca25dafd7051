"""The page formats numbers digit for digit as Python does."""

from __future__ import annotations

import random

from tfprof.definitions.units import FORMATS, SCALES

COUNT = 1_000_000


def values(unit: str, count: int) -> list[int]:
    """Numbers of all sizes, of which many lie right between two that are printed."""
    draw = random.Random(unit)
    sizes = [size for _, size in SCALES[unit]]
    made = [0, 1, -1, 999, 1000, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 + 1, 10**21, -(10**12)]
    while len(made) < count:
        kind = len(made) % 4
        size = draw.choice(sizes)
        if kind == 0:
            made.append(draw.randrange(2000) * size + draw.randrange(200) * size // 200)
        elif kind == 1:
            made.append(draw.randrange(10 ** draw.randrange(1, 19)))
        elif kind == 2:
            made.append(draw.randrange(8000) * size // 8)
        else:
            made.append(draw.randrange(-(10**6), 2 ** draw.randrange(1, 90)))
    return made


def test_numbers_are_formatted_as_in_python(tab, demo_page):
    page = tab.open(demo_page)
    for unit, text in FORMATS.items():
        numbers = values(unit, COUNT // len(FORMATS) + 1)
        exact = 2**53
        shown = page.evaluate(
            "([numbers, unit]) => numbers.split(' ').map(text => {"
            f" const big = BigInt(text); const small = -{exact}n < big && big < {exact}n;"
            " return tfprof.format(small ? Number(big) : big, unit); }).join('\\n')",
            [" ".join(map(str, numbers)), unit],
        ).split("\n")
        wrong = [(n, s) for n, s in zip(numbers, shown, strict=True) if text(n) != s]
        assert not wrong, wrong[:5]
