"""Where answers and messages are printed: reports to standard output, the rest to stderr.

On a terminal control characters are escaped. A front end may ask for more there: answers that fit
the width, in colour, long ones in a pager, and a line that shows progress.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol, TextIO

from tfprof.api.progress import Progress
from tfprof.errors import OutputError
from tfprof.runtime.printable import printable
from tfprof.runtime.terminal import Line, Terminal, cell_width, encode_line, line_width


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
    """Two streams. `presents` answers that fit the terminal; long ones are `paged`."""

    out: ByteStream | None
    err: TextIO | None
    terminal: bool = False
    quiet: bool = False
    presents: bool = False
    paged: bool = False
    progress: Progress | None = None

    @classmethod
    def standard(cls) -> Screen:
        """The streams of the process, or what a program has put in their place."""
        if sys.stdout is None:
            return cls(None, sys.stderr)
        sys.stdout.flush()
        out = sys.stdout.buffer if hasattr(sys.stdout, "buffer") else _TextOnly(sys.stdout)
        return cls(out, sys.stderr, sys.stdout.isatty())

    def for_user(self, *, quiet: bool, presents: bool, paged: bool) -> Screen:
        """The screen for an interactive user, as far as its streams are a terminal."""
        is_dumb = os.environ.get("TERM") == "dumb"
        # A pager prints to the standard output of the process.
        is_standard = self.out is getattr(sys.stdout, "buffer", None)
        shows_progress = not quiet and not is_dumb and self.err is not None and self.err.isatty()
        return replace(
            self,
            quiet=quiet,
            presents=presents and self.terminal,
            paged=paged and self.terminal and is_standard and not is_dumb,
            progress=Progress(self.err) if shows_progress and self.err else None,
        )

    @property
    def layout(self) -> Terminal | None:
        """What answers have to fit at this moment; None for plain text."""
        if not self.presents:
            return None
        size = shutil.get_terminal_size()
        return Terminal(size.columns, size.lines, colour=_has_colour(os.environ))

    @contextlib.contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show what is being done, if it takes long and somebody looks."""
        with self.progress.show(text) if self.progress else contextlib.nullcontext():
            yield

    def write(self, text: str) -> None:
        """Print text of our own; nothing if there is none."""
        if text:
            self.write_bytes(text.encode(errors="surrogateescape"))

    def write_bytes(self, data: bytes) -> None:
        """Print a report or another answer."""
        if not self.terminal:
            self._print(data)
            return
        lines = printable(data.decode(errors="backslashreplace")).splitlines(keepends=True)
        self._show((line, cell_width(line.rstrip("\n"))) for line in lines)

    def write_lines(self, lines: Iterable[Line]) -> None:
        """Print lines that are made for a terminal."""
        layout = self.layout
        colour = layout is not None and layout.colour
        self._show((encode_line(line, colour=colour) + "\n", line_width(line)) for line in lines)

    def _show(self, lines: Iterator[tuple[str, int]]) -> None:
        """Print lines of known widths, in a pager if they fill more than the screen."""
        if not self.paged:
            self._print("".join(text for text, _ in lines).encode(errors="backslashreplace"))
            return
        size = shutil.get_terminal_size()
        first, used = [], 0
        for text, width in lines:
            first.append(text)
            used += max(-(-width // size.columns), 1)
            if used >= size.lines:
                break
        rest = chain(first, (text for text, _ in lines))
        if used < size.lines or not self._page(rest):
            self._print("".join(rest).encode(errors="backslashreplace"))

    def _page(self, lines: Iterable[str]) -> bool:
        from tfprof.api.pager import page

        if self.progress:
            self.progress.stop()
        return page(lines)

    def _print(self, data: bytes) -> None:
        if self.out is None:
            raise OutputError("standard output is closed; nothing can be printed")
        if self.progress:
            self.progress.stop()
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
        if self.progress:
            self.progress.clear()
        try:
            self.err.write(printable(text.rstrip("\n")) + "\n")
            self.err.flush()
        except OSError:
            # Nobody reads the messages; the exit status still tells.
            return


def _has_colour(environment: Mapping[str, str]) -> bool:
    """Whether the user's terminal shows colours, and the user wants them."""
    return not environment.get("NO_COLOR") and environment.get("TERM", "dumb") != "dumb"
