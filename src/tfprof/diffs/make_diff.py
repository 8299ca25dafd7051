"""From two profiles and a request to a diff."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tfprof.definitions.options import ALL_LEVELS, MINIMUM_FORMS, OPTIONS, Options
from tfprof.definitions.quirks import REPAIRED
from tfprof.diffs.diff import Diff, diff_columns
from tfprof.diffs.filter_rows import filter_rows
from tfprof.diffs.match_rows import MATCHES, match_rows
from tfprof.diffs.merged_rows import merge_rows
from tfprof.errors import OptionError
from tfprof.profiles.profile import Profile
from tfprof.reports.make_report import make_report
from tfprof.reports.report import Report

_ROW_OPTIONS = (
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
    "account_displayed_op_only",
)


@dataclass(frozen=True, slots=True)
class DiffSettings:
    """How two profiles are compared, beside the options of reports.

    `strict` matches names only. A step of -1 is the average of all steps. A row is shown if it
    changed by at least `min_delta`.
    """

    strict: bool = False
    before_step: int = -1
    after_step: int = -1
    min_delta: int = 1


def make_diff(
    before: Profile,
    after: Profile,
    kind: str,
    options: Options,
    settings: DiffSettings | None = None,
) -> Diff:
    """The diff of a view of two profiles."""
    settings = settings or DiffSettings()
    diff_columns(options.select)  # refuses what cannot be compared
    first = _account_side(before, kind, options, settings.before_step, "before")
    second = _account_side(after, kind, options, settings.after_step, "after")
    matches = match_rows(first, second, strict=settings.strict)
    merged = merge_rows(first, second, matches)
    shown = filter_rows(first, second, merged, options=options, min_delta=settings.min_delta)
    if options.account_displayed_op_only and kind != "code":
        adds = merged.match == -1
        adds[shown.rows] = True
        merged = merged.restrict(adds)
    diff = Diff(
        first,
        second,
        options,
        merged,
        shown.tree,
        shown.rows,
        merged.numbers.take(shown.rows),
        matches.renames,
    )
    messages = _messages(diff) + _compare_inputs(diff) + tuple(filter(None, (shown.message,)))
    return replace(diff, messages=messages)


def _messages(diff: Diff) -> tuple[str, ...]:
    """The messages of both reports; a message that both have is shown once."""
    both = set(diff.before.messages) & set(diff.after.messages)
    sides = {"before: ": diff.before.messages, "after: ": diff.after.messages}
    lines = {
        message if message in both else side + message: None
        for side, messages in sides.items()
        for message in messages
    }
    return tuple(lines)


def _account_side(profile: Profile, kind: str, options: Options, step: int, side: str) -> Report:
    """The report of one side, without filters: all rows that count."""
    if not len(profile.nodes):
        raise OptionError(f"{side}: the profile has no nodes; there is nothing to compare")
    try:
        return make_report(profile, kind, _without_filters(options, step), REPAIRED)
    except OptionError as error:
        raise OptionError(f"{side}: {error}") from None


def _without_filters(options: Options, step: int) -> Options:
    """The options without those that choose and sort rows."""
    minima = (name for name in OPTIONS if name.startswith(tuple(MINIMUM_FORMS)))
    values = {name: OPTIONS[name].default for name in (*minima, *_ROW_OPTIONS)}
    values |= {"max_depth": ALL_LEVELS, "order_by": "depth", "output": "none"}
    return options.with_values({**values, "step": step if step >= 0 else options.step})


def _compare_inputs(diff: Diff) -> tuple[str, ...]:
    """What is odd about the two profiles together."""
    messages = []
    counts = diff.match_counts()
    matched = sum(counts[name] for name in MATCHES if name not in ("added", "removed"))
    if not matched and len(diff.before) > 1 and len(diff.after) > 1:
        messages.append(
            f"the two have no {_NOUNS[diff.kind]} in common: all of before is removed, all of "
            "after is added"
        )
    devices = [report.profile.devices for report in (diff.before, diff.after)]
    kinds = [sorted({_device_kind(name) for name in names}) for names in devices]
    if all(kinds) and kinds[0] != kinds[1]:
        messages.append(
            f"before ran on {' and '.join(kinds[0])}, after on {' and '.join(kinds[1])}: times "
            "and bytes are those of different devices"
        )
    return tuple(messages)


_NOUNS = {"scope": "name", "graph": "name", "op": "op type", "code": "line"}


def _device_kind(name: str) -> str:
    """The kind of a device, such as CPU or GPU."""
    return name.rpartition("device:")[2].split(":")[0].split("/")[0].upper() or name
