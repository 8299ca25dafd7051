"""Text graphs read by lines: the same as by protobuf's parser, whatever is written in them."""

from __future__ import annotations

import random

import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.loaders.text_graph import graph_from_text
from tfprof.protos import graph_pb2

names = st.text(st.characters(codec="utf-8"), max_size=12)
small = st.integers(-(2**31), 2**31 - 1)


def shapes() -> st.SearchStrategy[graph_pb2.TensorShapeProto]:
    dim = st.builds(graph_pb2.TensorShapeProto.Dim, size=small, name=names)
    return st.builds(
        graph_pb2.TensorShapeProto, dim=st.lists(dim, max_size=3), unknown_rank=st.booleans()
    )


def values() -> st.SearchStrategy[graph_pb2.AttrValue]:
    numbers = st.floats(width=32, allow_nan=False)
    tensors = st.builds(
        graph_pb2.TensorProto,
        dtype=st.integers(0, 9),
        tensor_shape=shapes(),
        tensor_content=st.binary(max_size=9),
        float_val=st.lists(numbers, max_size=2),
        int64_val=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=2),
        bool_val=st.lists(st.booleans(), max_size=2),
    )
    lists = st.builds(
        graph_pb2.AttrValue.ListValue,
        s=st.lists(st.binary(max_size=5), max_size=2),
        i=st.lists(small, max_size=3),
        type=st.lists(st.integers(0, 9), max_size=2),
        shape=st.lists(shapes(), max_size=2),
    )
    value = graph_pb2.AttrValue
    return st.one_of(
        st.builds(value),
        st.builds(value, s=st.binary(max_size=8)),
        st.builds(value, i=st.integers(-(2**63), 2**63 - 1)),
        st.builds(value, f=numbers),
        st.builds(value, b=st.booleans()),
        st.builds(value, type=st.integers(0, 30)),
        st.builds(value, shape=shapes()),
        st.builds(value, tensor=tensors),
        st.builds(value, list=lists),
        st.builds(value, func=st.builds(graph_pb2.NameAttrList, name=names)),
    )


def nodes() -> st.SearchStrategy[graph_pb2.NodeDef]:
    return st.builds(
        graph_pb2.NodeDef,
        name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
        op=names,
        input=st.lists(names, max_size=3),
        device=names,
        attr=st.dictionaries(names, values(), max_size=3),
    )


graphs = st.builds(
    graph_pb2.GraphDef,
    node=st.lists(nodes(), min_size=1, max_size=3),
    versions=st.builds(graph_pb2.VersionDef, producer=st.integers(0, 2000)),
)


@settings(max_examples=200, deadline=None)
@given(graphs, st.booleans())
def test_what_protobuf_writes(graph: graph_pb2.GraphDef, as_utf8: bool) -> None:
    text = text_format.MessageToString(graph, as_utf8=as_utf8).encode()
    read = graph_from_text(text)
    assert read is not None
    assert graph_pb2.GraphDef.FromString(read) == text_format.Parse(text, graph_pb2.GraphDef())


def disturbed(text: str, dice: random.Random) -> str:
    """The text with some lines or characters moved, doubled, changed or left out."""
    lines = text.split("\n")
    for _ in range(dice.choice((1, 1, 2, 4))):
        at = dice.randrange(len(lines))
        match dice.randrange(6):
            case 0:
                lines.insert(at, dice.choice(lines))
            case 1:
                del lines[at : at + dice.choice((1, 1, 2, 5))]
            case 2:
                lines[at] = dice.choice(("  ", "\t", "# ", "")) + lines[at].lstrip()
            case 3:
                lines[at] += dice.choice((" ", "}", "{", ";", ",", '"x"', "\\", "# }", " op: 'x'"))
            case 4:
                lines.insert(at, dice.choice(("}", "{", "  }", "  attr {", "node {", '  op: "x"')))
            case _:
                where = dice.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:where] + dice.choice('"\\ :{}#é1-') + lines[at][where:]
        lines = lines or [""]
    return "\n".join(lines)


@pytest.mark.filterwarnings("ignore:.*invalid escape sequence")  # protobuf's parser warns of it
@settings(max_examples=400, deadline=None)
@given(graphs, st.integers(0, 2**32))
def test_what_protobuf_does_not_write(graph: graph_pb2.GraphDef, seed: int) -> None:
    text = disturbed(text_format.MessageToString(graph), random.Random(seed)).encode()
    read = graph_from_text(text)
    if read is None:
        return
    assert graph_pb2.GraphDef.FromString(read) == text_format.Parse(text, graph_pb2.GraphDef())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "node {}",
        'node {\n  name: "a"\n  name: "b"\n}\n',
        'node {\n  name: "a\n  op: "b"\n}\n',
        'node {\n  name: "a"\n}\n}\n',
        'node {\n  name: "a"\n  attr {\n    key: "k"\n    value {\n      i: 1\n      b: true\n',
        'node {\n  name: "a"\n  attr {\n    key: "k"\n    value {\n      i: 1\n    }\n}\n',
    ],
)
def test_broken_text_is_left_to_protobuf(text: str) -> None:
    assert graph_from_text(text.encode()) is None
