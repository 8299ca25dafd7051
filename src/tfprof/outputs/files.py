"""Write documents. A file is the old one or the complete new one, never anything between."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from tfprof.errors import OutputError
from tfprof.outputs.document import Message, Rendering


def write_documents(
    rendering: Rendering, *, stdout: Callable[[bytes], None], message: Callable[[str], None]
) -> None:
    """Write each document to its file or pass it to `stdout`, and each text to `message`."""
    for item in rendering:
        if isinstance(item, Message):
            message(item.text)
        elif item.path is None:
            stdout(b"".join(item.chunks))
        else:
            with replace_file(item.path) as stream:
                # It holds on to no chunk, so that the next can be made in the same memory.
                stream.writelines(item.chunks)


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise an error for a file that cannot be written: it is a folder, or has none."""
    target = Path(path)
    try:
        if target.is_dir():
            raise OutputError(f"{target}: is a directory; name a file to write to")
        target.parent.stat()
    except ValueError:
        return
    except OSError as error:
        raise OutputError(f"{target}: cannot write: {error.strerror}") from None


@contextlib.contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write, which replaces `path` once it is complete."""
    target = Path(path)
    try:
        if _is_open_stream(target):
            # What it writes to may be a file, whose other content stays.
            with target.open("ab") as stream:
                yield stream
            return
        if target.is_symlink():
            # The target of a link is replaced, not the link.
            target = Path(os.path.realpath(target))
            if target.is_symlink():
                raise OutputError(f"{path}: is a link to itself; name a file to write to")
        if target.is_dir():
            raise OutputError(f"{target}: is a directory; name a file to write to")
        if target.exists() and not target.is_file():
            # A pipe or a terminal cannot be replaced, only written to.
            with target.open("wb") as stream:
                yield stream
            return
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        # Without the target's name, which may be as long as a name can be.
        number, name = tempfile.mkstemp(prefix=".tfprof.", dir=target.parent)
        try:
            with os.fdopen(number, "wb") as stream:
                yield stream
            Path(name).chmod(mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{target}: cannot write: {reason}") from None


def _is_open_stream(path: Path) -> bool:
    """Whether a path is a stream that is open already: `/dev/stdout`, or `>(…)` of a shell."""
    parent = os.path.realpath(path.parent)
    is_stream = path.name in ("stdout", "stderr") and parent == "/dev"
    return is_stream or (parent.startswith("/proc/") and parent.endswith("/fd"))


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a whole file at once."""
    with replace_file(path) as stream:
        stream.write(data)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder and those above it, if they are not there."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{path}: cannot make the folder: {reason}") from None


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
