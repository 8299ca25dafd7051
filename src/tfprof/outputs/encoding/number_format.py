"""Columns of numbers as text. Each distinct number is formatted once.

`units` defines the format. It takes almost a microsecond a number, a third of the time of a scope
report with 20,000 nodes. So many numbers are rounded at once, to hundredths of a unit in integers.
These are the same digits unless a number lies right between two hundredths, where the double that
is printed may be a little above or below. Such numbers are formatted one by one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.units import SCALES
from tfprof.flops.flop_columns import format_count
from tfprof.outputs.encoding.row_encoder import concat_groups
from tfprof.profiles.schema import Array

_FEW = 500
_EXACT = 2**52
_MAX_WHOLE = 9999


def format_own_and_total(own: Array, total: Array, unit: str) -> tuple[pa.Array, Array, Array]:
    """Distinct texts such as `1.50k` or `3.20ms`, and the index of each own and total value.

    The two are equal in most rows, those without children. These are looked up once.
    """
    differs = np.flatnonzero(own != total)
    texts, indices = _format_distinct(np.concatenate([total, own[differs]]), unit)
    total_indices = indices[: len(total)]
    own_indices = total_indices.copy()
    own_indices[differs] = indices[len(total) :]
    return texts, own_indices, total_indices


def _format_distinct(values: Array, unit: str) -> tuple[pa.Array, Array]:
    """The texts of the distinct values, and the index of each value's text."""
    if values.dtype == object:
        return _format_each(values, unit), np.arange(len(values))
    encoded = pa.array(values).dictionary_encode()
    distinct = encoded.dictionary.to_numpy()
    format_values = _format_each if len(distinct) <= _FEW else _format_many
    return format_values(distinct, unit), encoded.indices.to_numpy()


def _format_each(values: Array, unit: str) -> pa.Array:
    return pa.array([format_count(value, unit) for value in values.tolist()], pa.string())


def _format_many(values: Array, unit: str) -> pa.Array:
    """The texts of 64-bit integers, each of two parts: digits before the point, and the rest."""
    level = np.searchsorted([size for _, size in SCALES[unit][1:]], values, side="right")
    hundredth = np.array([1, *(size // 100 for _, size in SCALES[unit][1:])])[level]
    rounded, rest = np.divmod(values, hundredth)
    rounded += 2 * rest > hundredth
    scaled = level > 0
    whole = np.where(scaled, rounded // 100, rounded)
    ending = np.where(scaled, 1 + (level - 1) * 100 + rounded % 100, 0)
    unusual = (values < 0) | (whole > _MAX_WHOLE) | (values >= _EXACT)
    whole[unusual] = 0
    parts = np.stack([whole, _MAX_WHOLE + 1 + ending], axis=1).astype(np.int32)
    pairs = _number_parts(unit).take(pa.array(parts.reshape(-1)))
    texts = concat_groups(pairs, np.arange(0, len(pairs) + 1, 2))
    tie = scaled & (2 * rest == hundredth) & ~unusual
    ties = _format_quotients(values[tie] / (100 * hundredth[tie]), level[tie], unit)
    texts = pc.replace_with_mask(texts, pa.array(tie), ties)
    return pc.replace_with_mask(texts, pa.array(unusual), _format_each(values[unusual], unit))


def _format_quotients(values: Array, level: Array, unit: str) -> pa.Array:
    names = [name for name, _ in SCALES[unit]]
    texts = [
        f"{value:.2f}{names[i]}" for value, i in zip(values.tolist(), level.tolist(), strict=True)
    ]
    return pa.array(texts, pa.string())


@cache
def _number_parts(unit: str) -> pa.Array:
    """What texts are made of: the integers up to a limit, then all endings of the unit."""
    (smallest, _), *larger = SCALES[unit]
    whole = pa.array(np.arange(_MAX_WHOLE + 1)).cast(pa.string())
    endings = [f".{cents:02}{name}" for name, _ in larger for cents in range(100)]
    return pa.concat_arrays([whole, pa.array([smallest, *endings], pa.string())])
