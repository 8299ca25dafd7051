"""The `tfprof` command, and `python -m tfprof`: Ctrl-C ends it at any moment, without a traceback.

While its own modules are loaded, and when all is done, the signal ends the process as it does those
that know nothing of it. In between it is an exception, so that unfinished files are removed and the
terminal is as it was.
"""

from __future__ import annotations

try:
    import signal
    import sys

    # Who starts it in the background may have said that Ctrl-C is not for it. Windows has no timer.
    _OURS = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _OURS = _OURS and hasattr(signal, "setitimer")
    if _OURS:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
except KeyboardInterrupt:
    raise SystemExit(130) from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

__all__ = ["run"]

_SOON = 0.01
_SELDOM = 200_000


def run() -> None:
    """Answer the command line of the process, and leave it."""
    import gc

    # Modules and columns are no garbage, so that looking for it is mostly in vain.
    gc.set_threshold(_SELDOM)
    from tfprof.cli import main
    from tfprof.cli.flags import INTERRUPTED

    try:
        try:
            _catch(True)
            status = main()
        finally:
            _catch(False)
    except KeyboardInterrupt:
        # It came between two lines of this function.
        _catch(False)
        status = INTERRUPTED
    gc.freeze()  # what is left ends with the process
    sys.exit(status)


def _catch(wanted: bool) -> None:
    """Make the signal an exception, or the end."""
    if not _OURS:
        return
    signal.signal(signal.SIGALRM, _interrupted if wanted else signal.SIG_IGN)
    signal.signal(signal.SIGINT, _interrupted if wanted else signal.SIG_DFL)
    sys.unraisablehook = _lost if wanted else sys.__unraisablehook__


def _interrupted(_number: int, frame: FrameType | None) -> None:
    """Raise, but later where modules are loaded: some take it for a fault of their own."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _lost(error: sys.UnraisableHookArgs) -> None:
    """Raise again what was raised where nothing can be, such as in a finalizer."""
    if error.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, _SOON)
    else:
        sys.__unraisablehook__(error)


if __name__ == "__main__":
    run()
