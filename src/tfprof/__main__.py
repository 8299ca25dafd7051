"""The `tfprof` command, and `python -m tfprof`: Ctrl-C ends it at any moment, without a traceback.

While modules are imported at the start, and at the end, SIGINT has its default action and ends the
process. In between it raises KeyboardInterrupt, so that unfinished files are removed and the
terminal is restored. In two places an exception would get lost: in imports, which some modules
catch (NumPy reports a broken installation), and in finalizers, where Python only prints it. There a
timer raises it again 10 ms later. SIGTERM and SIGHUP raise another exception, which nothing
catches; after the clean-up they end the process by their default action.
"""

from __future__ import annotations

try:
    import os
    import signal
    import sys

    # A shell ignores SIGINT for background jobs, and so do we. Windows has no timer.
    _HANDLES_SIGINT = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _HANDLES_SIGINT = _HANDLES_SIGINT and hasattr(signal, "setitimer")
    if _HANDLES_SIGINT:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
except KeyboardInterrupt:
    raise SystemExit(130) from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_RETRY_SECONDS = 0.01
_GC_THRESHOLD = 200_000
"""Modules and columns are no garbage. Looking for it, and once more at exit, would take 70 of the
590 ms of CPU time in which `tfprof` prints op view of 20,000 nodes."""
_received = 0
"""The number of the signal that ends the command, once there is one."""


class _Terminated(BaseException):
    """The command was told to end."""


def run() -> None:
    """Run the command line of the process, and exit."""
    import gc

    gc.set_threshold(_GC_THRESHOLD)
    from tfprof.cli import main
    from tfprof.cli.flags import INTERRUPTED
    from tfprof.runtime.malloc import tune_malloc

    tune_malloc()

    try:
        try:
            _raise_on_signals(True)
            status = main()
        finally:
            _raise_on_signals(False)
    except (KeyboardInterrupt, _Terminated):
        # It came between two lines of this function, or was no interrupt.
        _raise_on_signals(False)
        status = INTERRUPTED
    if _received not in (0, signal.SIGINT):
        os.kill(os.getpid(), _received)
    if "duckdb" not in sys.modules:  # which reports what is not collected
        gc.freeze()  # what is left ends with the process
    sys.exit(status)


def _raise_on_signals(enabled: bool) -> None:
    """Make SIGINT, SIGTERM and SIGHUP raise exceptions, or end the process."""
    if _HANDLES_SIGINT:
        signal.signal(signal.SIGALRM, _raise_interrupt if enabled else signal.SIG_IGN)
        signal.signal(signal.SIGINT, _raise_interrupt if enabled else signal.SIG_DFL)
        sys.unraisablehook = _retry_interrupt if enabled else sys.__unraisablehook__
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP; nohup ignores it
        number = getattr(signal, name, None)
        handled = (signal.SIG_DFL, _raise_interrupt)
        if number is not None and signal.getsignal(number) in handled:
            signal.signal(number, _raise_interrupt if enabled else signal.SIG_DFL)


def _raise_interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt or _Terminated, but not inside of an import."""
    global _received
    if number != getattr(signal, "SIGALRM", None):
        _received = number
    while frame is not None and hasattr(signal, "setitimer"):
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
            return
        frame = frame.f_back
    raise KeyboardInterrupt if _received in (0, signal.SIGINT) else _Terminated


def _retry_interrupt(error: sys.UnraisableHookArgs) -> None:
    """Raise an exception of a signal again that a finalizer lost."""
    if error.exc_type in (KeyboardInterrupt, _Terminated):
        signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
    else:
        sys.__unraisablehook__(error)


if __name__ == "__main__":
    run()
