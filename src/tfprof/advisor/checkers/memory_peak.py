"""MemoryPeak: which nodes hold memory when a step uses the most."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import MEMORY, Checker, Setting, Settings
from tfprof.advisor.finding import Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, share, size
from tfprof.memory.peaks import step_memory
from tfprof.profiles.profile import Profile

_NAME = "MemoryPeak"


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """A finding per device: its peak over all steps, and the nodes that hold the most memory."""
    queries = NodeQueries(profile, settings.quirks)
    for peak in step_memory(profile, settings.quirks).peaks():
        if peak.bytes < settings["min_bytes"]:
            continue
        all_nodes = np.ones(len(profile.nodes), bool)
        node_bytes = peak.node_bytes
        largest = queries.largest(node_bytes, all_nodes, settings.top)
        rows = tuple(
            queries.evidence(
                node,
                memory=size(int(node_bytes[node])),
                share=share(int(node_bytes[node]) / peak.bytes),
            )
            for node in largest
        )
        apart = "".join(
            f", {amount} {what}"
            for amount, what in (
                (size(peak.temporary_bytes), "of it temporary"),
                (size(peak.persistent_bytes), "more kept between steps"),
            )
            if amount.value
        )
        message = f"{peak.describe()}{apart}; the {len(rows)} nodes that hold the most"
        yield Finding(_NAME, "info", message, rows, Impact(size(peak.bytes), "at the peak"))


CHECKER = Checker(
    _NAME,
    "which nodes hold memory at its peak",
    check,
    requires=(MEMORY,),
    settings={
        "min_bytes": Setting(1_000_000, "report nothing if the peak is lower"),
        "top": Setting(5, "nodes to show"),
    },
)
