"""The Python stacks that created the operations of a live graph."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.schema import Array, Stacks

NO_TEXT = "none"
"""The string of id 0: what is not known."""


@dataclass(frozen=True, slots=True)
class CreationStacks:
    """Distinct stacks, outermost frame first, and which of them each operation has; -1 is none."""

    distinct: Stacks
    index: Array


def read_stacks(operations: Iterable[Any], quirks: Quirks) -> CreationStacks:
    """The stacks of operations; strings are numbered in the order of their first use."""
    distinct: dict[Any, int] = {}
    # TensorFlow's stacks compare by their frames; far fewer are distinct than operations are many.
    tracebacks = (operation.traceback for operation in operations)
    index = [distinct.setdefault(tb, len(distinct)) if tb else -1 for tb in tracebacks]
    ids = {NO_TEXT: 0}
    rows: list[tuple[int, int, int, int, int]] = []
    start = [0]
    for stack in distinct:
        for file, line, function, _ in stack:
            text, first = ("", -1) if quirks.traces_without_text else _source(file, line, function)
            rows.append(
                (
                    ids.setdefault(file, len(ids)) if file else 0,
                    line or -1,
                    ids.setdefault(function, len(ids)) if function else 0,
                    ids.setdefault(text, len(ids)) if text else 0,
                    first,
                )
            )
        start.append(len(rows))
    columns = np.array(rows, np.int64).reshape(-1, 5).T
    stacks = Stacks(
        start=np.array(start, np.int64),
        file_id=columns[0],
        line=columns[1],
        function_id=columns[2],
        text_id=columns[3],
        function_line=columns[4],
        strings={number: text for text, number in ids.items()},
        texts=None,
    )
    return CreationStacks(stacks, np.array(index, np.int64))


@lru_cache(maxsize=65536)
def _source(file: str, line: int, function: str) -> tuple[str, int]:
    """The text of a line, and the first line of its function, -1 if not known."""
    text = linecache.getline(file, line).strip()
    if not text or not function.isidentifier():
        return text, -1
    definition = re.compile(rf"\s*(async\s+)?def\s+{re.escape(function)}\b")
    lines = linecache.getlines(file)
    for number in range(min(line, len(lines)), 0, -1):
        if definition.match(lines[number - 1]):
            return text, number
    return text, -1
