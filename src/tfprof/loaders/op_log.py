"""OpLogProto to columns, with frames as ids or, in older logs, as text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof.loaders.messages import MessageLike, malformed_error, read_columns
from tfprof.loaders.wire import columns_of_bytes, numbers, parent_indices
from tfprof.profiles.grouping import list_offsets
from tfprof.profiles.schema import Array, LogEntries, Stacks
from tfprof.profiles.source_columns import LogColumns
from tfprof.protos import columns_pb2, log_pb2


def read_op_log(source: MessageLike) -> LogColumns:
    """The columns of an op log, binary or text."""
    batch = read_columns(source, log_pb2.OpLogProto, "op_log", columns=columns_pb2.OpLog)
    entries = batch.column("log_entries").flatten()
    types = entries.field("types")
    stack, codes = _stacks(entries.field("code_def"), source)
    names = batch.column("id_to_string").flatten()
    keys, values = names.field("key").to_pylist(), names.field("value").to_pylist()
    strings = dict(zip(keys, values, strict=True))
    columns = LogEntries(
        name=entries.field("name"),
        float_ops=numbers(entries.field("float_ops")),
        stack=stack,
        type_entry=parent_indices(types, np.int32),
        type=types.flatten(),
    )
    return LogColumns(columns, stacks_of(codes.field("traces"), strings))


def _stacks(lists: pa.Array, source: MessageLike) -> tuple[Array, pa.Array]:
    """Which stack each entry has, -1 for none, and the distinct ones, which are far fewer."""
    codes, count = lists.flatten(), np.diff(list_offsets(lists))
    if (count > 1).any():
        # Repeated messages of one field are merged, as protobuf does.
        merged = [b"".join(parts) for parts in lists.to_pylist() if parts]
        codes = pa.array(merged, pa.binary())
    distinct = codes.dictionary_encode()
    stack = np.full(len(lists), -1, np.int64)
    stack[count > 0] = distinct.indices.to_numpy()
    raw = columns_pb2.RawCodes(code=distinct.dictionary.to_pylist()).SerializeToString()
    try:
        batch = columns_of_bytes(raw, columns_pb2.Codes)
    except DecodeError:
        raise malformed_error(source, log_pb2.OpLogProto, "op_log") from None
    return stack, batch.column(0).flatten()


def stacks_of(lists: pa.Array, strings: dict[int, str]) -> Stacks:
    """Stacks from lists of frames."""
    frames = lists.flatten()
    texts = tuple(frames.field(name) for name in ("file", "function", "line"))
    has_text = any(pc.any(pc.not_equal(text, "")).as_py() for text in texts)
    return Stacks(
        start=list_offsets(lists),
        line=numbers(frames.field("lineno")),
        function_line=numbers(frames.field("func_start_line")),
        file_id=numbers(frames.field("file_id")),
        function_id=numbers(frames.field("function_id")),
        text_id=numbers(frames.field("line_id")),
        strings=strings,
        texts=(texts[0], texts[1], texts[2]) if has_text else None,
    )
