"""What text says of nodes from their first attribute on, each distinct attribute read once."""

from __future__ import annotations

from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from tfprof.loaders.messages import parse_text
from tfprof.loaders.pbtxt.message import NotCanonical, encoded, nested
from tfprof.protos import graph_pb2

__all__ = ["ATTR", "END", "Attributes"]

ATTR, END = b"\n  attr {\n", b"\n}\n"
_ATTR_END = b"\n  }"
_ENTRY = graph_pb2.NodeDef.DESCRIPTOR.fields_by_name["attr"].message_type
_Entry: Any = GetMessageClass(_ENTRY)


class Attributes:
    """Reads the attributes of nodes, and those that it knows already no more."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[str, bytes]] = {}

    def read(self, tail: bytes) -> bytes | None:
        """The attributes of a node on the wire; nothing if protobuf has to make sense of it."""
        if not tail.endswith(END):
            raise NotCanonical
        if tail == END:
            return b""
        try:
            found = [self._one(text) for text in tail[len(ATTR) : -len(END)].split(ATTR)]
        except (NotCanonical, text_format.ParseError):
            return None
        wire = dict(found)
        # Of several with the same key only the last counts.
        return b"".join(wire.values()) if len(wire) == len(found) else None

    def _one(self, text: bytes) -> tuple[str, bytes]:
        if text not in self._known:
            if not text.endswith(_ATTR_END):
                raise NotCanonical
            self._known[text] = _attribute(text[: -len(_ATTR_END)])
        return self._known[text]


def _attribute(body: bytes) -> tuple[str, bytes]:
    """One attribute, from what stands between its braces; protobuf agrees with it."""
    try:
        data = encoded(_ENTRY, body, depth=2)
        entry = _Entry.FromString(data)
    except (NotCanonical, DecodeError):
        entry = parse_text(body, _Entry)
        data = entry.SerializeToString(deterministic=True)
    return entry.key, nested(5, data)
