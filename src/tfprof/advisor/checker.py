"""A checker: a function of a profile and settings, the data it requires and its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfprof.advisor.finding import Finding
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.errors import OptionError
from tfprof.profiles.devices import is_accelerator
from tfprof.profiles.executions import MEMORY_FIELDS, executions_of
from tfprof.profiles.profile import Profile
from tfprof.views import view_of


@dataclass(frozen=True, slots=True)
class Requirement:
    """Data that a checker requires: how users call it, and how to test for it."""

    text: str
    is_present: Callable[[Profile], bool]


def _has_memory(profile: Profile) -> bool:
    executions = executions_of(profile, REPAIRED)
    return any(getattr(executions, field).any() for field in MEMORY_FIELDS[1:])


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
TIMELINE = Requirement(
    "a trace of consecutive steps (tfprof.capture, XPlane)",
    lambda profile: profile.exact_durations and bool(profile.steps),
)
MEMORY = Requirement("run metadata with memory statistics", _has_memory)
SEVERAL_DEVICES = Requirement("run metadata of a step on several devices", _has_devices)


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that decides when a checker reports a finding, or how much it shows."""

    default: float
    help: str

    def value(self, where: str, given: Any) -> float:
        """The given value as a number of the default's type; text is parsed."""
        kind = type(self.default)
        try:
            number = kind(given)
        except (TypeError, ValueError):
            raise OptionError(f"{where}: {given!r} is not a number") from None
        if number != number or number < 0:
            raise OptionError(f"{where}: {given!r} is negative or not a number")
        return number


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a checker by name, and the quirks of the original that apply.

    `views` has older profiles that the views of these names show instead (compat only).
    """

    values: Mapping[str, float]
    quirks: Quirks = REPAIRED
    views: Mapping[str, Profile] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    @property
    def top(self) -> int:
        """How many rows of evidence to show."""
        return int(self.values["top"])


@dataclass(frozen=True, slots=True)
class Checker:
    """One entry of `CHECKERS`.

    Without the data that it `requires` it does not run; without the data that it `can_use` it finds
    less. `original` checkers also run in compat, where `original_messages` gives the lines that the
    original prints if data is missing.
    """

    name: str
    help: str
    check: Callable[[Profile, Settings], Iterable[Finding]]
    requires: tuple[Requirement, ...] = ()
    can_use: tuple[Requirement, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    original: bool = False
    original_messages: Callable[[Profile], tuple[str, ...]] | None = None

    def values(self, given: Mapping[str, Any]) -> dict[str, float]:
        """The values of all settings: the given ones, checked, and defaults."""
        values = {name: setting.default for name, setting in self.settings.items()}
        for name, value in given.items():
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                hint = did_you_mean(name, self.settings) or f"; it has {known}"
                raise OptionError(f"checker {self.name}: unknown setting '{name}'{hint}")
            values[name] = self.settings[name].value(f"checker {self.name}: {name}", value)
        return values
