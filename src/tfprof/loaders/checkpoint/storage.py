"""Checksums and messages as the files of a checkpoint hold them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import google_crc32c
from google.protobuf.message import DecodeError, Message

from tfprof.errors import LoadError

AnyMessage = TypeVar("AnyMessage", bound=Message)

_MASK_DELTA = 0xA282EAD8


def masked_crc32c(data: bytes) -> int:
    """The checksum of bytes in the form that files hold."""
    return mask(google_crc32c.value(data))


def mask(crc: int) -> int:
    """A crc32c rotated and shifted, as files hold it so that a crc of crcs stays useful."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def parse(kind: Callable[[], AnyMessage], data: bytes, path: Path, what: str) -> AnyMessage:
    """A message from its bytes, or a LoadError that names `what`."""
    message = kind()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise LoadError(
            f"{path}: {what} is not a {message.DESCRIPTOR.name}; write the checkpoint again"
        ) from error
    return message
