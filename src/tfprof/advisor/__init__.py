"""Advice: checkers look at a profile and say what is worth a look, with the numbers behind it.

A checker is one file here and one entry in `CHECKERS`. Other packages add theirs through the entry
point group `tfprof.checkers`: a `Checker`, or just its function, under the checker's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.checkers import (
    accelerator_utilization,
    data_transfer,
    device_placement,
    expensive_operation,
    input_stall,
    job,
    memory_peak,
    operation,
    parameter_balance,
    small_ops,
    step_variance,
    unknown_flops,
)
from tfprof.advisor.finding import Advice, Amount, Evidence, Finding, Result, Saving
from tfprof.definitions.options import did_you_mean
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
    "Result",
    "Saving",
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
        input_stall,
        job,
        memory_peak,
        operation,
        parameter_balance,
        small_ops,
        step_variance,
        unknown_flops,
    )
}
"""The checkers that come with tfprof."""

Wanted = Mapping[str, Any] | Iterable[str] | str | None


def all_checkers() -> tuple[dict[str, Checker], tuple[str, ...]]:
    """The checkers of tfprof and of other packages, and what is wrong with those that fail."""
    found = dict(CHECKERS)
    problems = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        if point.name in CHECKERS:
            problems.append(f"checker {point.name} of {point.value}: the name is taken")
            continue
        try:
            loaded = point.load()
        except Exception as error:  # whatever another package raises must not end the advice
            problems.append(f"checker {point.name} of {point.value} cannot be loaded: {error}")
            continue
        if not isinstance(loaded, Checker):
            summary = (loaded.__doc__ or "").partition("\n")[0]
            loaded = Checker(point.name, summary, loaded)
        found[point.name] = loaded
    return found, tuple(problems)


def advise(
    profile: Profile,
    checkers: Wanted = None,
    *,
    compat: bool = False,
    views: Mapping[str, Profile] | None = None,
) -> Advice:
    """What checkers find in a profile; a finding without a number behind it is left out.

    `checkers` are names, each possibly with options (`InputStall:share=0.1,top=3`), or a dict of
    names with the options of each; all by default. With `compat` only the original's checkers
    run, without options, and speak in its words; `views` then has the profiles that its views
    were built from, if they are older.
    """
    quirks = quirks_for(compat)
    profile = resolve(profile, quirks)
    known, problems = _originals() if compat else all_checkers()
    wanted = _wanted(checkers, known, compat=compat)
    results, said = [], [*_warnings(profile, quirks, views or {}), *problems]
    for name in sorted(wanted):
        checker = known[name]
        if compat and name == job.CHECKER.name:
            continue
        settings = Settings(checker.values(wanted[name]), quirks, views or {})
        results.append(_result(profile, checker, settings, compat=compat))
        if compat and checker.complaints:
            said += checker.complaints(profile)
    return Advice(tuple(results), tuple(said), compat)


def _result(profile: Profile, checker: Checker, settings: Settings, *, compat: bool) -> Result:
    name = checker.name
    missing = () if compat else _missing(checker.needs, profile)
    if missing:
        return Result(name, missing=missing)
    try:
        found = tuple(f for f in checker.check(profile, settings) if compat or f.backed)
    except Exception as error:
        if name in CHECKERS:
            raise
        # Whatever another package's checker does must not end the advice.
        return Result(name, failed=f"{type(error).__name__}: {error}")
    return Result(name, found, partly=_missing(checker.wants, profile))


def _originals() -> tuple[dict[str, Checker], tuple[str, ...]]:
    return {name: checker for name, checker in CHECKERS.items() if checker.original}, ()


def _missing(needs: Iterable[Any], profile: Profile) -> tuple[str, ...]:
    return tuple(need.text for need in needs if not need.present(profile))


def _wanted(
    checkers: Wanted, known: Mapping[str, Checker], *, compat: bool
) -> dict[str, Mapping[str, Any]]:
    """The checkers to run with the options of each."""
    if checkers is None:
        # The one that does nothing is not worth a line of its own.
        return {name: {} for name in known if name != job.CHECKER.name}
    if isinstance(checkers, str):
        checkers = [checkers]
    given = checkers if isinstance(checkers, Mapping) else dict(map(_spelled, checkers))
    if compat:
        return {name: {} for name in given if name in known}
    for name, options in given.items():
        if name not in known:
            hint = did_you_mean(name, known) or f"; known are {', '.join(sorted(known))}"
            raise OptionError(f"unknown checker '{name}'{hint}")
        if not isinstance(options or {}, Mapping):
            raise OptionError(f"checker {name}: its options {options!r} are not a dict")
    return {name: options or {} for name, options in given.items()}


def _spelled(word: str) -> tuple[str, dict[str, str]]:
    """A checker and its options from `Name:key=value,key=value`."""
    name, _, rest = word.partition(":")
    options = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        if not equals:
            raise OptionError(f"checker {name}: '{item}' is not key=value")
        options[key] = value
    return name, options


def _warnings(profile: Profile, quirks: Quirks, views: Mapping[str, Profile]) -> tuple[str, ...]:
    """What is odd about the profile itself."""
    found = executions_of(profile, quirks).warnings
    if not quirks.loose_gradient_names:
        return found
    return found + view_of(views.get("code", profile), "code", quirks).warnings
