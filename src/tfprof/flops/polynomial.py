"""Integers with unknowns in them: polynomials over symbols such as `B`, for sizes and counts.

What is not a polynomial (a floor division, a maximum) becomes an atom of one, so that arithmetic
never fails and binding every symbol always gives the exact integer. A constant is a plain int.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Union

Count = Union[int, "Polynomial"]


@dataclass(frozen=True, slots=True)
class Quotient:
    """The atom ⌊numerator/denominator⌋."""

    numerator: Count
    denominator: Count

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
        return f"⌊({exact(self.numerator)})/{_factor(self.denominator)}⌋"


@dataclass(frozen=True, slots=True)
class Extreme:
    """The atom max(a, b) or min(a, b)."""

    largest: bool
    left: Count
    right: Count

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
        name = "max" if self.largest else "min"
        return f"{name}({exact(self.left)}, {exact(self.right)})"


Atom = str | Quotient | Extreme
Monomial = tuple[tuple[Atom, int], ...]
"""Atoms with their powers, in a fixed order; the empty one is the constant."""


class Polynomial:
    """A sum of monomials with integer coefficients, immutable and hashable."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms  # never changed, and without zeros
        self._hash = 0

    def __add__(self, other: Count) -> Count:
        result = dict(self.terms)
        for key, value in _terms(other).items():
            total = result.get(key, 0) + value
            if total:
                result[key] = total
            else:
                del result[key]
        return _normal(result)

    __radd__ = __add__

    def __neg__(self) -> Count:
        return self * -1

    def __sub__(self, other: Count) -> Count:
        return self + other * -1

    def __rsub__(self, other: int) -> Count:
        return self * -1 + other

    def __mul__(self, other: Count) -> Count:
        if isinstance(other, int):
            if other == 1:
                return self
            if not other:
                return 0
            return Polynomial({key: value * other for key, value in self.terms.items()})
        result: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                key = _times(left, right)
                result[key] = result.get(key, 0) + a * b
        return _normal({key: value for key, value in result.items() if value})

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        if not self._hash:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __str__(self) -> str:
        return pretty(self)

    def __repr__(self) -> str:
        return f"Polynomial({exact(self)})"


def symbol(name: str) -> Polynomial:
    """One unknown."""
    return _atom(name)


def symbol_name(value: Count | None) -> str | None:
    """The name of a value that is nothing but one symbol."""
    if isinstance(value, Polynomial) and len(value.terms) == 1:
        ((monomial, coefficient),) = value.terms.items()
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            atom = monomial[0][0]
            return atom if isinstance(atom, str) else None
    return None


def symbols(value: Count) -> frozenset[str]:
    """The names of the unknowns in a value."""
    if isinstance(value, int):
        return frozenset()
    names: set[str] = set()
    for monomial in value.terms:
        for atom, _ in monomial:
            names |= {atom} if isinstance(atom, str) else atom.symbols()
    return frozenset(names)


def bind(value: Count, values: Mapping[str, Count]) -> Count:
    """A value with some of its symbols replaced by numbers."""
    if isinstance(value, int) or not values:
        return value
    total: Count = 0
    for monomial, coefficient in value.terms.items():
        term: Count = coefficient
        for atom, power in monomial:
            factor = values.get(atom) if isinstance(atom, str) else atom.bind(values)
            base = _atom(atom) if factor is None else factor
            for _ in range(power):
                term = term * base
        total = total + term
    return total


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
        quotient = _normal({key: value // b for key, value in a.terms.items() if value // b})
        rest = _normal({key: value % b for key, value in a.terms.items() if value % b})
        return quotient + (rest // b if isinstance(rest, int) else _atom(Quotient(rest, b)))
    if isinstance(a, int):
        return 0 if a == 0 else _atom(Quotient(a, b))
    exact = _divide_exactly(a, b)
    return _atom(Quotient(a, b)) if exact is None else exact


def ceil_div(a: Count, b: Count) -> Count:
    """⌈a/b⌉."""
    return floor_div(a + b - 1, b)


def lower_bound(value: Count) -> int | None:
    """A lower bound, where every symbol is at least 1; None if there is none."""
    if isinstance(value, int):
        return value
    total = 0
    for monomial, coefficient in value.terms.items():
        low: int | None = 1
        for atom, power in monomial:
            bound = 1 if isinstance(atom, str) else atom.lower_bound()
            low = None if low is None or bound is None or bound < 0 else low * bound**power
        if low is None or (coefficient < 0 and monomial):
            return None
        total += coefficient * low
    return total


def extreme(a: Count, b: Count, *, largest: bool) -> Count:
    """The larger or the smaller of two values; symbols are sizes, so at least 1."""
    more, less = lower_bound(a - b), lower_bound(b - a)
    if more is not None and more >= 0:
        return a if largest else b
    if less is not None and less >= 0:
        return b if largest else a
    left, right = sorted((a, b), key=exact)
    return _atom(Extreme(largest, left, right))


_UNITS = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def pretty(value: Count) -> str:
    """A short text: three significant digits and a unit per coefficient, `7.75G·B`."""
    return _render(value, _short)


def exact(value: Count) -> str:
    """The full text, `7751540736·B`."""
    return _render(value, str)


def _factor(value: Count) -> str:
    return str(value) if isinstance(value, int) else f"({exact(value)})"


def _short(number: int) -> str:
    for unit, suffix in _UNITS:
        if abs(number) >= unit:
            return f"{number / unit:.3g}{suffix}" if abs(number) < 999.5 * unit else f"{number:.3g}"
    return str(number)


def _render(value: Count, number: Callable[[int], str]) -> str:
    if isinstance(value, int):
        return number(value)
    parts = []
    for monomial, coefficient in sorted(value.terms.items(), key=_rank):
        names = [f"{atom}^{power}" if power > 1 else str(atom) for atom, power in monomial]
        if coefficient != 1 or not names:
            names.insert(0, number(coefficient))
        parts.append("·".join(names))
    return " + ".join(parts).replace("+ -", "- ")


def _rank(item: tuple[Monomial, int]) -> tuple[int, str]:
    return (-sum(power for _, power in item[0]), str([str(atom) for atom, _ in item[0]]))


def _terms(value: Count) -> Mapping[Monomial, int]:
    if isinstance(value, int):
        return {(): value} if value else {}
    return value.terms


def _normal(terms: dict[Monomial, int]) -> Count:
    """A value from terms without zeros."""
    if not terms:
        return 0
    return terms[()] if len(terms) == 1 and () in terms else Polynomial(terms)


def _atom(atom: Atom) -> Polynomial:
    return Polynomial({((atom, 1),): 1})


def _times(left: Monomial, right: Monomial) -> Monomial:
    if not left or not right:
        return left or right
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return _ordered(powers.items())


def _ordered(powers: Iterable[tuple[Atom, int]]) -> Monomial:
    return tuple(sorted(((a, p) for a, p in powers if p), key=lambda item: str(item[0])))


def _divide_exactly(a: Polynomial, b: Polynomial) -> Count | None:
    """a/b by long division on leading terms; None if there is a remainder."""
    lead, divisor = min(b.terms.items(), key=_rank)
    quotient: Count = 0
    rest: Count = a
    for _ in range(len(a.terms) + 8):
        if rest == 0:
            return quotient
        monomial, coefficient = min(_terms(rest).items(), key=_rank)
        powers = dict(monomial)
        for atom, power in lead:
            powers[atom] = powers.get(atom, 0) - power
        if coefficient % divisor or min(powers.values(), default=0) < 0:
            return None
        step = _normal({_ordered(powers.items()): coefficient // divisor})
        quotient, rest = quotient + step, rest - step * b
    return None


def product(sizes: Iterable[Count]) -> Count:
    """The product of sizes, integers first, which is fast for shapes without symbols."""
    known: list[int] = []
    result: Count = 1
    for size in sizes:
        if isinstance(size, int):
            known.append(size)
        else:
            result = result * size
    return result * prod(known)
