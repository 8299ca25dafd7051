"""The element types of checkpoints: their names, their sizes, and their bytes as NumPy numbers.

Types that NumPy lacks are widened: bfloat16 and the 8 and 4 bit floats to float32, the 4 and 2 bit
integers, which TensorFlow stores one to a byte, to int8 and uint8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def _as_they_are(values: Array) -> Array:
    return values


@dataclass(frozen=True, slots=True)
class DType:
    """An element type: `stored` is NumPy's code for its bytes, `field` where TensorProto has it."""

    name: str
    stored: str
    field: str
    widen: Callable[[Array], Array] = _as_they_are

    @property
    def itemsize(self) -> int:
        """Bytes of one element; 0 where elements differ in size or cannot be read."""
        return np.dtype(self.stored).itemsize if self.stored else 0


def _bfloat16(values: Array) -> Array:
    return (values.astype("<u4") << 16).view("<f4")


def _bool(values: Array) -> Array:
    return values.astype(np.bool_)


def _signed(bits: int) -> Callable[[Array], Array]:
    sign, mask = 1 << bits - 1, (1 << bits) - 1
    return lambda values: ((values & mask) ^ sign).astype("i1") - np.int8(sign)


def _unsigned(bits: int) -> Callable[[Array], Array]:
    mask = (1 << bits) - 1
    return lambda values: values & mask


def _float(
    exponent: int, mantissa: int, bias: int, special: Literal["ieee", "fn", "fnuz", "finite"]
) -> Callable[[Array], Array]:
    """Small floats by a table of all their values.

    `special` is which codes are not numbers: as in IEEE, all ones, minus zero, or none.
    """
    codes = np.arange(1 << (1 + exponent + mantissa))
    fraction = codes & (1 << mantissa) - 1
    power = codes >> mantissa & (1 << exponent) - 1
    scale = np.exp2(np.maximum(power, 1) - bias - mantissa)
    table = (fraction + ((power > 0) << mantissa)) * scale
    last = power == (1 << exponent) - 1
    if special == "ieee":
        table[last] = np.where(fraction[last] == 0, np.inf, np.nan)
    if special == "fn":
        table[last & (fraction == (1 << mantissa) - 1)] = np.nan
    table = np.where(codes >> exponent + mantissa == 1, -table, table)
    if special == "fnuz":
        table[1 << exponent + mantissa] = np.nan
    values = table.astype("f4")
    return lambda codes: values[codes & len(values) - 1]


STRING = 7

DTYPES: dict[int, DType] = {
    1: DType("float32", "<f4", "float_val"),
    2: DType("float64", "<f8", "double_val"),
    3: DType("int32", "<i4", "int_val"),
    4: DType("uint8", "u1", "int_val"),
    5: DType("int16", "<i2", "int_val"),
    6: DType("int8", "i1", "int_val"),
    STRING: DType("string", "", "string_val"),
    8: DType("complex64", "<c8", "scomplex_val"),
    9: DType("int64", "<i8", "int64_val"),
    10: DType("bool", "u1", "bool_val", _bool),
    11: DType("qint8", "i1", "int_val"),
    12: DType("quint8", "u1", "int_val"),
    13: DType("qint32", "<i4", "int_val"),
    14: DType("bfloat16", "<u2", "half_val", _bfloat16),
    15: DType("qint16", "<i2", "int_val"),
    16: DType("quint16", "<u2", "int_val"),
    17: DType("uint16", "<u2", "int_val"),
    18: DType("complex128", "<c16", "dcomplex_val"),
    19: DType("float16", "<f2", "half_val"),
    20: DType("resource", "", ""),
    21: DType("variant", "", ""),
    22: DType("uint32", "<u4", "uint32_val"),
    23: DType("uint64", "<u8", "uint64_val"),
    24: DType("float8_e5m2", "u1", "float8_val", _float(5, 2, 15, "ieee")),
    25: DType("float8_e4m3fn", "u1", "float8_val", _float(4, 3, 7, "fn")),
    26: DType("float8_e4m3fnuz", "u1", "float8_val", _float(4, 3, 8, "fnuz")),
    27: DType("float8_e4m3b11fnuz", "u1", "float8_val", _float(4, 3, 11, "fnuz")),
    28: DType("float8_e5m2fnuz", "u1", "float8_val", _float(5, 2, 16, "fnuz")),
    29: DType("int4", "u1", "int_val", _signed(4)),
    30: DType("uint4", "u1", "int_val", _unsigned(4)),
    31: DType("int2", "u1", "int_val", _signed(2)),
    32: DType("uint2", "u1", "int_val", _unsigned(2)),
    33: DType("float4_e2m1fn", "u1", "float8_val", _float(2, 1, 1, "finite")),
}


def dtype_of(number: int) -> DType:
    """The element type of a number; one that is not known here can be listed but not read."""
    return DTYPES.get(number) or DType(f"type {number}", "", "")
