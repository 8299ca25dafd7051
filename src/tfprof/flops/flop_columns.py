"""Float operations as columns over the nodes of a profile, and what is said of missing ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tfprof.definitions.units import FORMATS
from tfprof.flops.polynomial import BATCH, Count, Polynomial, assume_sizes, bind, render
from tfprof.profiles.schema import Array, BoolArray

_SAFE = 2**62
_EXAMPLES = {BATCH: 32, "H": 224, "W": 224}


@dataclass(frozen=True, slots=True)
class NodeFlops:
    """Columns over the nodes of a profile."""

    float_ops: Array
    """Of one execution."""
    macs: Array
    """The multiply-adds among them."""
    executions: Array
    """How often each node runs, as far as the graph shows it; runs that were recorded win."""
    per_example: BoolArray
    """Which numbers are those of a batch of one, as the batch size is not known."""
    reasons: Mapping[int, str]
    """Node -> why it has no float operations."""
    symbols: Mapping[str, str] = field(default_factory=dict)
    """The symbols of the numbers, which then are polynomials, and what they stand for."""
    executed: Array | None = None
    """Of one execution after compilation; None if no node was compiled."""
    compiled: BoolArray | None = None
    """Which nodes are instructions of a compiled program; None if no node is."""
    compiled_caller: Array | None = None
    """The call of a compiled function that each node belongs to, -1 for none."""

    def executed_or_model(self) -> Array:
        """The float operations that are executed, which may be more than those of the model."""
        return self.float_ops if self.executed is None else self.executed

    def per(self) -> str:
        """What the numbers are for, as a column title has it: `per example`, `in B and T`."""
        if self.symbols:
            return f"in {_join(list(self.symbols))}"
        return "per example" if self.per_example.any() else ""

    def messages(self) -> tuple[str, ...]:
        """How complete the numbers are."""
        messages = []
        if self.per_example.any():
            messages.append("float_ops: per example (B = 1); give the batch size with --bind B=32")
        if self.symbols:
            meanings = ", ".join(f"{name} = {meaning}" for name, meaning in self.symbols.items())
            hint = how_to_bind(self.symbols)
            messages.append(f"float_ops: {self.per()} ({meanings}); {hint}")
        if self.reasons:
            messages.append(f"float_ops: {describe_unavailable(Counter(self.reasons.values()))}")
        return tuple(messages)


def describe_unavailable(reasons: Mapping[str, int]) -> str:
    """One sentence for the user: of how many nodes the float operations are not known, and why."""
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{count} ({reason})" for reason, count in ranked]
    parts[0] = parts[0].replace(" ", " node " if ranked[0][1] == 1 else " nodes ", 1)
    return f"FLOPs unavailable for {_join(parts)}"


def how_to_bind(names: Iterable[str]) -> str:
    """What to type to get numbers in place of symbols."""
    sizes = ",".join(f"{name}={_EXAMPLES.get(name, 100)}" for name in names)
    return f"give sizes with --bind {sizes}"


def _join(parts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def integer_column(values: Sequence[int]) -> Array:
    """Integers as a column: of Python integers where one is too large for 64 bits."""
    largest = max(map(abs, values), default=0)
    return np.array(values, np.int64 if largest < _SAFE else object)


def count_column(values: Sequence[Count]) -> Array:
    """Counts as a column: of Python objects where one is a polynomial or too large for 64 bits."""
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) == len(values):
        return integer_column(numbers)
    column = np.empty(len(values), object)
    column[:] = values
    return column


def format_count(value: Count, unit: str) -> str:
    """A number as people read it, such as `1.50k`, or the text of a polynomial, `1.50k·B`."""
    return FORMATS[unit](value) if isinstance(value, int) else render(value, FORMATS[unit])


def has_symbols(values: Array) -> bool:
    """Whether some of the numbers of a column are polynomials."""
    return values.dtype == object and any(isinstance(value, Polynomial) for value in values)


def without_symbols(values: Array, *, batch: int | None = None) -> Array:
    """A column for formats of numbers: polynomials are 0, or what a batch size makes of them."""
    if not has_symbols(values):
        return values
    sizes = {} if batch is None else {BATCH: batch}
    bound = (bind(value, sizes) for value in values)
    return integer_column([0 if isinstance(value, Polynomial) else int(value) for value in bound])


def to_comparable(values: Array) -> Array:
    """A column to compare by: polynomials as the numbers of assumed sizes."""
    if not has_symbols(values):
        return values
    estimates = np.empty(len(values), object)
    estimates[:] = [assume_sizes(value) for value in values]
    return estimates
