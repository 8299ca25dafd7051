"""A small writer of tables, made from the format's description and not from the reader."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import google_crc32c
import pyarrow as pa

MAGIC = 0xDB4775248B80FB57


def write_table(
    rows: Iterable[tuple[bytes, bytes]],
    *,
    snappy: bool = False,
    per_block: int = 3,
    interval: int = 2,
) -> bytes:
    """The bytes of a table with the given rows."""
    rows = list(rows)
    out = b""
    index = []
    for start in range(0, len(rows), per_block):
        part = rows[start : start + per_block]
        handle, out = _append(out, block(part, interval), snappy)
        index.append((part[-1][0], handle))
    meta, out = _append(out, block([], 1), snappy)
    last, out = _append(out, block(index, 1), snappy)
    return out + (meta + last).ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def block(rows: Iterable[tuple[bytes, bytes]], interval: int) -> bytes:
    """The contents of a block: rows, then where whole keys are."""
    out, restarts, before = b"", [], b""
    for place, (key, value) in enumerate(rows):
        shared = 0
        if place % interval == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        out += varint(shared) + varint(len(key) - shared) + varint(len(value))
        out += key[shared:] + value
        before = key
    restarts = restarts or [0]
    return out + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def _append(out: bytes, contents: bytes, snappy: bool) -> tuple[bytes, bytes]:
    if snappy:
        contents = pa.Codec("snappy").compress(contents, asbytes=True)
    handle = varint(len(out)) + varint(len(contents))
    return handle, out + sealed(contents, int(snappy))


def sealed(contents: bytes, kind: int) -> bytes:
    """A block with its trailer."""
    crc = google_crc32c.value(contents + bytes([kind]))
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32
    return contents + bytes([kind]) + struct.pack("<I", masked)


def varint(number: int) -> bytes:
    """A number in groups of seven bits."""
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])
