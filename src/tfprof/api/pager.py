"""Show long answers in the user's pager, as git does.

The pager is `$TFPROF_PAGER`, else `$PAGER`, else `less`; an empty value or `cat` is none. For less,
`LESS=FRX` is set unless the user has set it.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping

_DEFAULT = "less"
_SETTINGS = {"LESS": "FRX", "LV": "-c"}


def pager_command(environment: Mapping[str, str]) -> list[str]:
    """The command of the user's pager; empty if there is none."""
    command = environment.get("TFPROF_PAGER", environment.get("PAGER", _DEFAULT))
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [] if words == ["cat"] else words


def page(lines: Iterable[str], environment: Mapping[str, str] = os.environ) -> bool:
    """Show lines, made as the reader gets to them; false if there is no pager, and none is made."""
    command = pager_command(environment)
    if not command:
        return False
    try:
        settings = {**_SETTINGS, **environment}
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=settings)
    except OSError:
        return False
    assert pager.stdin is not None
    with _ignore_interrupts():
        # A reader who has seen enough closes the pipe.
        with contextlib.suppress(BrokenPipeError), pager.stdin as stream:
            stream.writelines(line.encode(errors="backslashreplace") for line in lines)
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
