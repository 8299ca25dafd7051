"""The reports that a page carries, precomputed, because a static page cannot make new ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tfprof.definitions.metrics import Metric, known_metrics
from tfprof.definitions.options import (
    ALL_LEVELS,
    OPTIONS,
    TRAINABLE_TYPE,
    VARIABLE_OP_TYPES,
    Options,
    format_value,
)
from tfprof.definitions.quirks import Quirks
from tfprof.memory.peaks import step_memory
from tfprof.profiles.profile import Profile
from tfprof.profiles.user_code import USER, rank_files
from tfprof.reports.measures import AVERAGE
from tfprof.reports.regexes import match_exactly
from tfprof.views import view_of
from tfprof.views.view import View

CONTROLLED = ("select", "order_by", "step", "output", "max_depth")
"""Options that a page has controls for, or that every page sets."""

NOT_EDITED = ("select", "order_by", "step", "output", "max_values", "tensor_statistics")
"""Options that a page has controls for, or that are about values of tensors."""
_ADAPTED = ("hide_name_regexes", "account_type_regexes")
"""Options for which the command has other defaults."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Reports of some metrics with the same options, in all views.

    One that a user asked for has the view that was asked for, and keeps its `max_depth`.
    """

    name: str
    metrics: tuple[str, ...]
    options: Options = field(default_factory=Options)
    view: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether options beside the account regexes decide which rows are shown."""
        if self.view and self.options.max_depth < ALL_LEVELS:
            return True
        plain = Options(account_type_regexes=self.options.account_type_regexes)
        return any(self.options[name] != plain[name] for name in OPTIONS if name not in NOT_EDITED)

    def arguments(self) -> list[str]:
        """Its options as they are typed, without those that a page has controls for."""
        return list(option_arguments(self.options))


def option_arguments(options: Options) -> Iterator[str]:
    """The options that differ from their defaults, as arguments of the command.

    Those whose defaults are others there are always given.
    """
    for name, option in OPTIONS.items():
        value = options[name]
        is_default = value == option.default and name not in _ADAPTED
        if is_default or name in CONTROLLED:
            continue
        yield f"-{name}={format_value(value)}"


def presets(profile: Profile, quirks: Quirks, given: Preset | None = None) -> list[Preset]:
    """The presets of a page; the one that was asked for comes first."""
    numbers = page_metrics(profile, quirks)
    runs = [name for name, metric in numbers.items() if metric.unit in ("time", "memory")]
    operations = [
        name
        for name, metric in numbers.items()
        if metric.unit == "number" and metric.needs != "graph"
    ]
    rest = [name for name in numbers if name not in (*runs, *operations)]
    by_time = sorted(runs, key=lambda name: numbers[name].unit != "time")
    listed = [given] if given else []
    if profile.steps:
        listed.append(Preset("time and memory", tuple(by_time)))
    listed.append(Preset("float operations", tuple(operations)))
    listed.append(Preset("parameters", tuple(rest), _variables_only(profile)))
    return listed


def page_metrics(profile: Profile, quirks: Quirks) -> dict[str, Metric]:
    """The metrics that are numbers, without live bytes where no allocation was recorded."""
    peaks = step_memory(profile, quirks).peaks(AVERAGE) if profile.steps else []
    return {
        name: metric
        for name, metric in known_metrics(quirks).items()
        if metric.measure and (peaks or name != "live_bytes")
    }


def _variables_only(profile: Profile) -> Options:
    has_trainable = TRAINABLE_TYPE in profile.type_name.unique().to_pylist()
    return Options(account_type_regexes=(TRAINABLE_TYPE,) if has_trainable else VARIABLE_OP_TYPES)


def only_user_files(options: Options, profile: Profile, quirks: Quirks) -> Options | None:
    """The same options for the lines of the user's own files; None if there are none or only such.

    A row of code view begins with the name of its file.
    """
    names = _user_files(view_of(profile, "code", quirks))
    if not names or options.show_name_regexes != (".*",):
        return None
    return replace(options, show_name_regexes=tuple(f"{match_exactly(n)}:.*" for n in names))


def _user_files(view: View) -> list[str]:
    """The names of the user's files, as rows have them."""
    if view.frames is None:
        return []
    frames = [frame for frame in view.frames.distinct if frame.file]
    rank = rank_files(frame.file for frame in frames)
    files = {
        frame.name.decode(errors="replace").partition(":")[0]: None
        for frame in frames
        if rank[frame.file] == USER
    }
    return list(files) if set(rank.values()) != {USER} else []
