"""How much memory a piece of work takes at most, as the system sees it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["Peak", "measured"]

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Peak:
    """What was needed beyond what there was before, in bytes, once it is over."""

    size = 0


@contextlib.contextmanager
def measured() -> Iterator[Peak]:
    """Measure what the process needs more than at the start, at the worst moment."""
    _CLEAR.write_text("5")
    peak, before = Peak(), _field("VmRSS")
    yield peak
    peak.size = max(_field("VmHWM") - before, 0)


def _field(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", _STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return 1024 * int(found[1])
