"""Float operations of instructions against numbers by hand."""

from __future__ import annotations

import pytest

from tfprof.flops.hlo.formulas import CONTRACTIONS, FORMULAS, ZERO_COST, count_instruction
from tfprof.flops.rules.formula import Work
from tfprof.protos.hlo_pb2 import HloInstruction, HloShape

F32, S32, PRED = 11, 4, 1


def shape(*sizes: int, kind: int = F32) -> HloShape:
    return HloShape(element_type=kind, dimensions=sizes)


def convolution(
    output: HloShape, window: int, *, groups: int = 1, base_dilation: int = 1
) -> HloInstruction:
    item = HloInstruction(opcode="convolution", shape=output, feature_group_count=groups)
    axes = item.convolution_dimension_numbers
    axes.input_spatial_dimensions[:] = axes.output_spatial_dimensions[:] = [1, 2]
    axes.input_feature_dimension = axes.output_feature_dimension = 3
    axes.kernel_spatial_dimensions[:] = [0, 1]
    axes.kernel_input_feature_dimension, axes.kernel_output_feature_dimension = 2, 3
    for _ in range(2):
        item.window.dimensions.add(size=window, stride=1, base_dilation=base_dilation)
    return item


def test_convolutions() -> None:
    image, kernel = shape(8, 16, 16, 3), shape(3, 3, 3, 32)
    count = count_instruction(convolution(shape(8, 16, 16, 32), 3), [image, kernel])
    assert count == Work(macs=8 * 16 * 16 * 32 * 3 * 9)
    depthwise = convolution(shape(8, 16, 16, 16), 3, groups=16)
    count = count_instruction(depthwise, [shape(8, 16, 16, 16), shape(3, 3, 1, 16)])
    assert count == Work(macs=8 * 16 * 16 * 16 * 9)


def test_a_dilated_convolution_reads_each_input_once_for_each_element_of_the_window() -> None:
    """The gradient of the input of a convolution with stride 2: the same work as forward."""
    gradient = convolution(shape(8, 16, 16, 3), 3, base_dilation=2)
    count = count_instruction(gradient, [shape(8, 8, 8, 32), shape(3, 3, 32, 3)])
    assert count == Work(macs=8 * 8 * 8 * 32 * 3 * 9)


def test_matmuls() -> None:
    item = HloInstruction(opcode="dot", shape=shape(4, 8, 16))
    item.dot_dimension_numbers.lhs_contracting_dimensions.append(2)
    assert count_instruction(item, [shape(4, 8, 32), shape(4, 32, 16)]) == Work(
        macs=4 * 8 * 16 * 32
    )
    # A library has the axes in its configuration.
    call = HloInstruction(opcode="custom-call", shape=shape(8, 16), custom_call_target="__x$gemm")
    call.backend_config = b'{"config":{"dimensions":{"lhs_contracting_dimensions":["0"]}}}'
    assert count_instruction(call, [shape(32, 8), shape(32, 16)]) == Work(macs=8 * 16 * 32)
    call.custom_call_target = "other"
    assert count_instruction(call, [shape(32, 8)]) == "custom call"


@pytest.mark.parametrize(
    ("opcode", "result", "operands", "count"),
    [
        ("add", shape(10), [shape(10), shape(10)], 10),
        ("add", shape(10, kind=S32), [shape(10, kind=S32)] * 2, 0),
        ("compare", shape(10, kind=PRED), [shape(10), shape(10)], 10),
        ("rsqrt", shape(10), [shape(10)], 20),
        ("reduce", shape(5), [shape(5, 10), shape()], 45),
        ("transpose", shape(5, 2), [shape(2, 5)], 0),
    ],
)
def test_elementwise(opcode: str, result: HloShape, operands: list[HloShape], count: int) -> None:
    item = HloInstruction(opcode=opcode, shape=result)
    assert count_instruction(item, operands) == Work(elementwise=count)


def test_unknown() -> None:
    assert count_instruction(HloInstruction(opcode="new", shape=shape(3)), []) == "no formula"
    assert count_instruction(HloInstruction(opcode="dot", shape=shape(3)), []) == "unknown shape"


def test_tables_are_disjoint() -> None:
    assert not FORMULAS.keys() & ZERO_COST
    assert not CONTRACTIONS.keys() & (FORMULAS.keys() | ZERO_COST)
