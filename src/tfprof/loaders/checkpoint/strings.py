"""String tensors as V2 data files hold them: lengths, a checksum of the lengths, then the bytes."""

from __future__ import annotations

import struct

import google_crc32c
import numpy as np

from tfprof.errors import LoadError
from tfprof.loaders.checkpoint.dtypes import Array
from tfprof.loaders.checkpoint.storage import mask
from tfprof.protos.varint import read_varint

_UINT32_MAX = 0xFFFFFFFF


def decode_strings(stored: bytes, count: int, crc: int, where: str) -> Array:
    """The strings of a tensor as a flat array of bytes objects, both checksums verified."""
    lengths, offset = _lengths(stored, count, where)
    if len(stored) - offset != 4 + sum(lengths):
        raise LoadError(f"{where}: its strings do not fill its bytes; copy the checkpoint again")
    # The checksum covers the lengths as integers of 4 bytes (8 if they do not fit), not the
    # varints in the file.
    fixed = [struct.pack("<I" if n <= _UINT32_MAX else "<Q", n) for n in lengths]
    running = google_crc32c.value(b"".join(fixed))
    if struct.unpack_from("<I", stored, offset) != (mask(running),):
        raise LoadError(f"{where}: its string lengths do not match their checksum; copy it again")
    if mask(google_crc32c.extend(running, stored[offset:])) != crc:
        raise LoadError(f"{where}: does not match its checksum; copy the checkpoint again")
    offset += 4
    strings = np.empty(count, object)
    for i, length in enumerate(lengths):
        strings[i] = stored[offset : offset + length]
        offset += length
    return strings


def _lengths(stored: bytes, count: int, where: str) -> tuple[list[int], int]:
    lengths, offset = [], 0
    try:
        for _ in range(count):
            length, offset = read_varint(stored, offset)
            lengths.append(length)
    except ValueError:
        raise LoadError(f"{where}: its string lengths end too early; copy it again") from None
    return lengths, offset
