"""Monomials: products of atoms with their powers, the terms of polynomials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tfprof.flops.polynomial import Count


class CompositeAtom(Protocol):
    """An atom that contains polynomials; `flops/atoms.py` has them."""

    @property
    def weight(self) -> int:
        """How much there is in it."""
        ...

    def bind(self, values: Mapping[str, Count]) -> Count:
        """The same with symbols replaced."""
        ...

    def lower_bound(self) -> int | None:
        """A lower bound, if there is one."""
        ...

    def symbols(self) -> frozenset[str]:
        """The names in it."""
        ...


Atom = str | CompositeAtom
Monomial = tuple[tuple[Atom, int], ...]
"""Atoms with their powers, in a fixed order; the empty one is the constant."""


def monomial_weight(monomial: Monomial) -> int:
    """How much there is in a term: itself and its atoms."""
    return 1 + sum(1 if isinstance(atom, str) else atom.weight for atom, _ in monomial)


def monomial_degree(monomial: Monomial) -> int:
    """The sum of powers."""
    return sum(power for _, power in monomial)


def multiply(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    if not left or not right:
        return left or right
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return make_monomial(powers.items())


def make_monomial(powers: Iterable[tuple[Atom, int]]) -> Monomial:
    """A monomial of atoms with their powers."""
    return tuple(sorted(((a, p) for a, p in powers if p), key=lambda item: str(item[0])))
