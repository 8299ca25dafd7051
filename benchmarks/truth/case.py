"""A case: how to build a model, and what it costs by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Case", "Given", "Kind", "slug"]

Kind = Literal["model", "train", "function"]
Given = Literal["traced", "loaded", "run"]


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table."""

    name: str
    build: Callable[[Any], Any]
    """From `keras` (any backend) to a model; of a function from `tf` to a concrete function."""
    truth: str | Callable[[Any], int]
    """Float operations in contractions, by hand, for 1 of each unknown size.

    Arithmetic as text, which the page shows, or a function of the built model's layer shapes.
    """
    kind: Kind = "model"
    """A model's inference, its train step (forward, gradients, Adam), or a TensorFlow function."""
    unknown: int = 1
    """How many sizes are unknown: the batch, and any other."""
    batch: int = 1
    """What an unknown size is bound to, where a counter needs a number."""
    given: Given = "traced"
    """What the original is given besides the frozen graph, where that is not the traced function:
    the SavedModel's signature as it is loaded, or the run metadata of a batch."""

    def value(self, built: Any) -> int:
        """The truth as a number, for 1 of each unknown size."""
        if callable(self.truth):
            return self.truth(built)
        return int(eval(self.truth, {"__builtins__": {}}))

    @property
    def formula(self) -> str:
        """The truth as the page shows it."""
        if callable(self.truth):
            return (self.truth.__doc__ or "").partition("\n")[0].rstrip(".")
        return self.truth.replace("**", "^").replace("*", "·")

    @property
    def slug(self) -> str:
        """A file name."""
        return slug(self.name)


def slug(name: str) -> str:
    """A name without what file systems dislike."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)
