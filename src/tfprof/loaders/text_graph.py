"""GraphDef as text, in the form that protobuf's own writers give it, straight to wire bytes.

Such text has a line per field and two spaces per level. A node's attributes are read once for each
distinct text. What is in any other form, node by node, is left to protobuf's parser, which is exact
and slow; this reader accepts nothing that it refuses and gives the same message.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof.loaders.sources import parse_text
from tfprof.loaders.text_message import NotCanonical, encoded, nested, varint
from tfprof.protos import graph_pb2

__all__ = ["graph_from_text"]

_NODE, _NEXT_NODE, _END = b"node {\n", b"\nnode {\n", b"\n}"
_NEXT_ATTR, _ATTR_END = b"\n  attr {\n", b"\n  }"
_NAME, _OP, _INPUT, _DEVICE = b"  name: ", b"\n  op: ", b"\n  input: ", b"\n  device: "
_ENTRY = graph_pb2.NodeDef.DESCRIPTOR.fields_by_name["attr"].message_type
_SHORT = 1024  # strings of which the beginning on the wire is at hand


def graph_from_text(data: bytes) -> bytes | None:
    """The serialized GraphDef of a text, or nothing if that is for protobuf's parser to say.

    It is well formed: its strings are plain, and protobuf has seen every distinct attribute.
    """
    if not data.startswith(_NODE) or b"\r" in data:
        return None
    blocks = data.split(_NEXT_NODE)
    blocks[0] = blocks[0][len(_NODE) :]
    last, end, rest = blocks[-1].partition(b"\n}\n")
    blocks[-1] = last + end[:2]
    try:
        parts = _nodes(blocks, plain=data.isascii() and b"\\" not in data)
        if rest.strip():
            parts.append(_parsed(graph_pb2.GraphDef, rest))
    except (NotCanonical, text_format.ParseError, RecursionError, ValueError):
        return None
    return b"".join(parts)


def _nodes(blocks: list[bytes], *, plain: bool) -> list[bytes]:
    """The wire bytes of what stands between each `node {` and the next; `plain` has no escapes."""
    parts: list[bytes] = []
    node_prefix = _prefixes(1)
    attrs_of = _Attributes()
    for block in blocks:
        head, _, tail = block.partition(_NEXT_ATTR)
        # Every other piece is a string, those between say whose it is.
        pieces = head.split(b'"')
        fields = _fields_of(tuple(pieces[::2]))
        attrs = attrs_of.get(tail)
        if (
            fields is None
            or attrs is None
            or head.count(b"\n") != len(fields) - bool(tail)
            or not (plain or (head.isascii() and b"\\" not in head))
            or (len(head) >= _SHORT and len(max(pieces, key=len)) >= _SHORT)
        ):
            parts.append(nested(1, _node(block)))
            continue
        wire = [prefix[len(word)] + word for prefix, word in zip(fields, pieces[1::2], strict=True)]
        node = b"".join(wire) + attrs
        size = len(node)
        parts.append(node_prefix[size] if size < _SHORT else b"\x0a" + varint(size))
        parts.append(node)
    return parts


def _node(block: bytes) -> bytes:
    """A node of which protobuf's parser has to make sense."""
    if not block.endswith(_END):
        raise NotCanonical
    return _parsed(graph_pb2.NodeDef, block[:-1])


@cache
def _prefixes(number: int) -> list[bytes]:
    """How a string of each length begins on the wire."""
    return [varint(number << 3 | 2) + varint(size) for size in range(_SHORT)]


@lru_cache(maxsize=1024)
def _fields_of(between: tuple[bytes, ...]) -> list[list[bytes]] | None:
    """The prefixes of each field of a head, by the text between its strings.

    Nothing if that is not the order of the writers: name, op, inputs, device. After them come
    attributes, of which the line break is cut off, or the end of the node.
    """
    inputs = between.count(_INPUT)
    for op in ((), (_OP,)):
        for device in ((), (_DEVICE,)):
            lines = (_NAME, *op, *[_INPUT] * inputs, *device)
            if between in ((*lines, b""), (*lines, _END)):
                numbers = [1, *[2] * len(op), *[3] * inputs, *[4] * len(device)]
                return [_prefixes(number) for number in numbers]
    return None


class _Attributes:
    """The attributes of nodes, each distinct text read once."""

    def __init__(self) -> None:
        self._lists: dict[bytes, bytes | None] = {b"": b""}
        self._single: dict[bytes, bytes] = {}

    def get(self, tail: bytes) -> bytes | None:
        """All from after the first `attr {` of a node to its end; nothing if it is odd."""
        if tail not in self._lists:
            self._lists[tail] = self._read(tail)
        return self._lists[tail]

    def _read(self, tail: bytes) -> bytes | None:
        if not tail.endswith(_ATTR_END + _END):
            return None
        found = []
        for text in tail[: -len(_END)].split(_NEXT_ATTR):
            if text not in self._single:
                if not text.endswith(_ATTR_END):
                    return None
                self._single[text] = _attribute(text[: -len(_ATTR_END)])
            found.append(self._single[text])
        return b"".join(found)


def _attribute(body: bytes) -> bytes:
    """One attribute, from what stands between its braces; protobuf agrees with it."""
    try:
        data = nested(5, encoded(_ENTRY, body, depth=2))
        graph_pb2.NodeDef.FromString(data)
        return data
    except (NotCanonical, DecodeError):
        return _parsed(graph_pb2.NodeDef, b"attr {\n" + body + b"\n}")


def _parsed(kind: Any, text: bytes) -> bytes:
    data: bytes = parse_text(text, kind).SerializeToString()
    return data
