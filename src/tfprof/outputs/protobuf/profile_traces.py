"""The creation stacks of a profile as they are saved, and the strings that their ids mean."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.definitions.quirks import Quirks
from tfprof.outputs.protobuf.protobuf_writer import (
    column,
    fields,
    grouped,
    nested,
    numbers,
)
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, Stacks
from tfprof.protos import columns_pb2

__all__ = ["traces"]

_FRAME = columns_pb2.Frame.DESCRIPTOR.fields_by_name
_TRACES = columns_pb2.Code.DESCRIPTOR.fields_by_name["traces"].number
# Strings have ids here; the fields that older logs held them in stay empty.
_MOST = 2**62
_COLUMNS = ("lineno", "func_start_line", "file_id", "function_id", "line_id")


def traces(profile: Profile, quirks: Quirks) -> tuple[pa.Array, dict[int, str]]:
    """The frames of each stack as bytes, after the last one nothing; and the strings."""
    shared = quirks.shared_string_ids or len(profile.stacks) <= 1
    plain = shared and not any(stacks.texts for stacks in profile.stacks)
    strings = dict(profile.strings) if plain else {0: "none"}
    parts = [_frames(stacks, None if plain else strings) for stacks in profile.stacks]
    words = [_stacks(stacks, part) for stacks, part in zip(profile.stacks, parts, strict=True)]
    return pa.concat_arrays([*words, pa.array([b""])]), strings


def _stacks(stacks: Stacks, columns: list[Array]) -> pa.Array:
    """The frames of each stack, each distinct frame written once and then copied."""
    first, which = _distinct(columns)
    parts = {
        _FRAME[name].number: values[first] for name, values in zip(_COLUMNS, columns, strict=True)
    }
    words = column(nested(_TRACES, numbers(parts)))
    return grouped(column(fields(words, which)), stacks.start)


def _distinct(columns: list[Array]) -> tuple[Array, Array]:
    """Rows that differ in some column, one of each kind, and which kind every row is."""
    which, kinds = np.zeros(len(columns[0]), np.int64), 1
    for values in columns:
        coded = pa.array(values).dictionary_encode()
        if kinds * len(coded.dictionary) > _MOST:
            which, kinds = _kinds(which)
        which = which * len(coded.dictionary) + coded.indices.to_numpy()
        kinds *= len(coded.dictionary)
    which, kinds = _kinds(which)
    first = np.empty(kinds, np.int64)
    first[which] = np.arange(len(which))
    return first, which


def _kinds(which: Array) -> tuple[Array, int]:
    """Kinds numbered anew, without gaps, and how many there are."""
    coded = pa.array(which).dictionary_encode()
    return coded.indices.to_numpy().astype(np.int64), len(coded.dictionary)


def _frames(stacks: Stacks, strings: dict[int, str] | None) -> list[Array]:
    """The frames of an op log; with a table of strings to add to, their ids are given anew."""
    ids = [stacks.file_id, stacks.function_id, stacks.text_id]
    if strings is not None:
        table = {text: key for key, text in strings.items()}
        texts = stacks.texts or (None, None, None)
        ids = [
            _renumbered(column, stacks.strings, text, table)
            for column, text in zip(ids, texts, strict=True)
        ]
        strings.update({key: text for text, key in table.items()})
    return [stacks.line.astype(np.int32), stacks.function_line.astype(np.int32), *ids]


def _renumbered(
    column: Array, known: dict[int, str], texts: pa.Array | None, table: dict[str, int]
) -> Array:
    coded = pa.array(column).dictionary_encode()
    words = [known.get(key, "none") for key in coded.dictionary.to_pylist()]
    ids = np.array([table.setdefault(word, len(table)) for word in words] or [0], np.int64)
    found = ids[coded.indices.to_numpy()]
    if texts is None:
        return found
    own = texts.dictionary_encode()
    words = own.dictionary.to_pylist()
    own_ids = [table.setdefault(word, len(table)) if word else -1 for word in words]
    given = np.array([*own_ids, -1], np.int64)[own.indices.to_numpy()]
    return np.where(given < 0, found, given)
