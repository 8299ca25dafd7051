"""Progress: nothing at once, a line after a while, and nothing left behind."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable

import pytest

from tfprof.api.progress import Progress
from tfprof.api.screen import Screen


class Stream(io.StringIO):
    """A terminal that remembers what was written."""

    def isatty(self) -> bool:
        return True


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


def on_screen(stream: Stream) -> str:
    """What a terminal shows of it."""
    return stream.getvalue().rpartition("\r\x1b[K")[2]


def test_what_is_quick_shows_nothing() -> None:
    stream = Stream()
    with Progress(stream).show("reading"):
        pass
    assert stream.getvalue() == ""


def test_what_takes_long_is_shown_and_erased() -> None:
    stream = Stream()
    progress = Progress(stream, delay=0)
    with progress.show("reading"):
        wait_for(lambda: re.search(r"reading, \d+ s", on_screen(stream)) is not None)
        with progress.show("the graph"):
            wait_for(lambda: re.search(r"the graph, \d+ s", on_screen(stream)) is not None)
        wait_for(lambda: re.search(r"reading, \d+ s", on_screen(stream)) is not None)
    assert on_screen(stream) == ""


def test_a_message_stands_on_a_line_of_its_own() -> None:
    stream = Stream()
    screen = Screen(io.BytesIO(), stream, progress=Progress(stream, delay=0))
    with screen.working("reading"):
        wait_for(lambda: "reading" in on_screen(stream))
        screen.info("a message")
        assert stream.getvalue().find("\r\x1b[Ka message\n") > 0
        wait_for(lambda: "reading" in on_screen(stream))
    assert on_screen(stream) == ""


def test_an_answer_ends_it() -> None:
    stream = Stream()
    screen = Screen(io.BytesIO(), stream, progress=Progress(stream, delay=0))
    with screen.working("reading"):
        wait_for(lambda: "reading" in on_screen(stream))
        screen.write("the answer\n")
        assert on_screen(stream) == ""
        time.sleep(0.3)
        assert on_screen(stream) == ""


def test_an_error_leaves_nothing_behind() -> None:
    stream = Stream()
    progress = Progress(stream, delay=0)

    def interrupted() -> None:
        with progress.show("reading"):
            wait_for(lambda: "reading" in on_screen(stream))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert on_screen(stream) == ""
    with progress.show("again"):
        wait_for(lambda: "again" in on_screen(stream))


@pytest.mark.parametrize(
    ("term", "quiet", "shown"),
    [("xterm", False, True), ("xterm", True, False), ("dumb", False, False)],
)
def test_who_sees_it(monkeypatch: pytest.MonkeyPatch, term: str, quiet: bool, shown: bool) -> None:
    monkeypatch.setenv("TERM", term)
    screen = Screen(io.BytesIO(), Stream()).for_user(quiet=quiet, presents=True, paged=True)
    assert (screen.progress is not None) == shown
    assert (
        not Screen(io.BytesIO(), io.StringIO())
        .for_user(quiet=False, presents=True, paged=True)
        .progress
    )
