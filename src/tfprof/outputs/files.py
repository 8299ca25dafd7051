"""Files that are either the old ones or the complete new ones, never anything between."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from tfprof.errors import OutputError

__all__ = ["Texts", "replaced", "write_file", "written"]

Texts = Iterable[memoryview | bytes]
T = TypeVar("T")


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` once it is complete."""
    target = Path(path)
    try:
        if target.is_symlink():
            # What a link stands for is replaced, not the link.
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
        number, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        try:
            with os.fdopen(number, "wb") as stream:
                yield stream
                stream.flush()
                os.fchmod(stream.fileno(), mode)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{target}: cannot write: {reason}") from None


def written(
    stream: BinaryIO, stages: Iterable[tuple[Texts, T]], form: Callable[[Texts], Texts]
) -> tuple[int, list[T]]:
    """Write the texts of each stage before the next is made: how many bytes, and what they tell.

    `form` makes the parts of the file from all texts.
    """
    told: list[T] = []

    def texts() -> Texts:
        for stage, more in stages:
            told.append(more)
            yield from stage

    return sum(map(stream.write, form(texts()))), told


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a whole file at once."""
    with replaced(path) as stream:
        stream.write(data)


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
