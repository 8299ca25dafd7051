"""The data that checkers need, each with how to tell that it is there and what to call it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tfprof.advisor.device import is_accelerator
from tfprof.profiles.profile import Profile
from tfprof.profiles.runs import MEMORY_FIELDS, runs_of
from tfprof.quirks import REPAIRED
from tfprof.views import view_of

__all__ = ["ACCELERATOR", "GRAPH", "MEMORY", "RUN", "SEVERAL_DEVICES", "STEPS", "TRACES", "Need"]


@dataclass(frozen=True, slots=True)
class Need:
    """A kind of data."""

    text: str
    present: Callable[[Profile], bool]


def _has_memory(profile: Profile) -> bool:
    runs = runs_of(profile, REPAIRED)
    return any(getattr(runs, field).any() for field in MEMORY_FIELDS[1:])


def _has_devices(profile: Profile) -> bool:
    return len(set(runs_of(profile, REPAIRED).placed_device.tolist())) > 1


def _has_frames(profile: Profile) -> bool:
    return profile.has_trace and len(view_of(profile, "code", REPAIRED).tree) > 1


GRAPH = Need("a graph", lambda profile: bool(profile.nodes.in_graph.any()))
RUN = Need("run metadata of a step", lambda profile: bool(profile.steps))
STEPS = Need("run metadata of two steps or more", lambda profile: len(profile.steps) > 1)
TRACES = Need("code traces (an op log)", _has_frames)
ACCELERATOR = Need(
    "run metadata of a step with an accelerator",
    lambda profile: any(map(is_accelerator, profile.devices)),
)
MEMORY = Need("run metadata with memory statistics", _has_memory)
SEVERAL_DEVICES = Need("run metadata of a step on several devices", _has_devices)
