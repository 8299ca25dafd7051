"""Integers with unknowns in them: polynomials over symbols such as `B`, for sizes and counts.

What is not a polynomial (a floor division, a maximum) becomes an atom of one (`flops/atoms.py`), so
that arithmetic never fails. A constant is a plain int. A value of too many terms, or of too high a
degree, becomes a symbol of its own (`large_symbol`). Otherwise binding every symbol gives the exact
integer.

To users a polynomial is a number as far as it can be one: `cost.float_ops / 1e9`, `f"{flops:,}"`.
What needs a value, such as `int()`, raises a `TypeError` that names the symbols.
"""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from math import prod
from numbers import Real
from typing import Any, NoReturn, Union

from tfprof.definitions.limits import MAX_COUNT_WEIGHT, MAX_DEGREE, MAX_PRODUCT_WEIGHT
from tfprof.flops.monomials import Atom, Monomial, monomial_degree, monomial_weight, multiply
from tfprof.flops.polynomial_text import exact_number, render_terms, short_number

Count = Union[int, "Polynomial"]

BATCH = "B"
"""The symbol of the batch size, the first size of every input of a model."""
_ASSUMED = 100
_LARGE = "large_"
_LARGE_NAME = re.compile(_LARGE + "[0-9a-f]{8}")


class Polynomial:
    """A sum of monomials with integer coefficients, immutable and hashable.

    Divided by a number it has coefficients with fractions.
    """

    __slots__ = ("_hash", "_weight", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = terms  # never changed, and without zeros
        self._hash = 0
        self._weight = 0

    @property
    def weight(self) -> int:
        """How much there is in it: its terms, and their atoms."""
        if not self._weight:
            self._weight = sum(map(monomial_weight, self.terms))
        return self._weight

    @property
    def degree(self) -> int:
        """The largest sum of powers of a term."""
        return max(map(monomial_degree, self.terms))

    def __add__(self, other: Count) -> Count:
        if not isinstance(other, (int, Polynomial, Real)):
            return NotImplemented
        result = CountSum(self)
        result.add(other)
        return result.value()

    __radd__ = __add__

    def __neg__(self) -> Count:
        return self * -1

    def __pos__(self) -> Count:
        return self

    def __sub__(self, other: Count) -> Count:
        return self + -other

    def __rsub__(self, other: int) -> Count:
        return self * -1 + other

    def __mul__(self, other: Count) -> Count:
        if isinstance(other, int):
            if other == 1:
                return self
            if not other:
                return 0
            return Polynomial({key: value * other for key, value in self.terms.items()})
        if isinstance(other, Real):
            factor = _number(other)
            return self._map(lambda value: value * factor)
        if not isinstance(other, Polynomial):
            return NotImplemented
        if _is_large_product(self, other):
            return large_symbol(*sorted((exact(self), exact(other))))
        result: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                key = multiply(left, right)
                result[key] = result.get(key, 0) + a * b
        return value_of({key: value for key, value in result.items() if value})

    __rmul__ = __mul__

    def __pow__(self, power: int) -> Count:
        result: Count = 1
        square: Count = self
        while power > 0:
            if power & 1:
                result = result * square
            power >>= 1
            square = square * square if power else square
        return result

    def __truediv__(self, other: Any) -> Count:
        if isinstance(other, Polynomial):
            # The module of atoms needs this one.
            from tfprof.flops.atoms import divide_exactly

            quotient = divide_exactly(self, other)
            return other._refuse() if quotient is None else quotient
        if not isinstance(other, Real):
            return NotImplemented
        divisor = _number(other)
        return self._map(lambda value: value / divisor)

    def __rtruediv__(self, _: object) -> Count:
        return self._refuse()

    def __floordiv__(self, other: Count) -> Count:
        if not other:
            raise ZeroDivisionError("division by zero")
        from tfprof.flops.atoms import floor_div

        return floor_div(self, other)

    def __mod__(self, other: Count) -> Count:
        return self - self // other * other

    def __round__(self, digits: int | None = None) -> Count:
        return self._map(lambda value: round(value, digits))

    def __int__(self) -> int:
        return self._refuse()

    def __float__(self) -> float:
        return self._refuse()

    def __lt__(self, other: Count) -> bool:
        return not self >= other

    def __le__(self, other: Count) -> bool:
        return not self > other

    def __gt__(self, other: Count) -> bool:
        return self._compare(other, operator.gt, operator.ge)

    def __ge__(self, other: Count) -> bool:
        return self._compare(other, operator.ge, operator.gt)

    def _compare(
        self, other: Count, holds: Callable[[int, int], bool], fails: Callable[[int, int], bool]
    ) -> bool:
        """A comparison, if it comes out the same for all values of the symbols."""
        more, less = lower_bound(self - other), lower_bound(other - self)
        if more is not None and holds(more, 0):
            return True
        return False if less is not None and fails(less, 0) else self._refuse()

    def _map(self, function: Callable[[int], float]) -> Count:
        """The same monomials with other coefficients."""
        terms: dict[Monomial, Any] = {key: function(value) for key, value in self.terms.items()}
        return value_of({key: value for key, value in terms.items() if value})

    def _refuse(self) -> NoReturn:
        names = sorted(symbols(self))
        known = " and ".join(names) + (" is" if len(names) == 1 else " are")
        how = ", ".join(f"{name!r}: …" for name in names)
        raise TypeError(f"{self} has no value: {known} not known; give bind={{{how}}}")

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

    def __format__(self, spec: str) -> str:
        """The text with its coefficients in a number format, `f"{flops:,}"`; `""` is `str()`."""
        if not spec or spec.endswith("s"):
            return format(str(self), spec)
        parts = _FORMAT.fullmatch(spec)
        if parts is None:
            raise ValueError(f"Invalid format specifier '{spec}' for a number with symbols")
        numbers = parts["number"]
        text = render(self, lambda number: format(number, numbers)) if numbers else str(self)
        return format(text, f"{parts['fill'] or '>'}{parts['width']}" if parts["width"] else "")


_FORMAT = re.compile(r"(?P<fill>.?[<>^])?(?P<width>\d*)(?P<number>[,_]?(\.\d+)?[a-zA-Z%]?)")


class CountSum:
    """A sum of many values, in time linear in their terms."""

    def __init__(self, first: Count = 0) -> None:
        self._terms: dict[Monomial, int] = dict(_terms(first))

    def add(self, value: Count) -> None:
        """Add a value."""
        terms = self._terms
        for key, coefficient in _terms(value).items():
            total = terms.get(key, 0) + coefficient
            if total:
                terms[key] = total
            else:
                del terms[key]

    def value(self) -> Count:
        """The sum; a symbol if it has too many terms."""
        total = value_of(dict(self._terms))
        if weight_of(total) > MAX_COUNT_WEIGHT:
            return large_symbol(exact(total))
        return total


def symbol(name: str) -> Polynomial:
    """One unknown."""
    return _atom(name)


def large_symbol(*parts: str) -> Polynomial:
    """The symbol for a value that is too large to write out; equal values have the same one."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return _atom(_LARGE + digest[:8])


def is_large_symbol(name: str) -> bool:
    """Whether a symbol stands for a value that is too large to write out."""
    return _LARGE_NAME.fullmatch(name) is not None


def weight_of(value: Count) -> int:
    """How much there is in a value."""
    return value.weight if isinstance(value, Polynomial) else 1


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
    if not isinstance(value, Polynomial):
        return frozenset()
    names: set[str] = set()
    for monomial in value.terms:
        for atom, _ in monomial:
            names |= {atom} if isinstance(atom, str) else atom.symbols()
    return frozenset(names)


def bind(value: Count, values: Mapping[str, Count]) -> Count:
    """A value with some of its symbols replaced by numbers."""
    if not isinstance(value, Polynomial) or not values:
        return value
    total = CountSum()
    for monomial, coefficient in value.terms.items():
        term: Count = coefficient
        for atom, power in monomial:
            factor = values.get(atom) if isinstance(atom, str) else atom.bind(values)
            base = _atom(atom) if factor is None else factor
            term = term * base**power
        total.add(term)
    return total.value()


def lower_bound(value: Count) -> int | None:
    """A lower bound, where every symbol is at least 1; None if there is none."""
    if not isinstance(value, Polynomial):
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


def assume_sizes(value: Count) -> int:
    """A number to compare values by: for a batch of one, every other symbol being 100."""
    sizes: dict[str, Count] = {**dict.fromkeys(symbols(value), _ASSUMED), BATCH: 1}
    number = bind(value, sizes)
    return 0 if isinstance(number, Polynomial) else number


def pretty(value: Count) -> str:
    """A short text: three significant digits and a unit per coefficient, `7.75G·B`."""
    return render(value, short_number)


def exact(value: Count) -> str:
    """The full text, `7751540736·B`."""
    return render(value, exact_number)


def plain(value: Count) -> int | str:
    """A number, or the full text of what has symbols in it, for JSON."""
    text = exact(value)
    return value if isinstance(value, int) and "e" not in text else text


def render(value: Count, number: Callable[[int], str]) -> str:
    """The text of a value; `number` formats its coefficients."""
    if not isinstance(value, Polynomial):
        return number(value)
    return render_terms(value.terms, number)


def _terms(value: Count) -> Mapping[Monomial, int]:
    if isinstance(value, Polynomial):
        return value.terms
    return {(): _number(value)} if value else {}


def _number(value: Any) -> Any:
    """A number of any type as an int, which has no limits, or else as a float."""
    return operator.index(value) if hasattr(value, "__index__") else float(value)


def value_of(terms: dict[Monomial, int]) -> Count:
    """A value from terms without zeros."""
    if not terms:
        return 0
    return terms[()] if len(terms) == 1 and () in terms else Polynomial(terms)


def _atom(atom: Atom) -> Polynomial:
    return Polynomial({((atom, 1),): 1})


def _is_large_product(a: Polynomial, b: Polynomial) -> bool:
    """Whether a product would have too many terms, or too high a degree."""
    weight = len(a.terms) * b.weight + len(b.terms) * a.weight
    is_scaled = len(a.terms) == 1 or len(b.terms) == 1
    if weight > (MAX_COUNT_WEIGHT if is_scaled else MAX_PRODUCT_WEIGHT):
        return True
    return a.degree + b.degree > MAX_DEGREE


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
