"""Bytes of a file by position, each read checked against the file first, and their checksums."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import google_crc32c
from google.protobuf.message import DecodeError, Message

from tfprof.errors import LoadError

__all__ = ["file_size", "mask", "masked_crc32c", "parse", "read_range"]

AnyMessage = TypeVar("AnyMessage", bound=Message)

_MASK_DELTA = 0xA282EAD8


def file_size(path: Path, what: str) -> int:
    """The size of a file in bytes; `what` in errors says what it is needed for."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise _unreadable(path, what, error) from error


def read_range(path: Path, offset: int, size: int, what: str) -> bytes:
    """The bytes [offset, offset + size) of a file; `what` names them in errors."""
    try:
        with path.open("rb") as file:
            # Before reading, because a read allocates what it is asked for.
            available = os.fstat(file.fileno()).st_size
            if offset < 0 or size < 0 or offset + size > available:
                raise LoadError(
                    f"{path}: {what} should be {size} bytes at {offset}, but the file has "
                    f"{available}; copy the checkpoint again"
                )
            file.seek(offset)
            found = file.read(size)
    except OSError as error:
        raise _unreadable(path, what, error) from error
    if len(found) != size:
        raise LoadError(f"{path}: {what} ends too early; copy the checkpoint again")
    return found


def _unreadable(path: Path, what: str, error: OSError) -> LoadError:
    if isinstance(error, FileNotFoundError):
        return LoadError(f"{path}: no such file, needed for {what}; copy it there")
    return LoadError(f"{path}: cannot read {what} ({error.strerror})")


def masked_crc32c(data: bytes) -> int:
    """The checksum of bytes in the form that files hold."""
    return mask(google_crc32c.value(data))


def mask(crc: int) -> int:
    """A crc32c rotated and shifted, as files hold it so that a crc of crcs stays useful."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def parse(kind: Callable[[], AnyMessage], data: bytes, path: Path, what: str) -> AnyMessage:
    """A message from its bytes, or a LoadError that says what could not be read."""
    message = kind()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise LoadError(
            f"{path}: {what} is not a {message.DESCRIPTOR.name}; write the checkpoint again"
        ) from error
    return message
