"""The two programs that are compared, under one interface, so that both do the same work."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

__all__ = ["NAMES", "OPTIONS", "WIDE", "Subject", "subject"]

NAMES = ("original", "ours", "repaired")  # ours as the original answers, and ours as it should

OPTIONS: dict[str, Any] = {
    "max_depth": 10_000,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "micros",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["bytes", "micros", "params", "float_ops"],
    "step": -1,
}
WIDE = OPTIONS | {
    "order_by": "peak_bytes",
    "account_type_regexes": [".*"],
    "select": [
        "accelerator_micros",
        "bytes",
        "cpu_micros",
        "device",
        "float_ops",
        "input_shapes",
        "micros",
        "occurrence",
        "op_types",
        "output_bytes",
        "params",
        "peak_bytes",
        "residual_bytes",
    ],
}


class Subject(Protocol):
    """A program that is measured; a session goes through these in order."""

    def load(self, folder: Path) -> None:
        """Read the graph and the op log."""

    def add_step(self, path: Path, step: int) -> None:
        """Read and add a run."""

    def forget_views(self) -> None:
        """Make the next view a first one, where that can be done without loading anew."""

    def write(self, view: str, options: dict[str, Any], output: str) -> None:
        """Write a view where an `-output` value says."""

    def message(self, view: str, options: dict[str, Any]) -> Any:
        """The result of a view as a Python message."""

    def serialize(self) -> bytes:
        """The profile as a ProfileProto."""

    def advise(self) -> Any:
        """The advice of all checkers."""

    def one_shot(self, folder: Path, view: str, options: dict[str, Any]) -> Any:
        """Files to the result of one view, in one call."""


def subject(name: str) -> Subject:
    """One of the two; only its own libraries are imported."""
    if name == "original":
        from benchmarks.subjects.original import Original

        return Original()
    from benchmarks.subjects.ours import Ours

    return Ours(compat=name != "repaired")
