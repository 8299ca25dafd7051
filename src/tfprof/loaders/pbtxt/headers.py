"""The text of nodes before their attributes: name, op, inputs and device, a line each.

All nodes are read at once. Strings are between quotes; the text between them names the fields, and
has to be exactly that of protobuf's writers.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.loaders.pbtxt.message import NotCanonical, encode_nested
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.string_columns import slice_strings, utf8_bytes, value_offsets
from tfprof.runtime.lazy import cached_property

NODE = b"node {\n"
# In the order of the writers, which is also that of the fields' numbers.
_FIELDS = pa.array(
    [f"{NODE.decode()}  name: ", "\n  op: ", "\n  input: ", "\n  device: "], pa.string()
)
_NAME, _OP, _INPUT, _, _OTHER = range(5)


class Headers:
    """Nodes up to their attributes, as text."""

    def __init__(self, texts: pa.Array) -> None:
        self.texts = texts
        self.offsets = value_offsets(texts) - value_offsets(texts)[0]
        self.bytes = utf8_bytes(texts)
        self.quote = np.flatnonzero(self.bytes == ord('"'))
        self.first_quote = np.searchsorted(self.quote, self.offsets)

    @cached_property
    def fields(self) -> Array:
        """The field of each string, by the text before it."""
        bounds = np.zeros(len(self.quote) + 1, np.int32)
        bounds[1::2], bounds[2::2] = self.quote[::2], self.quote[1::2] + 1
        bounds += value_offsets(self.texts)[0]
        labels = every_other(pa.string(), bounds, self.texts.buffers()[2], 0)
        fields: Array = pc.index_in(labels, value_set=_FIELDS).fill_null(_OTHER).to_numpy()[::2]
        return fields

    @cached_property
    def first(self) -> Array:
        """The number of each node's first string, and how many strings there are."""
        first: Array = self.first_quote // 2
        return first

    def are_quoted(self) -> BoolArray:
        """Which have a line for each string, end with one, and are ASCII without escapes."""
        quotes = np.diff(self.first_quote)
        lines = np.diff(np.searchsorted(np.flatnonzero(self.bytes == ord("\n")), self.offsets))
        mask: BoolArray = (quotes == 2 * lines) & (quotes > 0)
        mask &= self.bytes[self.offsets[1:] - 1] == ord('"')
        odd = np.flatnonzero((self.bytes == ord("\\")) | (self.bytes >= 128))
        mask[np.searchsorted(self.offsets, odd, side="right") - 1] = False
        return mask

    def are_ordered(self) -> BoolArray:
        """Which have a name, an op, inputs and a device in this order; only the name is needed."""
        fits = self.fields < _OTHER
        before, after = self.fields[:-1], self.fields[1:]
        fits[1:] &= (before < after) | ((before == _INPUT) & (after == _INPUT))
        fits[self.first[:-1]] = self.fields[self.first[:-1]] == _NAME
        mask = np.ones(len(self.texts), bool)
        mask[np.searchsorted(self.first, np.flatnonzero(~fits), side="right") - 1] = False
        return mask

    def nodes(self, attrs: pa.Array, kind: pa.StructType) -> pa.Array:
        """The nodes of these headers and attributes; all are quoted and ordered."""
        begin, end = self.quote[::2] + 1, self.quote[1::2]
        name = self.first[:-1]
        second = np.minimum(name + 1, len(end) - 1)
        has_op = self.fields[second] == _OP
        op = np.where(has_op, begin[second], end[name]), np.where(has_op, end[second], end[name])
        inputs = np.flatnonzero(self.fields == _INPUT)
        input_starts = np.searchsorted(inputs, self.first).astype(np.int32)
        columns = [
            slice_strings(self.texts, begin[name], end[name]),
            slice_strings(self.texts, *op),
            pa.ListArray.from_arrays(
                pa.array(input_starts),
                slice_strings(self.texts, begin[inputs], end[inputs]),
                type=kind.field("input").type,
            ),
            attrs,
        ]
        return pa.StructArray.from_arrays(columns, fields=list(kind))

    def encode(self) -> list[bytes]:
        """The wire bytes of each node, the device included."""
        values = slice_strings(self.texts, self.quote[::2] + 1, self.quote[1::2]).cast(pa.binary())
        parts = [
            encode_nested(field + 1, value)
            for field, value in zip(self.fields.tolist(), values.to_pylist(), strict=True)
        ]
        return [b"".join(parts[a:b]) for a, b in pairwise(self.first.tolist())]


def plain_headers(texts: pa.Array, rows: Array) -> tuple[Array, Headers]:
    """The rows that are in the form of the writers, and their headers; there is at least one."""
    headers = _take_headers(texts, rows)
    for has_form in (Headers.are_quoted, Headers.are_ordered):
        mask = has_form(headers)
        if not mask.all():
            rows = rows[mask]
            headers = _take_headers(texts, rows)
    return rows, headers


def _take_headers(texts: pa.Array, rows: Array) -> Headers:
    if not len(rows):
        raise NotCanonical
    return Headers(texts if len(rows) == len(texts) else texts.take(pa.array(rows)))


def every_other(kind: pa.DataType, bounds: Array, data: pa.Buffer, first: int) -> pa.Array:
    """The bytes between bounds, every other one from the `first` on; null for the others."""
    count = len(bounds) - 1
    validity = np.full(count // 8 + 1, (0b01010101, 0b10101010)[first], np.uint8)
    return pa.Array.from_buffers(
        kind, count, [pa.py_buffer(validity), pa.py_buffer(np.ascontiguousarray(bounds)), data]
    )
