"""The Python stacks of a profile as ProfileProto fields, and the strings of their ids."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof.definitions.quirks import Quirks
from tfprof.outputs.encoding.row_encoder import concat_groups
from tfprof.outputs.protobuf.protobuf_writer import (
    encode_messages,
    field_numbers,
    integer_fields,
    message_field,
    raw_fields,
)
from tfprof.profiles.grouping import distinct_rows
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, Stacks
from tfprof.protos import columns_pb2

_FRAME = field_numbers(columns_pb2.Frame)
_TRACES = field_numbers(columns_pb2.Code)["traces"]
# Strings have ids here; the fields that older logs held them in stay empty.
_COLUMNS = ("lineno", "func_start_line", "file_id", "function_id", "line_id")


def encode_traces(profile: Profile, quirks: Quirks) -> tuple[pa.Array, dict[int, str]]:
    """The frames of each stack as bytes, with an empty one at the end; and the strings by id."""
    shared_ids = quirks.shared_string_ids or len(profile.stacks) <= 1
    keep_ids = shared_ids and not any(stacks.texts for stacks in profile.stacks)
    strings = dict(profile.strings) if keep_ids else {0: "none"}
    columns = [_frames(stacks, None if keep_ids else strings) for stacks in profile.stacks]
    encoded = list(map(_stacks, profile.stacks, columns))
    return pa.concat_arrays([*encoded, pa.array([b""])]), strings


def _stacks(stacks: Stacks, columns: list[Array]) -> pa.Array:
    """The frames of each stack; each distinct frame is encoded once."""
    indices, first = distinct_rows(columns)
    fields = {_FRAME[name]: values[first] for name, values in zip(_COLUMNS, columns, strict=True)}
    frames = encode_messages(message_field(_TRACES, integer_fields(fields)))
    return concat_groups(encode_messages(raw_fields(frames, indices)), stacks.start)


def _frames(stacks: Stacks, strings: dict[int, str] | None) -> list[Array]:
    """The columns of an op log's frames; new ids are added to `strings`, if it is given."""
    ids = [stacks.file_id, stacks.function_id, stacks.text_id]
    if strings is not None:
        table = {text: key for key, text in strings.items()}
        texts = stacks.texts or (None, None, None)
        ids = [
            _new_ids(column, stacks.strings, text, table)
            for column, text in zip(ids, texts, strict=True)
        ]
        strings.update({key: text for text, key in table.items()})
    return [stacks.line.astype(np.int32), stacks.function_line.astype(np.int32), *ids]


def _new_ids(
    column: Array, known: dict[int, str], texts: pa.Array | None, table: dict[str, int]
) -> Array:
    encoded = pa.array(column).dictionary_encode()
    strings = [known.get(key, "none") for key in encoded.dictionary.to_pylist()]
    ids = np.array([table.setdefault(text, len(table)) for text in strings] or [0], np.int64)
    by_id = ids[encoded.indices.to_numpy()]
    if texts is None:
        return by_id
    encoded = texts.dictionary_encode()
    strings = encoded.dictionary.to_pylist()
    text_ids = [table.setdefault(text, len(table)) if text else -1 for text in strings]
    by_text = np.array([*text_ids, -1], np.int64)[encoded.indices.to_numpy()]
    return np.where(by_text < 0, by_id, by_text)
