"""The text of a tensor is the original's, and never long."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tfprof.outputs.tensor_value import MAX_LENGTH, format_tensor, tensor_message

EVERYTHING = 10**9


class Display:
    """The original's recursion, line by line."""

    def __init__(self, values: np.ndarray) -> None:
        self.shape = values.shape
        self.values = values.reshape(-1).tolist()
        self.text = ""
        self.build(0, 0)

    def build(self, start: int, depth: int) -> int:
        """Append the block of one dimension."""
        self.text += "["
        if not self.shape:
            self.append(self.values[start])
        for _ in range(self.shape[depth] if self.shape else 0):
            if depth == len(self.shape) - 1:
                self.append(self.values[start])
                start += 1
            else:
                start = self.build(start, depth + 1)
        if len(self.text) > 10000:
            self.text = self.text[:10000]
        self.text += "],\n"
        return start

    def append(self, value: object) -> None:
        """Append one element."""
        if isinstance(value, float):
            self.text += f"{float(f'{value:g}'):.2f} "
        else:
            self.text += f"'{value.decode()}' " if isinstance(value, bytes) else f"{value} "

    def shown(self) -> str:
        """What is displayed."""
        return self.text + ("...omitted from display\n\n" if len(self.text) >= 10000 else "")


SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
VALUES = st.one_of(
    arrays.arrays("f8", SHAPES, elements=st.floats(-1e7, 1e7)),
    arrays.arrays("f4", SHAPES, elements=st.floats(width=32)),
    arrays.arrays("i8", SHAPES),
)


@given(VALUES)
def test_the_same_as_the_original(values: np.ndarray) -> None:
    assert format_tensor(values, max_values=EVERYTHING, rounded=True) == Display(values).shown()


@pytest.mark.parametrize("count", [1998, 1999, 2000, 2001, 2002, 3000])
@pytest.mark.parametrize("shape", ["flat", "rows", "deep"])
def test_cut_where_the_original_cuts(count: int, shape: str) -> None:
    values = np.arange(count * 2) % 10 + 0.25
    values = values.reshape({"flat": (-1,), "rows": (2, -1), "deep": (2, 1, -1, 1)}[shape])
    assert format_tensor(values, max_values=EVERYTHING, rounded=True) == Display(values).shown()


def test_the_documents_examples() -> None:
    assert format_tensor(np.array([1.8, 2.1]), max_values=100) == "[1.80 2.10 ],\n"
    square = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert format_tensor(square, max_values=100) == "[[1.00 2.00 ],\n[3.00 4.00 ],\n],\n"
    assert format_tensor(np.array(1.0), max_values=100) == "[1.00 ],\n"
    assert format_tensor(np.array([b"a", "é".encode()], object), max_values=100) == "['a' 'é' ],\n"


def test_other_types_have_values_too() -> None:
    assert format_tensor(np.array([True, False]), max_values=9) == "[1 0 ],\n"
    assert format_tensor(np.array([1 + 2j], np.complex64), max_values=9) == "[1.00+2.00j ],\n"
    assert (
        format_tensor(np.array([2**64 - 1], np.uint64), max_values=9)
        == "[18446744073709551615 ],\n"
    )
    assert format_tensor(np.array([b"\xff"], object), max_values=9) == "['\\xff' ],\n"


def test_precision_is_lost_only_when_asked() -> None:
    values = np.array([1234567.891])
    assert format_tensor(values, max_values=9) == "[1234567.89 ],\n"
    assert format_tensor(values, max_values=9, rounded=True) == "[1234570.00 ],\n"


def test_more_values_than_wanted() -> None:
    values = np.arange(6).reshape(2, 3)
    text = "[[0 1 2 ],\n[3 ],\n...2 more of 6 values, see -max_values\n\n"
    assert format_tensor(values, max_values=4) == text
    assert format_tensor(values, max_values=6) == "[[0 1 2 ],\n[3 4 5 ],\n],\n"
    assert format_tensor(values, max_values=0) == "[[],\n...6 more of 6 values, see -max_values\n\n"


@pytest.mark.parametrize("shape", [(10_000_000,), (10**12, 0), (10**4, 10**3), (3, 10**9, 0, 5)])
def test_a_huge_tensor_is_short(shape: tuple[int, ...]) -> None:
    values = np.broadcast_to(np.float32(1), shape)
    for rounded in (False, True):
        assert len(format_tensor(values, max_values=EVERYTHING, rounded=rounded)) < MAX_LENGTH + 100


def test_messages_are_exact() -> None:
    exact = tensor_message(np.array([1 / 3]), "float64")
    assert (exact.dtype, list(exact.value_double)) == (2, [1 / 3])
    assert list(tensor_message(np.array([1 / 3]), "float64", rounded=True).value_double) == [
        0.333333
    ]
    assert list(tensor_message(np.array([2**62]), "int64").value_int64) == [2**62]
    assert list(tensor_message(np.array([True]), "bool").value_int64) == [1]
    assert list(tensor_message(np.array([2**64 - 1], "u8"), "uint64").value_str) == [
        "18446744073709551615"
    ]
    assert list(tensor_message(np.array([1j], "c8"), "complex64").value_str) == ["1j"]
    assert list(tensor_message(np.array([b"a"], object), "string").value_str) == ["a"]
