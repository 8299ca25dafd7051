"""Text graphs read by lines: the same as by protobuf's parser, whatever is written in them."""

from __future__ import annotations

import random

import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.errors import LoadError
from tfprof.loaders.graph_def import read_graph
from tfprof.loaders.graph_nodes import GraphNodes, nodes_of_bytes
from tfprof.loaders.pbtxt.graph import nodes_of_text
from tfprof.protos import graph_pb2

WORDS = ("node {", "attr {", "{", "}", "#", "'", ": ", "  op: ", "a", "b/c", "", "é", "x" * 1500)
names = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12),
    st.lists(st.sampled_from(WORDS), max_size=3).map("".join),
)
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
        name=names,
        op=names,
        input=st.lists(names, max_size=3),
        device=names,
        attr=st.dictionaries(names, values(), max_size=3),
    )


functions = st.builds(
    graph_pb2.FunctionDef,
    signature=st.builds(graph_pb2.OpDef, name=names),
    node_def=st.lists(nodes(), max_size=2),
)
graphs = st.builds(
    graph_pb2.GraphDef,
    node=st.lists(nodes(), min_size=1, max_size=4),
    versions=st.builds(graph_pb2.VersionDef, producer=st.integers(0, 2000)),
    library=st.builds(graph_pb2.FunctionDefLibrary, function=st.lists(functions, max_size=1)),
)


def rows(found: GraphNodes) -> list[tuple[object, ...]]:
    """The nodes one by one; the order of their attributes says nothing."""
    found.nodes.validate(full=True)
    return [
        (
            node["name"],
            node["op"],
            node["input"],
            sorted(
                (entry["key"], str(graph_pb2.AttrValue.FromString(entry["value"])))
                for entry in node["attr"]
            ),
        )
        for node in found.nodes.to_pylist()
    ]


def assert_read_as(found: GraphNodes, graph: graph_pb2.GraphDef) -> None:
    expected = nodes_of_bytes(graph.SerializeToString())
    assert found.nodes.type == expected.nodes.type
    assert rows(found) == rows(expected)
    assert bool(found.library) == bool(expected.library)
    if found.library:
        assert graph_pb2.GraphDef.FromString(found.library) == graph


def assert_read_as_by_protobuf(text: bytes) -> None:
    found = nodes_of_text(text)
    assert found is not None
    assert_read_as(found, text_format.Parse(text, graph_pb2.GraphDef()))


@settings(max_examples=200, deadline=None)
@given(graphs, st.booleans())
def test_text_of_protobuf_writers(graph: graph_pb2.GraphDef, as_utf8: bool) -> None:
    text = text_format.MessageToString(graph, as_utf8=as_utf8).encode()
    read = nodes_of_text(text)
    if read is None:
        # Not one node is in the form that is read by lines.
        assert not any(node.name and plain(node) for node in graph.node)
    else:
        assert_read_as(read, graph)


def plain(node: graph_pb2.NodeDef) -> bool:
    """Whether all that is written before the attributes needs no escapes."""
    words = (node.name, node.op, node.device, *node.input)
    return all(
        word.isascii() and word.isprintable() and not set(word) & set("\"'\\") for word in words
    )


ENDS = (" ", "}", "{", ";", ",", '"x"', "\\", "# }", " op: 'x'", '# "', "\r", '  name: "b"')
LINES = (
    *("}", "{", "  }", "  attr {", "node {", "", "# node {", '# "quoted"', "versions {", "  "),
    *('  op: "x"', '  name: "a"', '  input: "y"', '  device: ""', '  op: ""', "  op: 'x'"),
    *('  attr: {\n    key: "k"\n  }', '  attr {\n    key: "k"\n  }', 'node {\n  name: "z"\n}'),
    *("node: {\n}", "node {}", 'node { name: "z" }', "library {\n}"),
)


def disturbed(text: str, dice: random.Random) -> str:
    """The text with some lines or characters moved, doubled, changed or left out."""
    lines = text.split("\n")
    for _ in range(dice.choice((1, 1, 2, 4))):
        at = dice.randrange(len(lines))
        match dice.randrange(8):
            case 0:
                lines.insert(at, dice.choice(lines))
            case 1:
                del lines[at : at + dice.choice((1, 1, 2, 5))]
            case 2:
                lines[at] = dice.choice(("  ", "\t", "# ", "")) + lines[at].lstrip()
            case 3:
                lines[at] += dice.choice(ENDS)
            case 4:
                lines.insert(at, dice.choice(LINES))
            case 5:
                other = dice.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 6:
                del lines[at:]
                lines.append(dice.choice(("", "}", "  }\n}")))
            case _:
                where = dice.randrange(len(lines[at]) + 1)
                lines[at] = (
                    lines[at][:where] + dice.choice("\"'\\ :{}#é1-\t\x00\r\x7f") + lines[at][where:]
                )
        lines = lines or [""]
    return "\n".join(lines)


@pytest.mark.filterwarnings("ignore:.*invalid escape sequence")  # protobuf's parser warns of it
@settings(max_examples=400, deadline=None)
@given(graphs, st.integers(0, 2**32))
def test_mutated_text(graph: graph_pb2.GraphDef, seed: int) -> None:
    text = disturbed(text_format.MessageToString(graph), random.Random(seed)).encode()
    read = nodes_of_text(text)
    if read is not None:
        assert_read_as(read, text_format.Parse(text, graph_pb2.GraphDef()))


ATTR = '  attr {\n    key: "k"\n    value {\n      i: 1\n    }\n  }\n'
PLAIN = (
    'node {\n  name: "p"\n  op: "P"\n  input: "a"\n  input: "^b"\n  device: "/d"\n' + ATTR + "}\n"
)
ODD = [
    "",
    '  op: "A"\n',
    '  op: "A"\n  name: "a"\n',
    '  name: "a"\n  input: "b"\n  op: "A"\n',
    '  name: "a"\n  input: "b"\n  device: "d"\n  input: "c"\n',
    '  name: "a"\n  device: "d"\n  op: "A"\n',
    '  name: ""\n  name: "b"\n',
    '  name: "a"  op: "A"\n',
    '  name: "a"op: "A"\n',
    '  name: "a" "b"\n  op: "A"\n',
    '  name: \'a"\'\n  op: "A"\n',
    "  name: 'a'\n",
    '  name:"a"\n',
    '\tname: "a"\n',
    '  name: "a" \n',
    '  name: "a"  \n' + ATTR,
    '  name: "a"\n\n' + ATTR,
    '  name: "a" # of "b"\n',
    '  name: "a" # "\n  op: "A" # "\n',
    '  # "\n  name: "a"\n',
    '  name: "a\\"b"\n',
    '  name: "\\303\\251"\n',
    '  name: "é"\n',
    '  name: "a";\n  op: "A",\n',
    ATTR,
    ATTR + '  name: "a"\n',
    '  name: "a"\n' + ATTR + '  op: "A"\n',
    '  name: "a"\n' + ATTR + ATTR,
    '  name: "a"\n' + ATTR + ATTR.replace("1", "2"),
    '  name: "a"\n' + ATTR + ATTR.replace("attr", "attr:").replace('"k"', '"j"'),
    '  name: "a"\n  op: "A"\n' + ATTR.replace("}\n  }", "}\n  }\n  device: 'x'"),
    '  name: "a"\n  attr {\n  }\n',
    '  name: "a"\n  attr {}\n',
    '  name: "a"\n  attr <\n    key: "k"\n  >\n',
    '  name: "a"\n  attr { key: "k" }\n' + ATTR,
    '  name: "a"\n  experimental_debug_info {\n    original_node_names: "o"\n  }\n',
]
EVEN = [
    '  name: ""\n  op: ""\n  input: ""\n  device: ""\n',
    '  name: "a"\n',
    '  name: "a"\n  op: "A"\n',
    '  name: "a"\n  input: "b"\n' + ATTR,
    '  name: "a"\n  device: "d"\n',
    '  name: "a{"\n  op: "node {"\n' + ATTR,
    '  name: "attr {"\n  op: "}"\n',
    '  name: "a\tb"\n  op: "\x00\x7f"\n',
    '  name: "' + "long" * 5000 + '"\n  op: "A"\n' + ATTR,
]


@pytest.mark.parametrize("body", ODD + EVEN)
@pytest.mark.parametrize("rest", ["", "versions {\n  producer: 3\n}\n", "node: {name: 'z'}\n"])
def test_a_node_among_others(body: str, rest: str) -> None:
    node = "node {\n" + body + "}\n"
    for text in (node + PLAIN, PLAIN + node, PLAIN + node + PLAIN.replace('"p"', '"q"') + node):
        assert_read_as_by_protobuf((text + rest).encode())
        assert_read_as_by_protobuf((text + rest).rstrip().encode())


@pytest.mark.parametrize("body", EVEN)
def test_canonical_nodes_are_not_parsed_by_protobuf(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfprof.loaders.pbtxt.graph._parse_node", None)
    assert_read_as_by_protobuf(f"node {{\n{body}}}\n".encode())


def test_functions_come_with_the_whole_graph() -> None:
    functions = "library {\n  function {\n    signature {\n      name: 'f'\n    }\n  }\n}\n"
    odd = "node {\n  name: 'a'\n  device: 'e'\n}\n"
    assert_read_as_by_protobuf((PLAIN + odd + PLAIN + functions).encode())
    text = (PLAIN + odd + PLAIN + functions).encode()
    graph = text_format.Parse(text, graph_pb2.GraphDef())
    assert graph_pb2.GraphDef.FromString(read_graph(text).library) == graph
    assert read_graph(PLAIN.encode()).library == b""


@pytest.mark.parametrize("levels", [20, 60, 3000])
def test_text_that_is_nested_deeply(levels: int) -> None:
    """What is too deep for the wire is refused in one line, what is not is read."""
    deep = 'func { attr { key: "k" value { ' * levels + "}}}" * levels
    text = PLAIN.replace("i: 1", deep).encode()
    if levels == 20:
        assert read_graph(text).name.to_pylist() == ["p"]
    else:
        with pytest.raises(LoadError, match="not a GraphDef"):
            read_graph(text)


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
        PLAIN.replace('  op: "P"', '  op: "P"\n  op: "Q"'),
        PLAIN.replace("}\n  }\n}", "}\n  }\n  op: 'Q'\n  attr: {\n  }\n}"),
        PLAIN.replace("}\n  }\n}", "}\n  }\n  op: ''\n  attr: {\n  }\n}"),
        PLAIN + "  attr {\n}\n",
        PLAIN + "  \n  attr {\n}\n",
        PLAIN.replace("\n", "\r\n"),
        PLAIN[:-1] + "}\n" + PLAIN,
        PLAIN[:-2] + PLAIN,
        PLAIN.replace('"p"', '"p'),
        PLAIN + "versions {\n",
        PLAIN + "node {\n",
    ],
)
def test_broken_text_is_left_to_protobuf(text: str) -> None:
    assert nodes_of_text(text.encode()) is None
