"""The values of checkpoint tensors: as text after their rows, and as messages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tfprof.loaders.checkpoint.dtypes import DTYPES
from tfprof.protos import graph_pb2, output_pb2

if TYPE_CHECKING:
    from tfprof.loaders.checkpoint import Statistics, TensorInfo
    from tfprof.loaders.checkpoint.dtypes import Array
    from tfprof.reports.report import Report

__all__ = ["LONGEST", "Values", "formatted", "tensor_message", "value_texts"]

LONGEST = 10_000
"""Characters after which the text of one tensor is cut."""

_SPACE = " "
_CLOSE = "],\n"
_OMITTED = "...omitted from display\n\n"
_NUMBER = {dtype.name: number for number, dtype in DTYPES.items()}
_LARGEST = 2**63 - 1
_ORIGINAL_TYPES = frozenset({"float32", "float64", "int32", "int64", "string"})


class Values:
    """The checkpoint tensors of the nodes of a report, if it selects them."""

    def __init__(self, report: Report) -> None:
        """Nothing is read before it is asked for."""
        profile = report.profile
        self.checkpoint = profile.checkpoint
        wanted = "tensor_value" in report.options.select and report.kind in ("scope", "graph")
        self.keys = profile.checkpoint_keys if wanted else {}
        # The original rounds to six digits, and knows five types.
        self.rounded = report.quirks.rounded_values

    def message(self, name: str) -> Any | None:
        """The message of a node's tensor, None where it has none."""
        found = self._tensor(name)
        return found and tensor_message(found[1], found[0].dtype, rounded=self.rounded)

    def text(self, name: str, most: int) -> str:
        """The lines of a node's values, at most so many."""
        found = self._tensor(name)
        return formatted(found[1], most=most, rounded=self.rounded) if found else ""

    def statistics(self, name: str) -> str:
        """A line of numbers about a node's tensor instead of its values."""
        key = self.keys.get(name)
        if key is None or self.checkpoint is None:
            return ""
        return _described(self.checkpoint.tensors[key], self.checkpoint.statistics(key))

    def _tensor(self, name: str) -> tuple[TensorInfo, Array] | None:
        key = self.keys.get(name)
        if key is None or self.checkpoint is None:
            return None
        info = self.checkpoint.tensors[key]
        if self.rounded and info.dtype not in _ORIGINAL_TYPES:
            return None
        return info, self.checkpoint.read(key)


def value_texts(report: Report) -> pa.Array | None:
    """What follows each row of a report; None if no values are asked for."""
    values = Values(report)
    if not values.keys:
        return None
    options = report.options
    texts = []
    for name, node in zip(report.names, report.node.tolist(), strict=True):
        if node < 0:
            texts.append("")
        elif options.tensor_statistics:
            texts.append(values.statistics(name))
        else:
            texts.append(values.text(name, options.max_values))
    return pa.array(texts, pa.string())


def formatted(values: Array, *, most: int, rounded: bool = False) -> str:
    """Nested brackets, a line break after each closing one; cut when it grows too long.

    With `rounded`, as the original: six significant digits, and no limit but the length.
    """
    count = values.size if rounded else min(max(most, 0), values.size)
    # Every value takes two characters at least, so no more than these can be needed.
    first = values.reshape(-1)[:LONGEST].tolist()
    text, length, shown = [], 0, 0
    for piece in _blocks(values.shape, (_element(value, rounded=rounded) for value in first)):
        shown += piece.endswith(_SPACE)
        if shown > count or length > LONGEST + len(_CLOSE):
            break
        text.append(piece)
        length += len(piece)
    whole = "".join(text).removesuffix(_CLOSE)
    if len(whole) <= LONGEST and shown > count:
        rest = f"...{values.size - count} more of {values.size} values, see -max_values\n\n"
        return whole + _CLOSE + rest
    whole = whole[:LONGEST] + _CLOSE
    return whole + _OMITTED if len(whole) >= LONGEST else whole


def _blocks(shape: tuple[int, ...], elements: Iterator[str]) -> Iterator[str]:
    """Brackets around the elements, or around the blocks of the next dimension."""
    yield "["
    if len(shape) < 2:
        yield from islice(elements, *shape or (1,))
    else:
        for _ in range(shape[0]):
            yield from _blocks(shape[1:], elements)
    yield _CLOSE


def _element(value: Any, *, rounded: bool) -> str:
    if isinstance(value, float):
        return f"{float(f'{value:.6g}') if rounded else value:.2f} "
    if isinstance(value, bool):
        return f"{int(value)} "
    if isinstance(value, complex):
        return f"{value.real:.2f}{value.imag:+.2f}j "
    if isinstance(value, bytes):
        return f"'{value.decode(errors='backslashreplace')}' "
    return f"{value} "


def _described(info: TensorInfo, found: Statistics) -> str:
    shape = "x".join(map(str, info.shape)) or "scalar"
    words = [f"{info.dtype} {shape}"]
    for name in ("min", "max", "mean", "std"):
        number = getattr(found, name)
        if number is not None:
            words.append(f"{name} {number:.6g}")
    words += [f"{name} {getattr(found, name)}" for name in ("zeros", "nan", "inf", "count")]
    return f"[{', '.join(words)}],\n"


def tensor_message(values: Array, dtype: str, *, rounded: bool = False) -> Any:
    """All values of a tensor; complex numbers and what exceeds 64 signed bits as strings."""
    message = output_pb2.TFProfTensorProto(dtype=graph_pb2.DataType.Name(_NUMBER[dtype]))
    flat = values.reshape(-1)
    kind = flat.dtype.kind
    if kind == "f":
        numbers = flat.astype("f8")
        found = [float(f"{number:.6g}") for number in numbers.tolist()] if rounded else numbers
        message.value_double.extend(found)
    elif kind in "iub" and (kind != "u" or not np.any(flat > np.uint64(_LARGEST))):
        message.value_int64.extend(flat.astype("i8").tolist())
    elif kind == "O":
        message.value_str.extend(value.decode(errors="backslashreplace") for value in flat)
    else:
        message.value_str.extend(str(value) for value in flat.tolist())
    return message
