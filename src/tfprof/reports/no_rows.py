"""Why a report has no rows: the filter that left none, and the nearest value that would."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tfprof.definitions.options import format_value
from tfprof.profiles.schema import BoolArray
from tfprof.reports import regexes
from tfprof.reports.close_names import close_name
from tfprof.reports.filters import Filter, Rows

if TYPE_CHECKING:
    from tfprof.reports.report import Report

_VARIABLES = pa.array(
    ["VarHandleOp", "VariableV2", "Variable", "_trainable_variables", "_checkpoint_variables"]
)
"""The types that variables have, depending on how a model was made and loaded."""
_OF_DEVICE = re.compile("(?i)cpu|gpu|tpu|device|task|job")
_SPECIAL = re.compile(r"\(\?i\)|[\\^$.*+?()\[\]{}|]")
_COMMON = 3
_MAX_TRIED = 8
"""How many regexes of a list are looked at, each of which is matched with all names."""
_ROOT_ALONE = 1


def explain_no_rows(report: Report, rows: Rows, filters: Sequence[Filter]) -> str:
    """Which of the filters left no row of those that the filters before it had left.

    It is empty if that was asked for: with a depth of 1 a report is its root.
    """
    accounted = filters[0].mask
    left: BoolArray = np.ones(len(rows.names), bool)
    passed: list[str] = []
    for each in filters:
        remaining = left & each.mask
        if remaining.any():
            if not remaining[left & accounted].all():
                passed.append(_format_option(report, each.option))
            left = remaining
            continue
        if each.option == "max_depth" and report.options.max_depth <= _ROOT_ALONE:
            return ""
        message = _EXPLANATIONS.get(each.option, _explain_minimum)(report, rows, left, each)
        matter = passed and (accounted & each.mask).any()
        return f"with {' '.join(passed)}: {message}" if matter else message
    return ""


def _format_option(report: Report, option: str) -> str:
    """An option with its value, as it is typed."""
    return f"-{option} {format_value(report.options[option])}"


def _explain_types(report: Report, _rows: Rows, _left: BoolArray, blocker: Filter) -> str:
    nodes, patterns = report.profile.nodes, report.options.account_type_regexes
    if regexes.is_everything(patterns) or not len(nodes):
        return "the profile has no nodes"
    message = f"no node has a type that matches {_format_option(report, blocker.option)}"
    devices = sorted(report.profile.devices)
    if devices and any(map(_OF_DEVICE.search, patterns)):
        return f"{message}; this model ran on {', '.join(devices[:_COMMON])}"
    counted = pa.concat_arrays([nodes.op, report.profile.type_name]).value_counts()
    counts = dict(zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True))
    types = _nearest_types(patterns, counts)
    return f"{message}; this model has {', '.join(f'{counts[name]} {name}' for name in types)}"


def _nearest_types(patterns: tuple[str, ...], counts: dict[str, int]) -> list[str]:
    """A type that is close to one of the regexes, or the most common ones."""
    if regexes.matches_any(patterns, _VARIABLES).any():
        kinds = [name for name in _VARIABLES.to_pylist() if name in counts]
        if kinds:
            return kinds[:1]
    by_case = {name.lower(): name for name in counts}
    names = pa.array(list(by_case), pa.string())
    for pattern in patterns[:_MAX_TRIED]:
        close = close_name(_SPECIAL.sub("", pattern).lower(), names, 0.5)
        if close:
            return [by_case[close]]
    return sorted(counts, key=lambda name: (-counts[name], name))[:_COMMON]


def _explain_names(report: Report, rows: Rows, left: BoolArray, blocker: Filter) -> str:
    names = rows.names.filter(pa.array(left))
    message = f"no name matches {_format_option(report, blocker.option)}"
    patterns = report.options[blocker.option][:_MAX_TRIED]
    for pattern in patterns:
        part = _as_part(pattern)
        for wider in (part, f"(?i){part}"):
            count = np.count_nonzero(regexes.matches(wider, names)) if wider != pattern else 0
            if count:
                return f"{message}; '{wider}' matches {count}"
    for pattern in patterns:
        close = close_name(_SPECIAL.sub("", pattern), names)
        if close:
            return f"{message}; did you mean '{close}'?"
    first = names.cast(pa.binary())[0].as_py().decode(errors="replace")
    return f"{message}; a name is '{first}'"


def _as_part(pattern: str) -> str:
    """A regex that matches names with a part that the pattern matches."""
    part = f"({pattern})" if "|" in pattern else pattern
    start = "" if part.startswith(".*") else ".*"
    end = "" if part.endswith(".*") and not part.endswith("\\.*") else ".*"
    return f"{start}{part}{end}"


def _explain_hidden(report: Report, _rows: Rows, left: BoolArray, blocker: Filter) -> str:
    return f"{_format_option(report, blocker.option)} hides {_all_rows(left)}"


def _explain_trimmed(report: Report, _rows: Rows, left: BoolArray, blocker: Filter) -> str:
    return f"{_format_option(report, blocker.option)} leaves out {_all_rows(left)}"


def _all_rows(left: BoolArray) -> str:
    count = np.count_nonzero(left)
    return f"all {count} rows" if count > 1 else "the only row"


def _explain_depth(report: Report, rows: Rows, left: BoolArray, blocker: Filter) -> str:
    nearest = int(rows.depth[left].min())
    typed = _format_option(report, blocker.option)
    return f"no row is within {typed}; the nearest is at depth {nearest}"


def _explain_minimum(report: Report, rows: Rows, left: BoolArray, blocker: Filter) -> str:
    assert blocker.minimum is not None
    largest = int(rows.values(blocker.minimum)[left].max())
    kind = "self" if blocker.minimum.of_self else "inclusive"
    typed = _format_option(report, blocker.option)
    return f"no row passes {typed}; the largest {kind} value is {largest}"


_EXPLANATIONS: dict[str, Callable[[Report, Rows, BoolArray, Filter], str]] = {
    "account_type_regexes": _explain_types,
    "start_name_regexes": _explain_names,
    "trim_name_regexes": _explain_trimmed,
    "show_name_regexes": _explain_names,
    "hide_name_regexes": _explain_hidden,
    "max_depth": _explain_depth,
}
"""What is said of each filter; of any other, which is a minimum, the largest number."""
