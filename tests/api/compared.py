"""Messages and presets, to compare with the original's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message

from tests.oracle.compare import any_depth, canonical, diff, lines
from tfprof import ProfileOptionBuilder

__all__ = ["EVERYTHING", "VIEWS", "assert_same", "presets"]

VIEWS = ("scope", "graph", "op", "code")
EVERYTHING = ["micros", "bytes", "params", "float_ops", "occurrence", "device", "op_types"]
EVERYTHING += ["input_shapes"]


def presets() -> Iterator[dict[str, Any]]:
    """The original's ready-made options, and one that shows everything; nothing is printed."""
    builder = ProfileOptionBuilder
    for options in (
        builder.trainable_variables_parameter(),
        builder.float_operation(),
        builder.time_and_memory(),
        builder().select(EVERYTHING).build(),
    ):
        yield {**options, "output": "none"}


def assert_same(original: Any, ours: Message) -> None:
    """Both messages say the same, though their classes differ."""
    with any_depth():
        theirs = type(ours).FromString(original.SerializeToString())
    assert canonical(theirs) == canonical(ours), diff("message", lines(theirs), lines(ours))
