"""What to tell a user when memory runs out: how much was needed, and what needs less."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(?:malloc|realloc) of size (\d+) failed|Unable to allocate ([\d.]+ \w+)")
_ADVICE = "lower max_depth, show fewer nodes, or give fewer steps and files at a time"


def describe_memory_error(error: MemoryError) -> str:
    """One line for an error of Python, NumPy or Arrow."""
    match = _SIZE.search(str(error))
    needed = ""
    if match is not None:
        needed = f"{int(match[1]) / 1e6:,.0f} MB" if match[1] else match[2]
    used = _used_megabytes()
    facts = [f"{needed} more were needed"] if needed else []
    facts += [f"the process had {used:,.0f} MB"] if used else []
    return f"out of memory ({', '.join(facts) or 'how much is not known'}); {_ADVICE}"


def _used_megabytes() -> float:
    """The most memory that the process had, where the system says it."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
