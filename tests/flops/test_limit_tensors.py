"""Bounds of what is known about tensors: integers wrap, sizes are sizes, symbols are few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.definitions.limits import MAX_ELEMENT_DEPTH, MAX_SIZE_WEIGHT
from tfprof.flops.limit_tensors import limit_tensors
from tfprof.flops.polynomial import CountSum, is_large_symbol, symbol, symbol_name
from tfprof.flops.tensors import Tensor
from tfprof.protos.graph_pb2 import DataType

B = symbol("B")
TYPES = {
    DataType.DT_INT32: np.int32,
    DataType.DT_INT64: np.int64,
    DataType.DT_UINT8: np.uint8,
    DataType.DT_INT8: np.int8,
}


def limit_tensor(tensor):
    (limited,) = limit_tensors([tensor])
    return limited


@given(st.sampled_from(list(TYPES)), st.integers(-(2**130), 2**130))
def test_integers_wrap_as_those_of_numpy(dtype, number):
    bits = 8 * np.dtype(TYPES[dtype]).itemsize
    expected = np.array(number % 2**bits, np.uint64).astype(TYPES[dtype]).item()
    assert limit_tensor(Tensor(dtype, (), (number,))).value == (expected,)


def test_values_with_symbols_stay_and_beyond_64_bits_are_unknown():
    tensor = Tensor(DataType.DT_INT64, (3,), (B, 2**63 * B, None))
    assert limit_tensor(tensor).value == (B, None, None)


def test_sizes_beyond_64_bits_are_unknown():
    shape = limit_tensor(Tensor(1, (2**63 - 1, 2**63, 2**70 * B, B))).shape
    assert shape == (2**63 - 1, None, None, B)
    assert limit_tensor(Tensor(1, (2**63,))).shape == (None,)


@pytest.mark.parametrize(("rank", "known"), [(254, True), (255, False)])
def test_ranks_beyond_those_of_tensorflow_are_unknown(rank, known):
    for size in (1, B):
        assert (limit_tensor(Tensor(1, (size,) * rank)).shape is not None) == known


def test_sizes_with_too_many_symbols_become_one():
    sizes = CountSum()
    for i in range(MAX_SIZE_WEIGHT // 2):
        sizes.add(symbol(f"s{i}"))
    fits = sizes.value()
    assert limit_tensor(Tensor(1, (fits,))).shape == (fits,)
    (large,) = limit_tensor(Tensor(1, (fits + B,))).shape
    name = symbol_name(large)
    assert name is not None
    assert is_large_symbol(name)
    assert limit_tensor(Tensor(1, (fits + B,))).shape == (large,)


def test_lists_of_lists_end():
    tensor = Tensor(1, ())
    for _ in range(MAX_ELEMENT_DEPTH):
        tensor = limit_tensor(Tensor(DataType.DT_VARIANT, (), element=tensor))
        assert tensor.element is not None
    assert limit_tensor(Tensor(DataType.DT_VARIANT, (), element=tensor)).element is None
