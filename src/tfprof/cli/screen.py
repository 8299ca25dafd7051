"""Where answers and messages go: reports to standard output, everything else to stderr."""

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
from typing import BinaryIO, TextIO

from tfprof.errors import OutputError
from tfprof.runtime.printable import printable

__all__ = ["Screen"]

_PAGER = "less -R"


@dataclass(frozen=True, slots=True)
class Screen:
    """Two streams; on a terminal what could upset it is escaped, and long answers are paged."""

    out: BinaryIO | None
    err: TextIO | None
    terminal: bool = False
    quiet: bool = False
    paged: bool = False

    @classmethod
    def standard(cls) -> Screen:
        """The streams of the process."""
        if sys.stdout is None:
            return cls(None, sys.stderr)
        return cls(sys.stdout.buffer, sys.stderr, sys.stdout.isatty())

    @property
    def lively(self) -> bool:
        """Whether progress may be shown."""
        return not self.quiet and self.err is not None and self.err.isatty()

    def answer(self, data: bytes) -> None:
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

    def say(self, text: str) -> None:
        """Print an answer that is text of our own."""
        self.answer(text.encode(errors="surrogateescape"))

    def note(self, text: str) -> None:
        """Print a message beside the answer, unless told to be quiet."""
        if not self.quiet:
            self._complain(text)

    def error(self, text: str) -> None:
        """Print why something failed, on one line."""
        self._complain("tfprof: " + " ".join(text.split()))

    def _complain(self, text: str) -> None:
        if self.err is None:
            return
        try:
            self.err.write(printable(text.rstrip("\n")) + "\n")
            self.err.flush()
        except OSError:
            # Nobody listens; the exit status still tells.
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
    with _interrupts_ignored():
        # A reader who has seen enough closes the pipe.
        with contextlib.suppress(BrokenPipeError):
            pager.communicate(text.encode(errors="backslashreplace"))
        pager.wait()
    return True


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl-C means the pager, which takes it as "stop what you do"."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
