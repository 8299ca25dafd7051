"""A limit of a budget: at most a number, or at most so much more than the base has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tfprof.definitions.limits import MAX_COUNT
from tfprof.definitions.units import parse_memory, parse_time

_RELATIVE = re.compile(r"([+-])\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*%")
_COUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([kKmMbBgGtT]?)")
_SCALES = {"": 0, "k": 3, "m": 6, "b": 9, "g": 9, "t": 12}
EXAMPLES = {
    "number": "2000000, '2M' or '+5%'",
    "memory": "'64MB', '64MiB' or '+5%'",
    "time": "'20ms' or '+5%'",
}
"""What limits of each unit look like."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a number may be at most: `value`, or what the base has and `share` of it more.

    One of them is None. `more` counts in the unit of the number: `+1000`.
    """

    text: str
    value: Fraction | None = None
    share: Fraction | None = None
    more: Fraction | None = None

    @property
    def is_relative(self) -> bool:
        """Whether it needs a base."""
        return self.value is None

    def allowed(self, base: Any) -> Fraction:
        """What is allowed, given the number of the base."""
        if self.value is not None:
            return self.value
        if self.share is not None:
            return Fraction(base) * (1 + self.share)
        assert self.more is not None
        return Fraction(base) + self.more


def parse_limit(value: Any, unit: str) -> Limit | None:
    """A limit as a budget has it, in the unit of a number; None if it is no such limit."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    if isinstance(value, int):
        # A time without a unit would be read as seconds by some and as microseconds by others.
        is_limit = unit != "time" and 0 <= value <= MAX_COUNT
        return Limit(str(value), Fraction(value)) if is_limit else None
    text = value.strip()
    match = _RELATIVE.fullmatch(text)
    if match:
        share = Fraction(match[2]) / 100
        return Limit(text, share=share if match[1] == "+" else -share)
    sign = text[:1] if text[:1] in ("+", "-") else ""
    amount = _parse_amount(text[len(sign) :].strip(), unit)
    if amount is None:
        return None
    if sign:
        return Limit(text, more=amount if sign == "+" else -amount)
    return Limit(text, amount)


def _parse_amount(text: str, unit: str) -> Fraction | None:
    """A number with the unit that it is in: counts, bytes or microseconds."""
    if unit == "number":
        match = _COUNT.fullmatch(text)
        return Fraction(match[1]) * 10 ** _SCALES[match[2].lower()] if match else None
    if unit == "memory":
        has_unit = text[-1:] in ("b", "B") or text.isdecimal()
        size = parse_memory(text) if has_unit else None
        return None if size is None else Fraction(size)
    micros = None if text.startswith("-") or text[-1:].isdecimal() else parse_time(text)
    return None if micros is None else Fraction(micros)
