"""Messages from a path, bytes, or a message of this package or TensorFlow."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof.errors import LoadError
from tfprof.loaders import LOADERS, identify
from tfprof.loaders.files import read_file
from tfprof.loaders.message_kinds import HEAD_SIZE, fits, is_message, is_text, possible_kinds
from tfprof.loaders.pbtxt.escapes import split_backslash_runs
from tfprof.loaders.wire import columns_of, columns_of_bytes

MessageLike = Any
"""A path (str or os.PathLike), serialized bytes, or a protobuf message of ours or TensorFlow's."""

_PARSED_SIZE = 16
"""How many times the bytes of a message it may need in memory; reserved, but not touched."""
_MAY_BE_EMPTY = ("ProfileProto",)
"""Messages of which an empty file is one: a profile that was saved before anything was added."""


class Input(NamedTuple):
    """The bytes of an input, its name in errors, and its path if it is a file.

    `kind` is the name of its class if it was a message.
    """

    data: bytes
    name: str
    path: Path | None = None
    kind: str = ""

    @property
    def head(self) -> bytes:
        """The first bytes, by which a format is recognized."""
        return self.data[:HEAD_SIZE]


def read_input_bytes(source: MessageLike, part: str) -> Input:
    """The bytes of an input, which is a part of a profile such as `graph`."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Input(bytes(source), part)
    if hasattr(source, "SerializeToString"):
        kind = getattr(getattr(source, "DESCRIPTOR", None), "name", "")
        return Input(source.SerializeToString(), part, kind=kind)
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return Input(read_file(path, f"the {part}"), os.fspath(source), path)
    raise LoadError(
        f"{part}: cannot read a {type(source).__name__}; give a path, bytes or a message"
    )


def read_message(source: MessageLike, kind: Any, part: str) -> Any:
    """The message of an input in binary or text form."""
    content = _read_checked(source, kind, part)
    try:
        return _text_message(content.data, kind) or kind.FromString(content.data)
    except DecodeError:
        raise wrong_message_error(content, kind) from None


def read_columns(source: MessageLike, kind: Any, part: str, *, columns: Any) -> pa.RecordBatch:
    """The same as a batch of one row, through a wire-compatible message of columns.proto."""
    content = _read_checked(source, kind, part)
    message = _text_message(content.data, kind)
    if message is not None:
        return columns_of(message, columns)
    try:
        return columns_of_bytes(content.data, columns)
    except DecodeError:
        raise wrong_message_error(content, kind) from None


def _read_checked(source: MessageLike, kind: Any, part: str) -> Input:
    """The bytes of an input; a LoadError if it is an empty file, or clearly something else."""
    content = read_input_bytes(source, part)
    name = kind.DESCRIPTOR.name
    if content.kind:
        if content.kind != name:
            raise wrong_message_error(content, kind)
        return content
    if not content.data:
        if content.path is None or name in _MAY_BE_EMPTY:
            return content
        raise LoadError(f"{content.name}: is empty; expected {LOADERS[name].noun}")
    if not fits(content.head, name) and identify(content.head, content.path, expected=[name]):
        raise wrong_message_error(content, kind)
    return content


def wrong_message_error(content: Input, kind: Any, *, expected: Iterable[str] = ()) -> LoadError:
    """The error for an input that is no message of this kind; it names what it is, if known.

    A MemoryError if there is no memory to parse it: protobuf has the same error for both.
    """
    bytearray(_PARSED_SIZE * len(content.data))
    names = (kind.DESCRIPTOR.name, *expected)
    if content.kind and content.kind not in LOADERS:
        other = f"a message of class {content.kind}"
    else:
        other = identify(content.head, content.path, expected=names, kind=content.kind)
    if not other and is_message(content.head) and not possible_kinds(content.head):
        other = "a protobuf message of another kind"
    reason = f"it is {other}" if other else "truncated, or a different format"
    return LoadError(f"{content.name}: not {LOADERS[kind.DESCRIPTOR.name].noun}; {reason}")


def malformed_error(source: MessageLike, kind: Any, part: str) -> LoadError:
    """The error for an input of which a nested message cannot be parsed."""
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else part
    return LoadError(
        f"{name}: not {LOADERS[kind.DESCRIPTOR.name].noun}; truncated, or a different format"
    )


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
        # Python's warnings about unknown escapes, which are kept unchanged.
        warnings.filterwarnings("ignore", "invalid", DeprecationWarning)
        warnings.filterwarnings("ignore", "invalid", SyntaxWarning)
        return text_format.Parse(split_backslash_runs(data).decode("utf-8"), kind())
