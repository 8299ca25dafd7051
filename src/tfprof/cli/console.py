"""What a command works with: the profile, the options that were set, and the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from tfprof.api.screen import Screen
from tfprof.cli.defaults import options_for
from tfprof.cli.start_arrow import start_arrow
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import Options, format_options, format_value, listed_options
from tfprof.definitions.quirks import Quirks, quirks_for

if TYPE_CHECKING:
    from tfprof.api.profile import Profile

_WIDTH = 28
EXAMPLE = "timeline:outfile=/tmp/timeline.json"
"""An `-output` value, to show what they look like."""


@dataclass(slots=True)
class Console:
    """One command line or one shell; `given` holds what `set` keeps for the lines to come."""

    screen: Screen
    read: Callable[[], Profile]
    compat: bool = False
    legend: bool = False
    given: dict[str, Any] = field(default_factory=dict)
    is_shell: bool = False
    stdin: IO[str] | None = None
    opened_with: str = "tfprof"
    """What was typed to open the profile, to which a command can be added."""
    _profile: Profile | None = None
    _views: dict[str, Profile] = field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        """The profile, read when a command first needs it."""
        if self._profile is None:
            start_arrow()
            self._profile = self.read()
        return self._profile

    def built_views(self, *views: str) -> dict[str, Profile]:
        """The profiles that some views were built from earlier; the others are built now.

        The original builds a view once, and prints its warnings only then.
        """
        if not self.quirks.views_built_once:
            return {}
        earlier = dict(self._views)
        self._views.update(dict.fromkeys(views, self.profile))
        return {view: earlier[view] for view in views if view in earlier}

    @property
    def quirks(self) -> Quirks:
        """Whether answers are right or the original's."""
        return quirks_for(self.compat)

    def options(self, more: Mapping[str, Any] | None = None, *, view: str = "") -> Options:
        """The options of a command: its own, then those that were set, then defaults of its view.

        Wrong ones are an error before a large file is read.
        """
        given = {**self.given, **(more or {})}
        self.check(given)
        has_runs = bool(self.profile.steps)
        return options_for(given, has_runs=has_runs, compat=self.compat, view=view)

    def check(self, given: Mapping[str, Any]) -> None:
        """Refuse values that could only fail later: unknown names, invalid regexes and outputs."""
        start_arrow()
        from tfprof.api.request import check_options

        check_options(Options().with_values(given, self.quirks), self.quirks)


def unavailable_metrics(profile: Profile, select: Iterable[str]) -> list[str]:
    """Which selected metrics can only be 0, because their input is missing."""
    messages = []
    for source, flag, present in (
        ("run metadata", "run_meta_path", bool(profile.steps)),
        ("checkpoint", "checkpoint_path", profile.checkpoint is not None),
    ):
        metrics = [name for name in select if METRICS[name].needs == source]
        if metrics and not present:
            messages.append(f"no {source} loaded: give --{flag} to see {', '.join(metrics)}")
    return messages


def options_block(options: Options, *, compat: bool) -> str:
    """All options with their values, one on a line, as an empty line shows them."""
    if compat:
        known = format_options(options, extensions=False)
        return "".join(f"{name:<{_WIDTH}}{value}\n" for name, value in known)
    lines = []
    for option in listed_options(options):
        lines += [f"# {comment}" for comment in _comments(option.kind)]
        lines.append(f"-{option.name:<{_WIDTH - 1}}{format_value(options[option.name])}".rstrip())
    return "\n".join(lines) + "\n"


def _comments(kind: str) -> list[str]:
    if kind == "select":
        return [
            "supported select fields. Availability depends on --[run_meta|checkpoint|op_log]_path.",
            f"[{'|'.join(METRICS)}]",
        ]
    if kind != "output":
        return []
    from tfprof.outputs import OUTPUTS

    kinds = [f"{name} (default)" if name == "stdout" else name for name in OUTPUTS]
    pairs = [
        f"  {number}. {name}: {_pairs(output.keys)}"
        for number, (name, output) in enumerate(OUTPUTS.items(), 1)
    ]
    return [
        "format: output_type:key=value,key=value...",
        f"output_types: {', '.join(kinds)}.",
        "key=value pairs:",
        *pairs,
        f"E.g. {EXAMPLE}",
    ]


def _pairs(keys: tuple[str, ...]) -> str:
    named = {"outfile": "filename"}
    return ", ".join(f"{key}=<{named.get(key, 'value')}>" for key in keys) or "None."
