"""A row of the table: what every counter found for one case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.truth.case import Case
from benchmarks.truth.store import found

__all__ = ["COUNTERS", "Row", "row"]

# Title -> whose finding and which field of it.
COUNTERS = {
    "original, graph": ("original", "graph"),
    "original, frozen": ("original", "frozen"),
    "torch": ("torch", "float_ops"),
    "fvcore": ("fvcore", "float_ops"),
    "JAX": ("jax", "float_ops"),
}
_NEAR = 0.05  # of the truth, beside the element-wise work that some counters mix in


@dataclass(frozen=True, slots=True)
class Row:
    """The numbers of a case, for as many examples as its batch."""

    case: Case
    truth: int
    ours: dict[str, Any]
    model: dict[str, Any]
    others: dict[str, int | str | None]
    """Float operations by title of `COUNTERS`; the name of an error; None where nothing ran."""

    @property
    def exact(self) -> bool:
        """Whether ours is the truth, as a polynomial in the unknown sizes."""
        return bool(self.ours.get("exact"))

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return bool(self.ours.get("complete"))

    @property
    def same_params(self) -> bool:
        """Whether parameters are the model's, trainable and not."""
        return all(self.ours.get(key) == self.model.get(key) for key in ("params", "trainable"))

    def near(self, title: str) -> bool | None:
        """Whether a counter is at most 5 % off the truth, with or without element-wise work."""
        value = self.others[title]
        if not isinstance(value, int):
            return None
        most = self.truth + self.ours.get("elementwise", 0)
        return bool((1 - _NEAR) * self.truth <= value <= (1 + _NEAR) * most)


def row(folder: Path, case: Case) -> Row:
    """What was found."""
    model = found(folder, case, "original")
    others: dict[str, int | str | None] = {}
    for title, (counter, field) in COUNTERS.items():
        finding = found(folder, case, counter)
        others[title] = finding.get(field, finding.get("failed"))
    ours = found(folder, case, "ours")
    return Row(case, model.get("truth", 0) * case.batch, ours, model, others)
