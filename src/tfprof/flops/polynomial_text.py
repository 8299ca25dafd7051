"""Polynomials as text: their monomials in order of degree, and short numbers such as `7.75G`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import Any

_UNITS = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_LARGEST_FLOAT_BITS = 1000
_LONGEST_BITS = 10_000  # Python refuses to print integers of more than 4,300 digits

_Terms = Mapping[Any, int]


def short_number(number: float) -> str:
    """A number with three significant digits and a unit: `7.75G`."""
    for unit, suffix in _UNITS:
        if abs(number) >= unit:
            if abs(number) < 999.5 * unit:
                return f"{number / unit:.3g}{suffix}"
            return _scientific(number)
    return str(number) if isinstance(number, int) else f"{number:.3g}"


def exact_number(number: float) -> str:
    """All digits of a number, unless it has thousands of them."""
    is_long = isinstance(number, int) and number.bit_length() > _LONGEST_BITS
    return _scientific(number) if is_long else str(number)


def _scientific(number: float) -> str:
    if not isinstance(number, int) or number.bit_length() < _LARGEST_FLOAT_BITS:
        return f"{number:.3g}"
    # Beyond floats: Decimal would print all digits first, so the last bits are cut off.
    excess = number.bit_length() - _LARGEST_FLOAT_BITS
    context = Context(prec=20, Emax=10**17)
    power = context.power(Decimal(2), Decimal(excess))
    return f"{context.multiply(Decimal(number >> excess), power):.2e}"


def render_terms(terms: _Terms, number: Callable[[int], str]) -> str:
    """The text of a polynomial; `number` formats its coefficients."""
    parts = []
    for monomial, coefficient in sorted(terms.items(), key=rank):
        names = [f"{atom}^{power}" if power > 1 else str(atom) for atom, power in monomial]
        if coefficient != 1 or not names:
            names.insert(0, number(coefficient))
        parts.append("·".join(names))
    return " + ".join(parts).replace("+ -", "- ")


def rank(item: tuple[Any, int]) -> tuple[int, str]:
    """The order of terms: the highest degree first, then by name."""
    return (-sum(power for _, power in item[0]), str([str(atom) for atom, _ in item[0]]))
