"""The data that checkers require: how users call it, and how to test for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tfprof.definitions.quirks import REPAIRED
from tfprof.profiles.devices import is_accelerator
from tfprof.profiles.executions import MEMORY_FIELDS, executions_of
from tfprof.profiles.profile import Profile
from tfprof.views import view_of


@dataclass(frozen=True, slots=True)
class Requirement:
    """A kind of data."""

    text: str
    is_present: Callable[[Profile], bool]


def _has_memory(profile: Profile) -> bool:
    runs = executions_of(profile, REPAIRED)
    return any(getattr(runs, field).any() for field in MEMORY_FIELDS[1:])


def _has_devices(profile: Profile) -> bool:
    return len(set(executions_of(profile, REPAIRED).placement_device.tolist())) > 1


def _has_frames(profile: Profile) -> bool:
    return profile.has_trace and len(view_of(profile, "code", REPAIRED).tree) > 1


GRAPH = Requirement("a graph", lambda profile: bool(profile.nodes.in_graph.any()))
RUN = Requirement("run metadata of a step", lambda profile: bool(profile.steps))
STEPS = Requirement("run metadata of two steps or more", lambda profile: len(profile.steps) > 1)
TRACES = Requirement("code traces (an op log)", _has_frames)
ACCELERATOR = Requirement(
    "run metadata of a step with an accelerator",
    lambda profile: any(map(is_accelerator, profile.devices)),
)
MEMORY = Requirement("run metadata with memory statistics", _has_memory)
SEVERAL_DEVICES = Requirement("run metadata of a step on several devices", _has_devices)
