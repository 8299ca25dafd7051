"""What text says of nodes before their attributes: name, op, inputs and device, a line each.

All nodes are read at once. Their strings stand between quotes; the text between the strings says
whose they are, and has to be that of protobuf's writers to the letter.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.loaders.pbtxt.message import NotCanonical, nested
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.string_columns import slice_strings, utf8_bytes, value_offsets

__all__ = ["NODE", "Heads", "every_other", "plain_heads"]

NODE = b"node {\n"
# In the order of the writers, which is also that of the fields' numbers.
_FIELDS = pa.array(
    [f"{NODE.decode()}  name: ", "\n  op: ", "\n  input: ", "\n  device: "], pa.string()
)
_NAME, _OP, _INPUT, _, _OTHER = range(5)


class Heads:
    """Nodes up to their attributes, as text."""

    def __init__(self, texts: pa.Array) -> None:
        self.texts = texts
        self.at = value_offsets(texts) - value_offsets(texts)[0]
        self.letters = utf8_bytes(texts)
        self.quote = np.flatnonzero(self.letters == ord('"'))
        self.first_quote = np.searchsorted(self.quote, self.at)

    @cached_property
    def fields(self) -> Array:
        """Whose each string is, by the text before it."""
        bounds = np.zeros(len(self.quote) + 1, np.int32)
        bounds[1::2], bounds[2::2] = self.quote[::2], self.quote[1::2] + 1
        bounds += value_offsets(self.texts)[0]
        labels = every_other(pa.string(), bounds, self.texts.buffers()[2], 0)
        found: Array = pc.index_in(labels, value_set=_FIELDS).fill_null(_OTHER).to_numpy()[::2]
        return found

    @cached_property
    def first(self) -> Array:
        """The number of each node's first string, and how many strings there are."""
        found: Array = self.first_quote // 2
        return found

    def quoted(self) -> BoolArray:
        """Which end with a string and have a line for each, without escapes or odd letters."""
        quotes = np.diff(self.first_quote)
        lines = np.diff(np.searchsorted(np.flatnonzero(self.letters == ord("\n")), self.at))
        found: BoolArray = (quotes == 2 * lines) & (quotes > 0)
        found &= self.letters[self.at[1:] - 1] == ord('"')
        odd = np.flatnonzero((self.letters == ord("\\")) | (self.letters >= 128))
        found[np.searchsorted(self.at, odd, side="right") - 1] = False
        return found

    def ordered(self) -> BoolArray:
        """Which have a name, an op, inputs and a device in this order; only the name is needed."""
        fits = self.fields < _OTHER
        before, after = self.fields[:-1], self.fields[1:]
        fits[1:] &= (before < after) | ((before == _INPUT) & (after == _INPUT))
        fits[self.first[:-1]] = self.fields[self.first[:-1]] == _NAME
        found = np.ones(len(self.texts), bool)
        found[np.searchsorted(self.first, np.flatnonzero(~fits), side="right") - 1] = False
        return found

    def nodes(self, attrs: pa.Array, kind: pa.StructType) -> pa.Array:
        """The nodes of these heads and attributes; the strings are known to be quoted in order."""
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

    def wire(self) -> list[bytes]:
        """The same as wire bytes, the device included, one for each node."""
        words = slice_strings(self.texts, self.quote[::2] + 1, self.quote[1::2]).cast(pa.binary())
        parts = [
            nested(field + 1, word)
            for field, word in zip(self.fields.tolist(), words.to_pylist(), strict=True)
        ]
        return [b"".join(parts[a:b]) for a, b in pairwise(self.first.tolist())]


def plain_heads(texts: pa.Array, rows: Array) -> tuple[Array, Heads]:
    """Those of some rows that are in the form of the writers; there is at least one."""
    heads = _of(texts, rows)
    for fits in (Heads.quoted, Heads.ordered):
        good = fits(heads)
        if not good.all():
            rows = rows[good]
            heads = _of(texts, rows)
    return rows, heads


def _of(texts: pa.Array, rows: Array) -> Heads:
    if not len(rows):
        raise NotCanonical
    return Heads(texts if len(rows) == len(texts) else texts.take(pa.array(rows)))


def every_other(kind: pa.DataType, bounds: Array, data: pa.Buffer, first: int) -> pa.Array:
    """What stands between bounds in some bytes, every other one from the `first` on; else null."""
    count = len(bounds) - 1
    there = np.full(count // 8 + 1, (0b01010101, 0b10101010)[first], np.uint8)
    return pa.Array.from_buffers(
        kind, count, [pa.py_buffer(there), pa.py_buffer(np.ascontiguousarray(bounds)), data]
    )
