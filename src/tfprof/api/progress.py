"""A line on the terminal that says what is being done, once that takes longer than a second."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from time import monotonic
from typing import TextIO

_DELAY = 1.0
_INTERVAL = 0.1
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_CLEAR = "\r\x1b[K"


class Progress:
    """What is being done, shown on a stream by a thread while a `show` block runs."""

    def __init__(self, stream: TextIO, delay: float = _DELAY) -> None:
        self._stream, self._delay = stream, delay
        self._lock = threading.Lock()
        self._texts: list[str] = []
        self._visible = False
        self._ended = threading.Event()

    @contextlib.contextmanager
    def show(self, text: str) -> Iterator[None]:
        """Say this while the block runs; an inner block says what it does instead."""
        self._texts.append(text)
        if len(self._texts) > 1:
            try:
                yield
            finally:
                self._texts.pop()
            return
        self._ended = threading.Event()
        thread = threading.Thread(target=self._run, args=(self._ended, monotonic()), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.stop()
            thread.join()
            self._texts.clear()

    def update(self, text: str) -> None:
        """Say this from now on in the innermost block."""
        if self._texts:
            self._texts[-1] = text

    def clear(self) -> None:
        """Make room for a message; the line is drawn again below it."""
        with self._lock:
            self._erase()

    def stop(self) -> None:
        """Show nothing more in this block, as an answer is printed."""
        with self._lock:
            self._ended.set()
            self._erase()

    def _run(self, ended: threading.Event, start: float) -> None:
        if ended.wait(self._delay):
            return
        frame = 0
        while not ended.wait(_INTERVAL):
            frame += 1
            with self._lock:
                if not ended.is_set():
                    mark, seconds = _FRAMES[frame % len(_FRAMES)], int(monotonic() - start)
                    self._write(f"{_CLEAR}{mark} {self._texts[-1]}, {seconds} s")
                    self._visible = True

    def _erase(self) -> None:
        if self._visible:
            self._write(_CLEAR)
            self._visible = False

    def _write(self, text: str) -> None:
        # Nobody sees it where it cannot be written.
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()
