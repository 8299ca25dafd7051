"""Formats that tfprof does not read, so that errors can name them."""

from __future__ import annotations

from pathlib import Path

from tfprof.loaders.message_kinds import message_kind

_MAGIC = (
    (0, b"\x89PNG", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x89HDF", "an HDF5 file of Keras: export it as a SavedModel"),
    (0, b"PK\x03\x04", "a zip archive"),
    (0, b"\x1f\x8b", "gzip data: decompress it first"),
    (0, b"PAR1", "a single Parquet table: give its folder"),
    (4, b"TFL3", "a TensorFlow Lite model"),
    (24, b"brain.Event:", "a TensorBoard event file"),
)


def name_format(head: bytes, path: Path) -> str:
    """What a file that starts with these bytes is, and what to do with it; empty if unknown."""
    if path.suffix == ".keras" and head.startswith(b"PK"):
        return f"a Keras model: try `tfprof model {path}`"
    for offset, magic, name in _MAGIC:
        if head.startswith(magic, offset):
            return name
    if path.suffix == ".onnx":
        return "an ONNX model"
    if message_kind(head) == "XSpace":
        return "an XPlane trace, which is not supported yet"
    return "JSON" if b"\0" not in head and head.lstrip().startswith((b"{", b"[")) else ""
