"""Float operations as columns over the nodes of a profile, and what is said of missing ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tfprof.profiles.schema import Array, BoolArray


@dataclass(frozen=True, slots=True)
class NodeFlops:
    """Columns over the nodes of a profile."""

    float_ops: Array
    """Of one execution."""
    macs: Array
    """The multiply-adds among them."""
    executions: Array
    """How often each node runs, as far as the graph shows it; runs that were recorded win."""
    per_example: BoolArray
    """Which numbers are those of a batch of one, as the batch size is not known."""
    reasons: Mapping[int, str]
    """Node -> why it has no float operations."""

    def messages(self) -> tuple[str, ...]:
        """How complete the numbers are."""
        messages = []
        if self.per_example.any():
            messages.append("float_ops: per example (B = 1); give the batch size with --bind B=32")
        if self.reasons:
            messages.append(f"float_ops: {unavailable(Counter(self.reasons.values()))}")
        return tuple(messages)


def unavailable(reasons: Mapping[str, int]) -> str:
    """One sentence for the user: of how many nodes the float operations are not known, and why."""
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    parts = [f"{count} ({reason})" for reason, count in ranked]
    parts[0] = parts[0].replace(" ", " node " if ranked[0][1] == 1 else " nodes ", 1)
    last = parts.pop()
    listed = f"{', '.join(parts)} and {last}" if parts else last
    return f"FLOPs unavailable for {listed}"
