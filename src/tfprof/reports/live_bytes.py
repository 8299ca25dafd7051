"""What a report says about live bytes, and what it needs for them."""

from __future__ import annotations

from tfprof.definitions.options import MINIMUM_FORMS, Options
from tfprof.errors import OptionError
from tfprof.memory.peaks import NOTHING_RECORDED, PEAK, StepMemory

_METRIC = "live_bytes"


def uses_live_bytes(options: Options) -> bool:
    """Whether a report shows them, sorts by them or filters by them."""
    minimums = (f"{form}{_METRIC}" for form in MINIMUM_FORMS)
    return (
        _METRIC in options.select
        or options.order_by == _METRIC
        or any(options[name] for name in minimums)
    )


def require_live_bytes(memory: StepMemory, options: Options) -> None:
    """Raise an OptionError if there is nothing to show but live bytes, and none are known."""
    if not uses_live_bytes(options):
        if options.at != PEAK:
            raise OptionError("option 'at': nothing to show at that time; add -select live_bytes")
        return
    is_known = bool(memory.peaks(options.step, options.at))  # which raises if `at` is too late
    if not is_known and set(options.select) == {_METRIC}:
        raise OptionError(f"{_METRIC}: {memory.nothing_recorded}")


def live_bytes_messages(memory: StepMemory, step: int, at: int) -> tuple[str, ...]:
    """The live bytes of each device, when that was, and what is odd about the records."""
    lines = memory.describe_peaks(step, at) or [NOTHING_RECORDED]
    return tuple(f"{_METRIC}: {line}" for line in (*lines, *memory.blocks.warnings))
