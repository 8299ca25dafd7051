"""What is not a polynomial, such as a floor division or a maximum, as an atom of one.

So arithmetic never fails, and binding every symbol gives the exact integer. Atoms of atoms have a
budget, as polynomials do: a larger one becomes a symbol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tfprof.definitions.limits import MAX_ATOM_WEIGHT, MAX_DIVISION_STEPS
from tfprof.flops.monomials import make_monomial
from tfprof.flops.polynomial import (
    Count,
    Polynomial,
    bind,
    exact,
    large_symbol,
    lower_bound,
    symbols,
    value_of,
    weight_of,
)
from tfprof.flops.polynomial_text import rank


@dataclass(frozen=True, slots=True)
class Quotient:
    """The atom ⌊numerator/denominator⌋."""

    numerator: Count
    denominator: Count
    text: str = field(default="", init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Once: atoms are nested, and the terms around one are both ordered and shown by its text.
        text = f"⌊({exact(self.numerator)})/{_factor(self.denominator)}⌋"
        object.__setattr__(self, "text", text)

    @property
    def weight(self) -> int:
        """How much there is in it."""
        return 1 + weight_of(self.numerator) + weight_of(self.denominator)

    def bind(self, values: Mapping[str, Count]) -> Count:
        """The same with symbols replaced."""
        return floor_div(bind(self.numerator, values), bind(self.denominator, values))

    def lower_bound(self) -> int | None:
        """A lower bound, if there is one."""
        low = lower_bound(self.numerator)
        if low is None or not isinstance(self.denominator, int) or self.denominator < 1:
            return None if low is None or low < 0 else 0
        return low // self.denominator

    def symbols(self) -> frozenset[str]:
        """The names in it."""
        return symbols(self.numerator) | symbols(self.denominator)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Extreme:
    """The atom max(a, b) or min(a, b)."""

    largest: bool
    left: Count
    right: Count
    text: str = field(default="", init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        name = "max" if self.largest else "min"
        object.__setattr__(self, "text", f"{name}({exact(self.left)}, {exact(self.right)})")

    @property
    def weight(self) -> int:
        """How much there is in it."""
        return 1 + weight_of(self.left) + weight_of(self.right)

    def bind(self, values: Mapping[str, Count]) -> Count:
        """The same with symbols replaced."""
        return extreme(bind(self.left, values), bind(self.right, values), largest=self.largest)

    def lower_bound(self) -> int | None:
        """A lower bound, if there is one."""
        bounds = [lower_bound(self.left), lower_bound(self.right)]
        known = [bound for bound in bounds if bound is not None]
        if self.largest:
            return max(known, default=None)
        return min(known) if len(known) == 2 else None

    def symbols(self) -> frozenset[str]:
        """The names in it."""
        return symbols(self.left) | symbols(self.right)

    def __str__(self) -> str:
        return self.text


def floor_div(a: Count, b: Count) -> Count:
    """⌊a/b⌋, simplified as far as it is exact; sizes are taken to be positive.

    Only a symbol bound to zero makes a divisor zero: then a tensor is empty, and the quotient 0.
    """
    if isinstance(b, int):
        if b == 0:
            return 0
        if isinstance(a, int):
            return a // b
        if b == 1:
            return a
        quotient = value_of({key: value // b for key, value in a.terms.items() if value // b})
        rest = value_of({key: value % b for key, value in a.terms.items() if value % b})
        return quotient + (rest // b if isinstance(rest, int) else _value(_fold(rest, b)))
    if isinstance(a, int):
        return 0 if a == 0 else _value(Quotient(a, b))
    quotient_or_none = divide_exactly(a, b)
    return _value(Quotient(a, b)) if quotient_or_none is None else quotient_or_none


def _fold(a: Polynomial, b: int) -> Quotient:
    """⌊a/b⌋, where ⌊(⌊n/m⌋ + k)/b⌋ is ⌊(n + k·m)/(m·b)⌋."""
    terms = dict(a.terms)
    constant = terms.pop((), 0)
    match [*terms.items()]:
        case [(((Quotient(numerator, int(inner)), 1),), 1)] if inner > 0 < b:
            return Quotient(numerator + constant * inner, inner * b)
    return Quotient(a, b)


def ceil_div(a: Count, b: Count) -> Count:
    """⌈a/b⌉."""
    return floor_div(a + b - 1, b)


def extreme(a: Count, b: Count, *, largest: bool) -> Count:
    """The larger or the smaller of two values; symbols are sizes, so at least 1."""
    more, less = lower_bound(a - b), lower_bound(b - a)
    if more is not None and more >= 0:
        return a if largest else b
    if less is not None and less >= 0:
        return b if largest else a
    left, right = sorted((a, b), key=exact)
    return _value(Extreme(largest, left, right))


def divide_exactly(a: Polynomial, b: Polynomial) -> Count | None:
    """a/b by long division on leading terms; None if there is a remainder, or too much to do."""
    if a == b:
        return 1
    if len(a.terms) * (len(a.terms) + len(b.terms)) > MAX_DIVISION_STEPS:
        return None
    lead, divisor = min(b.terms.items(), key=rank)
    quotient: Count = 0
    rest: Count = a
    for _ in range(len(a.terms) + 8):
        if rest == 0:
            return quotient
        terms = rest.terms if isinstance(rest, Polynomial) else {(): rest}
        monomial, coefficient = min(terms.items(), key=rank)
        powers = dict(monomial)
        for atom, power in lead:
            powers[atom] = powers.get(atom, 0) - power
        if coefficient % divisor or min(powers.values(), default=0) < 0:
            return None
        step = value_of({make_monomial(powers.items()): coefficient // divisor})
        quotient, rest = quotient + step, rest - step * b
    return None


def _value(atom: Quotient | Extreme) -> Polynomial:
    """An atom as a value; one that is too large as a symbol."""
    if atom.weight > MAX_ATOM_WEIGHT:
        return large_symbol(str(atom))
    return Polynomial({((atom, 1),): 1})


def _factor(value: Count) -> str:
    return str(value) if isinstance(value, int) else f"({exact(value)})"
