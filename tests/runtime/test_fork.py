"""A child of a fork imports what another thread of its parent was importing."""

from __future__ import annotations

import os
import signal
import threading
from importlib import _bootstrap

import pytest

import tfprof.api.profile  # noqa: F401 - registers what is done in children


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_child_does_not_wait_for_an_import_of_a_thread() -> None:
    held, over = threading.Event(), threading.Event()

    def import_slowly() -> None:
        with _bootstrap._ModuleLockManager("tfprof_no_such_module"):
            held.set()
            over.wait()

    thread = threading.Thread(target=import_slowly)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(30)
        status = 1
        try:
            import tfprof_no_such_module  # type: ignore[import-not-found]  # noqa: F401
        except ModuleNotFoundError:
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    over.set()
    thread.join()
    assert status == 0
