"""The bytes of a file that a user names, whatever it turns out to be."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from tfprof.definitions.limits import MAX_STREAM_BYTES
from tfprof.errors import LoadError

__all__ = ["read_file"]

_PIECE = 1 << 20


def read_file(path: Path, what: str) -> bytes:
    """All of a file or pipe; a LoadError if it cannot be read, or would never end."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                raise LoadError(f"{path}: is a device; give the {what} file itself")
            return file.read() if stat.S_ISREG(mode) else _read_stream(file, path, what)
    except IsADirectoryError:
        raise LoadError(f"{path}: is a directory; give the {what} file itself") from None
    except FileNotFoundError:
        raise LoadError(f"{path}: no such file; check the path of the {what}") from None
    except PermissionError:
        raise LoadError(f"{path}: permission denied; the {what} cannot be read") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise LoadError(f"{path}: {reason}; the {what} cannot be read") from None


def _read_stream(file: BinaryIO, path: Path, what: str) -> bytes:
    """What comes through a pipe, of which nobody knows the end."""
    pieces, size = [], 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_STREAM_BYTES:
            raise LoadError(
                f"{path}: more than {MAX_STREAM_BYTES >> 30} GB; no {what} is that large"
            )
    return b"".join(pieces)
