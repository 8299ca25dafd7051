"""Whatever a caller may give for an input: a path, bytes, or a message of either package."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders.files import read_file
from tfprof.loaders.wire import columns_of, columns_of_bytes

__all__ = [
    "Source",
    "check_message",
    "checked_columns",
    "is_text",
    "parse_text",
    "read_bytes",
    "read_columns",
    "read_message",
]

Source = Any
"""A path (str or os.PathLike), serialized bytes, or a protobuf message of ours or TensorFlow's."""


def read_bytes(source: Source, what: str) -> tuple[bytes, str, bool]:
    """The bytes of a source, what to call it in messages, and whether it was in memory already."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), what, True
    if hasattr(source, "SerializeToString"):
        return source.SerializeToString(), what, True
    if isinstance(source, (str, os.PathLike)):
        return read_file(Path(source), what), os.fspath(source), False
    raise LoadError(
        f"{what}: cannot read a {type(source).__name__}; give a path, bytes or a message"
    )


def read_message(source: Source, kind: Any, what: str, described: str) -> Any:
    """The message of a source in binary or text form."""
    data, called, in_memory = read_bytes(source, what)
    message = _text_message(data, kind)
    if message is not None:
        return message
    try:
        message = kind.FromString(data)
    except DecodeError:
        raise _not_that(called, described) from None
    if not (in_memory or data):
        raise LoadError(f"{called}: is empty; expected {described}")
    return message


def read_columns(
    source: Source, kind: Any, columns: Any, what: str, described: str
) -> pa.RecordBatch:
    """The same as a batch of one row, through a wire-compatible message of columns.proto."""
    data, called, in_memory = read_bytes(source, what)
    message = _text_message(data, kind)
    if message is not None:
        return columns_of(message, columns)
    if not (in_memory or data):
        raise LoadError(f"{called}: is empty; expected {described}")
    try:
        return columns_of_bytes(data, columns)
    except DecodeError:
        raise _not_that(called, described) from None


def checked_columns(
    data: bytes, columns: Any, source: Source, what: str, described: str
) -> pa.RecordBatch:
    """The columns of a part of a source that was kept as bytes."""
    try:
        return columns_of_bytes(data, columns)
    except DecodeError:
        raise _not_that(_called(source, what), described) from None


def check_message(data: bytes, kind: Any, source: Source, what: str, described: str) -> None:
    """Refuse a source of which a part, kept as bytes, is not the message it should be."""
    try:
        kind.FromString(data)
    except DecodeError:
        raise _not_that(_called(source, what), described) from None


def _called(source: Source, what: str) -> str:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else what


def _text_message(data: bytes, kind: Any) -> Any:
    """The message of a text, or nothing if it is none."""
    if not is_text(data):
        return None
    try:
        return parse_text(data, kind)
    except (UnicodeDecodeError, text_format.ParseError, RecursionError, ValueError):
        return None


def parse_text(data: bytes, kind: Any) -> Any:
    """The message that a text is; protobuf's errors if it is none."""
    with warnings.catch_warnings():
        # Python's own about escapes that it does not know; they are kept as they stand.
        warnings.filterwarnings("ignore", "invalid", DeprecationWarning)
        warnings.filterwarnings("ignore", "invalid", SyntaxWarning)
        return text_format.Parse(data.decode("utf-8"), kind())


def _not_that(called: str, described: str) -> LoadError:
    return LoadError(f"{called}: not {described}; it may be cut off or of another kind")


def is_text(data: bytes) -> bool:
    """Whether bytes are the text form of a message: printable, and beginning like one."""
    head = data[:4096].strip()
    if any(byte < 32 and byte not in b"\t\n\r\f\v" for byte in head):
        return False
    return head[:1].isalpha() or head[:1] in (b"#", b"_")
