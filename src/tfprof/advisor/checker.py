"""A checker: a function of a profile and settings, with what it needs and which settings it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfprof.advisor.finding import Finding
from tfprof.advisor.requirement import Requirement
from tfprof.definitions.options import did_you_mean
from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.errors import OptionError
from tfprof.profiles.profile import Profile

__all__ = ["Checker", "Setting", "Settings"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A number that changes when a checker speaks, or how much it says."""

    default: float
    help: str

    def value(self, where: str, given: Any) -> float:
        """What was given, as a number of the default's kind; text is read."""
        kind = type(self.default)
        try:
            number = kind(given)
        except (TypeError, ValueError):
            raise OptionError(f"{where}: {given!r} is not a number") from None
        if number != number or number < 0:
            raise OptionError(f"{where}: {given!r} is not a number from 0 on")
        return number


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a checker by name, and the ways of the original it has to follow.

    `views` has earlier profiles whose nodes a view of that name shows instead (compat only).
    """

    values: Mapping[str, float]
    quirks: Quirks = REPAIRED
    views: Mapping[str, Profile] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    @property
    def top(self) -> int:
        """How many rows of evidence are wanted."""
        return int(self.values["top"])


@dataclass(frozen=True, slots=True)
class Checker:
    """One entry of `CHECKERS`.

    Without what it `needs` it does not run; without what it `wants` it finds less. `complaints`
    are the lines that the original prints when data is missing, and `original` says that the
    original has this checker, which it runs anyway.
    """

    name: str
    help: str
    check: Callable[[Profile, Settings], Iterable[Finding]]
    needs: tuple[Requirement, ...] = ()
    wants: tuple[Requirement, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    original: bool = False
    complaints: Callable[[Profile], tuple[str, ...]] | None = None

    def values(self, given: Mapping[str, Any]) -> dict[str, float]:
        """All settings, those that are given checked."""
        values = {name: setting.default for name, setting in self.settings.items()}
        for name, value in given.items():
            if name not in self.settings:
                known = ", ".join(self.settings) or "none"
                hint = did_you_mean(name, self.settings) or f"; it has {known}"
                raise OptionError(f"checker {self.name}: unknown option '{name}'{hint}")
            values[name] = self.settings[name].value(f"checker {self.name}: {name}", value)
        return values
