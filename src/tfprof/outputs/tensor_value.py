"""The values of checkpoint tensors: as text after their rows, and as messages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.integers import INT64_MAX
from tfprof.loaders.checkpoint.dtypes import DTYPES
from tfprof.protos import graph_pb2, output_pb2

if TYPE_CHECKING:
    from tfprof.loaders.checkpoint import Statistics, TensorInfo
    from tfprof.loaders.checkpoint.dtypes import Array
    from tfprof.reports.report import Report

MAX_LENGTH = 10_000
"""The text of a tensor is cut after so many characters."""

_SPACE = " "
_CLOSE = "],\n"
_OMITTED = "...omitted from display\n\n"
_NUMBER = {dtype.name: number for number, dtype in DTYPES.items()}
_ORIGINAL_TYPES = frozenset({"float32", "float64", "int32", "int64", "string"})


class TensorValues:
    """The checkpoint tensors of the nodes of a report, if it selects them."""

    def __init__(self, report: Report) -> None:
        """Read nothing yet."""
        profile = report.profile
        self.checkpoint = profile.checkpoint
        selected = "tensor_value" in report.options.select and report.kind in ("scope", "graph")
        self.keys = profile.checkpoint_keys if selected else {}
        # The original rounds to six digits, and supports five types.
        self.rounded = report.quirks.rounded_values

    def message(self, name: str) -> Any | None:
        """The message of a node's tensor, None where it has none."""
        tensor = self._tensor(name)
        return tensor and tensor_message(tensor[1], tensor[0].dtype, rounded=self.rounded)

    def text(self, name: str, max_values: int) -> str:
        """The lines of a node's values, at most so many."""
        tensor = self._tensor(name)
        if tensor is None:
            return ""
        return format_tensor(tensor[1], max_values=max_values, rounded=self.rounded)

    def statistics(self, name: str) -> str:
        """A line of numbers about a node's tensor instead of its values."""
        key = self.keys.get(name)
        if key is None or self.checkpoint is None:
            return ""
        return _format_statistics(self.checkpoint.tensors[key], self.checkpoint.statistics(key))

    def _tensor(self, name: str) -> tuple[TensorInfo, Array] | None:
        key = self.keys.get(name)
        if key is None or self.checkpoint is None:
            return None
        info = self.checkpoint.tensors[key]
        if self.rounded and info.dtype not in _ORIGINAL_TYPES:
            return None
        return info, self.checkpoint.read(key)


def tensor_texts(report: Report) -> pa.Array | None:
    """The values after each row of a report; None if they are not selected."""
    values = TensorValues(report)
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


def format_tensor(values: Array, *, max_values: int, rounded: bool = False) -> str:
    """Nested brackets, a line break after each closing one; cut when it grows too long.

    With `rounded`, as the original: six significant digits, and no limit but the length.
    """
    count = values.size if rounded else min(max(max_values, 0), values.size)
    # Every value takes two characters at least, so no more than these can be needed.
    first = values.reshape(-1)[:MAX_LENGTH].tolist()
    parts, length, shown = [], 0, 0
    for part in _bracket(values.shape, (_element(value, rounded=rounded) for value in first)):
        shown += part.endswith(_SPACE)
        if shown > count or length > MAX_LENGTH + len(_CLOSE):
            break
        parts.append(part)
        length += len(part)
    text = "".join(parts).removesuffix(_CLOSE)
    if len(text) <= MAX_LENGTH and shown > count:
        rest = f"...{values.size - count} more of {values.size} values, see -max_values\n\n"
        return text + _CLOSE + rest
    text = text[:MAX_LENGTH] + _CLOSE
    return text + _OMITTED if len(text) >= MAX_LENGTH else text


def _bracket(shape: tuple[int, ...], elements: Iterator[str]) -> Iterator[str]:
    """Brackets around the elements, or around the blocks of the next dimension."""
    yield "["
    if len(shape) < 2:
        yield from islice(elements, *shape or (1,))
    else:
        for _ in range(shape[0]):
            yield from _bracket(shape[1:], elements)
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


def _format_statistics(info: TensorInfo, statistics: Statistics) -> str:
    shape = "x".join(map(str, info.shape)) or "scalar"
    parts = [f"{info.dtype} {shape}"]
    for name in ("min", "max", "mean", "std"):
        number = getattr(statistics, name)
        if number is not None:
            parts.append(f"{name} {number:.6g}")
    parts += [f"{name} {getattr(statistics, name)}" for name in ("zeros", "nan", "inf", "count")]
    return f"[{', '.join(parts)}],\n"


def tensor_message(values: Array, dtype: str, *, rounded: bool = False) -> Any:
    """All values of a tensor; complex numbers and what exceeds 64 signed bits as strings."""
    message = output_pb2.TFProfTensorProto(dtype=graph_pb2.DataType.Name(_NUMBER[dtype]))
    flat = values.reshape(-1)
    kind = flat.dtype.kind
    if kind == "f":
        numbers = flat.astype("f8").tolist()
        message.value_double.extend(
            [float(f"{number:.6g}") for number in numbers] if rounded else numbers
        )
    elif kind in "iub" and (kind != "u" or not np.any(flat > np.uint64(INT64_MAX))):
        message.value_int64.extend(flat.astype("i8").tolist())
    elif kind == "O":
        message.value_str.extend(value.decode(errors="backslashreplace") for value in flat)
    else:
        message.value_str.extend(str(value) for value in flat.tolist())
    return message
