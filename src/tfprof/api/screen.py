"""Where answers and messages are printed: reports to standard output, the rest to stderr."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TextIO

from tfprof.errors import OutputError
from tfprof.runtime.printable import printable

_PAGER = "less -R"


class ByteStream(Protocol):
    """What answers are written to."""

    def write(self, data: bytes, /) -> object:
        """Write bytes."""

    def flush(self) -> None:
        """Pass on what was written."""


@dataclass(frozen=True, slots=True)
class _TextOnly:
    """A stream that takes only text, such as a notebook's, as one that takes bytes."""

    stream: TextIO

    def write(self, data: bytes, /) -> None:
        self.stream.write(data.decode(errors="replace"))

    def flush(self) -> None:
        self.stream.flush()


@dataclass(frozen=True, slots=True)
class Screen:
    """Two streams. On a terminal control characters are escaped, and long answers are paged."""

    out: ByteStream | None
    err: TextIO | None
    terminal: bool = False
    quiet: bool = False
    paged: bool = False

    @classmethod
    def standard(cls) -> Screen:
        """The streams of the process, or what a program has put in their place."""
        if sys.stdout is None:
            return cls(None, sys.stderr)
        sys.stdout.flush()
        out = sys.stdout.buffer if hasattr(sys.stdout, "buffer") else _TextOnly(sys.stdout)
        return cls(out, sys.stderr, sys.stdout.isatty())

    @property
    def shows_progress(self) -> bool:
        """Whether progress may be shown."""
        return not self.quiet and self.err is not None and self.err.isatty()

    def write(self, text: str) -> None:
        """Print text of our own; nothing if there is none."""
        if text:
            self.write_bytes(text.encode(errors="surrogateescape"))

    def write_bytes(self, data: bytes) -> None:
        """Print a report or another answer."""
        if self.out is None:
            raise OutputError("standard output is closed; nothing can be printed")
        if self.terminal:
            text = printable(data.decode(errors="backslashreplace"))
            if self.paged and _is_long(text) and _page(text):
                return
            data = text.encode(errors="backslashreplace")
        try:
            self.out.write(data)
            self.out.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(f"standard output: cannot write: {error.strerror}") from None

    def info(self, *messages: str) -> None:
        """Print messages beside the answer, one on a line, unless the screen is quiet."""
        if not self.quiet:
            for message in messages:
                self._write_error(message)

    def error(self, text: str) -> None:
        """Print why something failed, on one line."""
        self._write_error("tfprof: " + " ".join(text.split()))

    def _write_error(self, text: str) -> None:
        if self.err is None:
            return
        try:
            self.err.write(printable(text.rstrip("\n")) + "\n")
            self.err.flush()
        except OSError:
            # Nobody reads the messages; the exit status still tells.
            return


def _is_long(text: str) -> bool:
    size = shutil.get_terminal_size()
    lines = text.split("\n")
    if len(lines) >= size.lines:
        return True
    return sum(-(-max(len(line), 1) // size.columns) for line in lines) >= size.lines


def _page(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Show text in the user's pager; false if there is none."""
    try:
        command = shlex.split(environment.get("PAGER") or _PAGER)
        pager = subprocess.Popen(command, stdin=subprocess.PIPE)
    except (OSError, ValueError, IndexError):
        return False
    with _ignore_interrupts():
        # A reader who has seen enough closes the pipe.
        with contextlib.suppress(BrokenPipeError):
            pager.communicate(text.encode(errors="backslashreplace"))
        pager.wait()
    return True


@contextlib.contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """Ctrl-C means the pager, which takes it as "stop what you do"."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
