"""The `tfprof` command, and `python -m tfprof`: Ctrl-C ends it at any moment, without a traceback.

While modules are imported at the start, and at the end, SIGINT has its default action and ends the
process. In between it raises KeyboardInterrupt, so that unfinished files are removed and the
terminal is restored. In two places an exception would get lost: in imports, which some modules
catch (NumPy reports a broken installation), and in finalizers, where Python only prints it. There a
timer raises it again 10 ms later.
"""

from __future__ import annotations

try:
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


def run() -> None:
    """Run the command line of the process, and exit."""
    from tfprof.cli import main
    from tfprof.cli.flags import INTERRUPTED
    from tfprof.runtime.malloc import tune_malloc

    tune_malloc()

    try:
        try:
            _raise_on_sigint(True)
            status = main()
        finally:
            _raise_on_sigint(False)
    except KeyboardInterrupt:
        # It came between two lines of this function.
        _raise_on_sigint(False)
        status = INTERRUPTED
    sys.exit(status)


def _raise_on_sigint(enabled: bool) -> None:
    """Make SIGINT raise KeyboardInterrupt, or end the process."""
    if not _HANDLES_SIGINT:
        return
    signal.signal(signal.SIGALRM, _raise_interrupt if enabled else signal.SIG_IGN)
    signal.signal(signal.SIGINT, _raise_interrupt if enabled else signal.SIG_DFL)
    sys.unraisablehook = _retry_interrupt if enabled else sys.__unraisablehook__


def _raise_interrupt(_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but not inside of an import."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _retry_interrupt(error: sys.UnraisableHookArgs) -> None:
    """Raise a KeyboardInterrupt again that a finalizer lost."""
    if error.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)
    else:
        sys.__unraisablehook__(error)


if __name__ == "__main__":
    run()
