"""Messages encoded from columns, against the same made field by field."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from google.protobuf.internal import encoder
from hypothesis import given
from hypothesis import strategies as st

from tfprof.outputs.protobuf import nested_messages, protobuf_writer
from tfprof.protos import graph_pb2, output_pb2
from tfprof.protos.varint import encode_varint
from tfprof.views.tree import Tree

NUMBERS = st.one_of(
    st.sampled_from([0, 1, 127, 128, 2**14, 2**35, 2**63 - 1, -1, -(2**63)]),
    st.integers(-(2**63), 2**63 - 1),
)
NODE = output_pb2.GraphNodeProto


@given(NUMBERS)
def test_a_number(value):
    written = []
    encoder._VarintEncoder()(written.append, value % 2**64)
    assert encode_varint(value) == b"".join(written)
    assert protobuf_writer.varint_lengths(np.array([value], np.int64)).tolist() == [len(written)]


@given(st.lists(st.tuples(st.text(max_size=200), NUMBERS, NUMBERS), max_size=20))
def test_strings_and_numbers(rows):
    texts = pa.array([text for text, _, _ in rows], pa.string())
    small, large = (np.array([row[at] for row in rows], np.int64) for at in (1, 2))
    message = protobuf_writer.string_field(1, texts) + protobuf_writer.integer_fields(
        {2: small, 29: large}
    )
    found = protobuf_writer.encode_messages(message).to_pylist()
    expected = [
        NODE(name=text, exec_micros=left, total_output_bytes=right) for text, left, right in rows
    ]
    assert found == [message.SerializeToString() for message in expected]


@given(st.lists(st.one_of(st.none(), st.lists(NUMBERS, max_size=5)), max_size=20))
def test_messages_inside_messages(shapes):
    """Dimensions in shapes, of which some are missing, in nodes."""
    sizes = np.array([size for shape in shapes for size in shape or []], np.int64)
    offsets = np.cumsum([0, *(len(shape or []) for shape in shapes)])
    dims = protobuf_writer.repeated_messages(2, protobuf_writer.integer_fields({1: sizes}), offsets)
    present = np.array([shape is not None for shape in shapes], bool)
    found = protobuf_writer.encode_messages(
        protobuf_writer.message_field(11, dims, present)
    ).to_pylist()
    for data, shape in zip(found, shapes, strict=True):
        node = NODE()
        if shape is not None:
            dims = [graph_pb2.TensorShapeProto.Dim(size=size) for size in shape]
            node.shapes.add(dim=dims)
        assert data == node.SerializeToString()


@st.composite
def _trees(draw):
    """The depths of a tree in pre-order; some go deep."""
    depths = [1]
    for _ in range(draw(st.integers(0, 30))):
        above = draw(st.integers(1, depths[-1]))
        run = draw(st.sampled_from([1, 1, 2, 40, 100]))
        depths += range(above + 1, above + 1 + run)
    return np.array(depths, np.int64)


def _check_tree(depths):
    tree = Tree.from_depths(depths)
    names = pa.array([f"row {row}" for row in range(len(depths))])
    root = nested_messages.parse_tree(NODE(), tree, protobuf_writer.string_field(1, names))
    waiting, found = [(root, 1)], []
    while waiting:
        message, depth = waiting.pop()
        found.append((message.name, depth))
        waiting += [(child, depth + 1) for child in reversed(message.children)]
    assert found == list(zip(names.to_pylist(), depths.tolist(), strict=True))


@given(_trees())
def test_trees_of_any_shape(depths):
    _check_tree(depths)


@pytest.mark.parametrize("depth", [90, 91, 100, 5000])
def test_deep_trees_are_parsed_in_parts(depth):
    _check_tree(np.concatenate([np.arange(1, depth + 1), np.arange(2, depth + 1)]))


def test_many_lengths_and_values():
    """A prefix is looked up where lengths are alike, and written where they are not."""
    values = pa.array([b"x" * length for length in (0, 1, 300)])
    for indices in (np.array([2, 0, 1]), np.arange(2000) % 3):
        message = protobuf_writer.message_field(4, protobuf_writer.raw_fields(values, indices))
        found = protobuf_writer.encode_messages(message).to_pylist()
        sizes = {0: b"\x22\0", 1: b"\x22\1x", 2: b"\x22\xac\2" + b"x" * 300}
        assert found == [sizes[i] for i in indices.tolist()]


@given(st.lists(st.lists(NUMBERS, max_size=5), max_size=20))
def test_packed_numbers(rows):
    values = np.array([value for row in rows for value in row], np.int64)
    offsets = np.cumsum([0, *map(len, rows)])
    found = protobuf_writer.encode_messages(
        protobuf_writer.packed_field(3, values, offsets)
    ).to_pylist()
    tensor = output_pb2.TFProfTensorProto
    assert found == [tensor(value_int64=row).SerializeToString() for row in rows]


@pytest.mark.parametrize("modulus", [7, 10**9])
def test_numbers_that_repeat_and_that_do_not(modulus):
    """Each distinct number is written once, or else each; what is 0 is not written."""
    values = np.arange(3000) * 123_457 % modulus
    found = protobuf_writer.encode_messages(protobuf_writer.integer_fields({2: values})).to_pylist()
    assert found == [NODE(exec_micros=value).SerializeToString() for value in values.tolist()]


def test_no_rows():
    none = np.zeros(0, np.int64)
    for number in (1, 1001):
        message = protobuf_writer.message_field(
            number, protobuf_writer.integer_fields({number: none})
        )
        assert protobuf_writer.encode_messages(message).to_pylist() == []
