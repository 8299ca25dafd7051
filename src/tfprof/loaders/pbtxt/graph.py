"""GraphDef as text, in the form that protobuf's own writers give it, straight to columns.

Such text has a line per field and two spaces per level. What stands before the attributes of nodes
is read for all of them at once, their attributes once for each distinct text. What is in any other
form, node by node, is left to protobuf's parser, which is exact and slow; this reader accepts
nothing that it refuses and gives the same nodes.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa
from google.protobuf.message import DecodeError
from google.protobuf.text_format import ParseError

from tfprof.loaders.graph_nodes import GraphNodes, nodes_of_bytes
from tfprof.loaders.messages import parse_text
from tfprof.loaders.pbtxt.attributes import ATTR, END, Attributes
from tfprof.loaders.pbtxt.headers import NODE, every_other, plain_heads
from tfprof.loaders.pbtxt.message import NotCanonical, nested
from tfprof.profiles.schema import Array
from tfprof.protos import graph_pb2

__all__ = ["nodes_of_text"]

_NEXT_NODE = b"\n" + NODE
_BRACE = ATTR.index(b"{")


def nodes_of_text(data: bytes) -> GraphNodes | None:
    """The nodes of a GraphDef as text, or nothing if that is for protobuf's parser to say."""
    if not data.startswith(NODE) or b"\r" in data:
        return None
    try:
        return _nodes(data if data.endswith(b"\n") else data + b"\n")
    except (NotCanonical, ValueError, RecursionError, DecodeError, ParseError):
        return None


def _nodes(data: bytes) -> GraphNodes:
    begin, end = _blocks(data)
    heads, tails = _halves(data, begin, end)
    attributes = Attributes()
    lists = [attributes.read(text) for text in tails.dictionary.to_pylist()]
    tail = tails.indices.drop_null().to_numpy()
    is_read = np.array([wire is not None for wire in lists])
    rows, plain = plain_heads(heads, np.flatnonzero(is_read[tail]))
    odd = np.delete(np.arange(len(heads)), rows)
    others = [_node(data[begin[row] : end[row]]) for row in odd.tolist()]
    rest = _parsed(graph_pb2.GraphDef, data[end[-1] :])
    # The attributes of a distinct text are read as those of a node that has nothing else.
    found = nodes_of_bytes(
        _written([*(wire or b"" for wire in lists), *others], rest), well_formed=True
    )
    attrs = found.nodes.field("attr").take(pa.array(tail[rows]))
    nodes, more = plain.nodes(attrs, found.nodes.type), found.nodes.slice(len(lists))
    order = np.argsort(np.concatenate([rows, odd]))
    if len(more):
        after = np.arange(len(order), len(nodes) + len(more))
        nodes = pa.concat_arrays([nodes, more]).take(pa.array(np.append(order, after)))
    if not found.library:
        return GraphNodes(nodes, b"")
    wire = [head + (lists[at] or b"") for head, at in zip(plain.wire(), tail[rows], strict=True)]
    wire += others
    return GraphNodes(nodes, _written([wire[at] for at in order], rest))


def _written(nodes: list[bytes], rest: bytes) -> bytes:
    """A GraphDef on the wire."""
    return b"".join([*(nested(1, node) for node in nodes), rest])


def _node(block: bytes) -> bytes:
    """A node of which protobuf's parser has to make sense."""
    return _parsed(graph_pb2.NodeDef, block[len(NODE) : 1 - len(END)])


def _parsed(kind: Any, text: bytes) -> bytes:
    data: bytes = parse_text(text, kind).SerializeToString(deterministic=True)
    return data


def _blocks(data: bytes) -> tuple[Array, Array]:
    """Where each node begins and ends."""
    begin = np.concatenate([[0], _places(data, _NEXT_NODE) + 1])
    last = data.find(END, int(begin[-1]))
    if last < 0:
        raise NotCanonical
    return begin, np.append(begin[1:], last + len(END))


def _places(data: bytes, word: bytes) -> Array:
    """Where a word of eight letters stands."""
    pair = np.frombuffer(word, np.uint16)[0]
    pairs = [np.frombuffer(data, np.uint16, (len(data) - odd) // 2, odd) for odd in (0, 1)]
    found = [2 * np.flatnonzero(those == pair) + odd for odd, those in enumerate(pairs)]
    places = np.sort(np.concatenate(found))
    places = places[places <= len(data) - len(word)]
    return places[_eights(data)[places] == _eights(word)]


def _eights(data: bytes) -> Array:
    """The eight letters from each place on, as a number."""
    found: Array = np.ndarray(len(data) - 7, np.uint64, data, strides=(1,))
    return found


def _halves(data: bytes, begin: Array, end: Array) -> tuple[pa.Array, pa.Array]:
    """Each node up to its attributes, and from there on; the latter are few distinct texts."""
    bounds = np.empty(2 * len(begin) + 1, np.int64)
    bounds[0:-1:2], bounds[1::2], bounds[-1] = begin, _heads_end(data, begin, end), end[-1]
    letters = pa.py_buffer(data)
    heads = every_other(pa.large_string(), bounds, letters, 0).drop_null()
    tails = every_other(pa.large_binary(), bounds, letters, 1).dictionary_encode()
    return heads.cast(pa.string()), tails


def _heads_end(data: bytes, begin: Array, end: Array) -> Array:
    """Where the first attribute of each node stands, or what ends it."""
    # Mostly that is the first brace, and a single letter is found in no time.
    brace = np.array(list(map(data.find, repeat(b"{"), (begin + len(NODE)).tolist())))
    found = np.maximum(brace - _BRACE, 0)
    first = (_eights(data)[found] == _eights(ATTR)[0]) & (brace < end)
    first &= np.frombuffer(data, np.uint8)[brace + 1] == ord("\n")
    for row in np.flatnonzero(~first).tolist():
        place = data.find(ATTR, begin[row], end[row])
        found[row] = end[row] - len(END) if place < 0 else place
    return found
