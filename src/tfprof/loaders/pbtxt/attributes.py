"""The attributes of nodes as text, each distinct one read once."""

from __future__ import annotations

from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from tfprof.loaders.messages import parse_text
from tfprof.loaders.pbtxt.message import NotCanonical, encode_message, encode_nested
from tfprof.protos import graph_pb2

ATTR, END = b"\n  attr {\n", b"\n}\n"
_ATTR_END = b"\n  }"
_ENTRY = graph_pb2.NodeDef.DESCRIPTOR.fields_by_name["attr"].message_type
_Entry: Any = GetMessageClass(_ENTRY)


class AttributeReader:
    """Encodes the attributes of nodes; it remembers those that it has encoded."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[str, bytes]] = {}

    def read(self, text: bytes) -> bytes | None:
        """The attributes of a node on the wire; nothing if protobuf has to parse them."""
        if not text.endswith(END):
            raise NotCanonical
        if text == END:
            return b""
        try:
            entries = [self._read_one(part) for part in text[len(ATTR) : -len(END)].split(ATTR)]
        except (NotCanonical, text_format.ParseError):
            return None
        wire = dict(entries)
        # Of several with the same key only the last counts.
        return b"".join(wire.values()) if len(wire) == len(entries) else None

    def _read_one(self, text: bytes) -> tuple[str, bytes]:
        if text not in self._known:
            if not text.endswith(_ATTR_END):
                raise NotCanonical
            self._known[text] = _encode_attribute(text[: -len(_ATTR_END)])
        return self._known[text]


def _encode_attribute(body: bytes) -> tuple[str, bytes]:
    """The key and the wire bytes of an attribute, from the text between its braces."""
    try:
        data = encode_message(_ENTRY, body, depth=2)
        entry = _Entry.FromString(data)
    except (NotCanonical, DecodeError):
        entry = parse_text(body, _Entry)
        data = entry.SerializeToString(deterministic=True)
    return entry.key, encode_nested(5, data)
