"""Advice: checkers look for problems in a profile and report them with numbers and code lines.

    checkers/      one file for each checker
    checker        Checker, its settings, and the data that it requires
    finding        Finding, Evidence, Impact, Advice
    node_queries   queries that checkers share
    step_time      the length of steps, unions of intervals
    trace_time     where the time of consecutive steps goes

A checker is one file and one entry in `CHECKERS`. Other packages add theirs through the entry point
group `tfprof.checkers`: a `Checker`, or just its function, under the checker's name.
`api` and everything above may import this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any

from tfprof.advisor.checker import Checker, Requirement, Setting, Settings
from tfprof.advisor.checkers import (
    accelerator_utilization,
    data_transfer,
    device_placement,
    expensive_operation,
    host_bound,
    input_stall,
    job,
    memory_peak,
    memory_savings,
    operation,
    parameter_balance,
    retracing,
    small_ops,
    step_variance,
    unknown_flops,
)
from tfprof.advisor.finding import Advice, Amount, Evidence, Finding, Impact, Result
from tfprof.definitions.lookup import did_you_mean
from tfprof.definitions.quirks import Quirks, quirks_for
from tfprof.errors import OptionError
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.resolve import resolve
from tfprof.views import view_of

__all__ = [
    "CHECKERS",
    "ENTRY_POINTS",
    "Advice",
    "Amount",
    "Checker",
    "Evidence",
    "Finding",
    "Impact",
    "Requirement",
    "Result",
    "Setting",
    "Settings",
    "advise",
    "all_checkers",
]

ENTRY_POINTS = "tfprof.checkers"

CHECKERS: dict[str, Checker] = {
    module.CHECKER.name: module.CHECKER
    for module in (
        accelerator_utilization,
        data_transfer,
        device_placement,
        expensive_operation,
        host_bound,
        input_stall,
        job,
        memory_peak,
        memory_savings,
        operation,
        parameter_balance,
        retracing,
        small_ops,
        step_variance,
        unknown_flops,
    )
}
"""The built-in checkers by name."""

CheckerSelection = Mapping[str, Any] | Iterable[str] | str | None


def all_checkers() -> tuple[dict[str, Checker], tuple[str, ...]]:
    """The checkers of tfprof and of other packages, and why some could not be loaded."""
    checkers = dict(CHECKERS)
    problems = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        if point.name in CHECKERS:
            problems.append(
                f"checker {point.name} of {point.value}: a built-in checker has this name"
            )
            continue
        try:
            loaded = point.load()
        except (Exception, SystemExit) as error:
            # Whatever another package raises must not end the advice.
            problems.append(f"checker {point.name} of {point.value} cannot be loaded: {error}")
            continue
        if not isinstance(loaded, Checker):
            summary = (loaded.__doc__ or "").partition("\n")[0]
            loaded = Checker(point.name, summary, loaded)
        checkers[point.name] = loaded
    return checkers, tuple(problems)


def advise(
    profile: Profile,
    checkers: CheckerSelection = None,
    *,
    compat: bool = False,
    views: Mapping[str, Profile] | None = None,
) -> Advice:
    """Run checkers on a profile. A finding without a number behind it is dropped.

    `checkers` are names, each possibly with settings (`InputStall:share=0.1,top=3`), or a dict of
    names with the settings of each; by default all run. With `compat` only the original's checkers
    run, without settings and with its messages; `views` then has the profiles that its views were
    built from, if they are older.
    """
    quirks = quirks_for(compat)
    profile = resolve(profile, quirks)
    originals = {name: checker for name, checker in CHECKERS.items() if checker.original}
    known, problems = (originals, ()) if compat else all_checkers()
    selected = _select_checkers(checkers, known, compat=compat)
    results, messages = [], [*_warnings(profile, quirks, views or {}), *problems]
    for name in sorted(selected):
        checker = known[name]
        if compat and name == job.CHECKER.name:
            continue
        settings = Settings(checker.values(selected[name]), quirks, views or {})
        results.append(_result(profile, checker, settings, compat=compat))
        if compat and checker.original_messages:
            messages += checker.original_messages(profile)
    return Advice(tuple(results), tuple(messages), compat)


def _result(profile: Profile, checker: Checker, settings: Settings, *, compat: bool) -> Result:
    name = checker.name
    missing = () if compat else _missing(checker.requires, profile)
    if missing:
        return Result(name, missing=missing)
    try:
        findings = tuple(f for f in checker.check(profile, settings) if compat or f.has_number)
    except (Exception, SystemExit) as error:
        if name in CHECKERS:
            raise
        # Whatever another package's checker does must not end the advice.
        return Result(name, failed=f"{type(error).__name__}: {error}")
    return Result(name, findings, missing_in_part=_missing(checker.can_use, profile))


def _missing(requirements: Iterable[Requirement], profile: Profile) -> tuple[str, ...]:
    return tuple(item.text for item in requirements if not item.is_present(profile))


def _select_checkers(
    checkers: CheckerSelection, known: Mapping[str, Checker], *, compat: bool
) -> dict[str, Mapping[str, Any]]:
    """The checkers to run, with the settings of each."""
    if checkers is None:
        # The one that checks nothing is left out.
        return {name: {} for name in known if name != job.CHECKER.name}
    checkers = _check_names(checkers)
    given = checkers if isinstance(checkers, Mapping) else dict(map(_parse_checker, checkers))
    if compat:
        return {name: {} for name in given if name in known}
    for name, settings in given.items():
        if name not in known:
            hint = did_you_mean(name, known) or f"; known are {', '.join(sorted(known))}"
            raise OptionError(f"unknown checker '{name}'{hint}")
        if not isinstance(settings or {}, Mapping):
            raise OptionError(f"checker {name}: its settings {settings!r} are not a dict")
    return {name: settings or {} for name, settings in given.items()}


def _check_names(checkers: Any) -> Mapping[str, Any] | list[str]:
    """Names of checkers as a list, or as the dict that they were given as."""
    names = [checkers] if isinstance(checkers, str) else checkers
    if isinstance(names, Iterable) and not isinstance(names, Mapping):
        names = list(names)
    if isinstance(names, Iterable) and all(isinstance(name, str) for name in names):
        return names  # type: ignore[return-value]  # a list or a dict
    raise OptionError(
        f"checkers: {checkers!r} was given; accepted are names of checkers, as a text or a list, "
        "or a dict of names and settings"
    )


def _parse_checker(text: str) -> tuple[str, dict[str, str]]:
    """A checker and its settings from `Name:key=value,key=value`."""
    name, _, rest = text.partition(":")
    settings = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise OptionError(f"checker {name}: '{item}' is not key=value")
        settings[key] = value
    return name, settings


def _warnings(profile: Profile, quirks: Quirks, views: Mapping[str, Profile]) -> tuple[str, ...]:
    """Warnings about the profile itself, and about code view if it is built now."""
    warnings = () if quirks.records_reported_once else executions_of(profile, quirks).warnings
    if "code" in views:
        return warnings
    return warnings + view_of(profile, "code", quirks).warnings
