"""From a profile and options to a report: resolve, view, account, filter, sort, and what to say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tfprof.definitions.metrics import OPERATIONS, known_metrics
from tfprof.definitions.options import Options
from tfprof.definitions.quirks import Quirks
from tfprof.errors import OptionError
from tfprof.flops.node_flops import check_bind, node_flops
from tfprof.memory.peaks import step_memory
from tfprof.profiles.executions import executions_of
from tfprof.profiles.lazy_columns import LazyColumns
from tfprof.profiles.profile import Profile
from tfprof.reports.account import count_matches
from tfprof.reports.filtered_rows import add_list_rows, add_tree_rows
from tfprof.reports.live_bytes import live_bytes_messages, require_live_bytes, uses_live_bytes
from tfprof.reports.missing_inputs import missing_inputs
from tfprof.reports.report import Report
from tfprof.reports.time_window import runs_in_window, time_window
from tfprof.resolve import resolve, unattributed_time
from tfprof.views import view_of
from tfprof.views.tree import Tree
from tfprof.views.view import View


def make_report(
    profile: Profile,
    kind: str,
    options: Options,
    quirks: Quirks,
    *,
    built_from: Profile | None = None,
) -> Report:
    """The report of a view. `built_from` is an earlier profile whose view is shown instead.

    The warnings about a view were shown when it was built.
    """
    profile = resolve(profile, quirks)
    view = view_of(resolve(built_from, quirks) if built_from else profile, kind, quirks)
    if built_from:
        view = replace(view, warnings=())
    report = _report_of(profile, view, options, quirks)
    warnings = profile.warnings + unattributed_time(profile)
    if not quirks.missing_inputs_not_reported:
        warnings += missing_inputs(profile.source or profile)
    if set(OPERATIONS) & set(options.select):
        warnings += node_flops(profile, quirks).messages()
    else:
        check_bind(profile, quirks)
    if uses_live_bytes(options):
        warnings += live_bytes_messages(step_memory(profile, quirks), options.step, options.at)
    return replace(report, messages=report.messages + warnings) if warnings else report


def report_of_step(report: Report, step: int) -> Report:
    """The same report of one step."""
    if step == report.options.step:
        return report
    options = replace(report.options, step=step)
    return _report_of(report.profile, report.view, options, report.quirks)


def _report_of(profile: Profile, view: View, options: Options, quirks: Quirks) -> Report:
    missing = _missing(profile, view, options, quirks)
    if not missing and "live_bytes" in known_metrics(quirks):
        require_live_bytes(step_memory(profile, quirks), options)
    if missing and not quirks.failures_give_empty_results:
        raise OptionError(missing)
    messages = view.warnings
    if missing:
        messages += (missing,)
        match_count = np.zeros(len(profile.nodes), np.int64)
    else:
        match_count = count_matches(profile, options.account_type_regexes, quirks)
        match_count = match_count * _ran_in_window(profile, options, quirks)
        if view.kind == "code" and options.account_displayed_op_only:
            messages += ("Note: code view ignores account_displayed_op_only",)
        if not quirks.records_reported_once:
            messages += executions_of(profile, quirks).warnings
    zero = LazyColumns(1, lambda _: np.zeros(1, np.int64))
    root = Report(
        profile,
        view,
        options,
        quirks,
        tree=Tree.flat(1),
        view_positions=np.zeros(1, np.int64),
        matched=np.zeros(1, bool),
        own=zero,
        total=zero,
        match_count=match_count,
        shown=not missing,
        messages=messages,
    )
    if missing:
        return root
    report = add_list_rows(root) if view.kind == "op" else add_tree_rows(root)
    return replace(report, messages=report.messages + _no_values(report))


def _ran_in_window(profile: Profile, options: Options, quirks: Quirks) -> Any:
    """Which nodes run in the window of time that is asked for; 1 if there is none."""
    window = time_window(profile, options, quirks)
    if window is None:
        return 1
    return runs_in_window(profile, window, profile.steps.index(options.step), quirks)[1]


def _no_values(report: Report) -> tuple[str, ...]:
    """The message that code view cannot show the values of tensors, if they are selected."""
    if report.kind != "code" or "tensor_value" not in report.options.select:
        return ()
    if report.quirks.no_values_said_per_row:
        return ("code view has no tensor value to show",) * len(report)
    return ("tensor_value: code view shows no values; use scope or graph view",)


def _missing(profile: Profile, view: View, options: Options, quirks: Quirks) -> str:
    """Why the report is empty, or an empty string."""
    if options.step >= 0 and options.step not in profile.steps:
        if quirks.failures_give_empty_results:
            known = "".join(f"{step} " for step in profile.steps)
            return f"Options -step={options.step} not found.\nAvailable steps: {known}"
        known = ", ".join(map(str, profile.steps)) or "none"
        return f"option 'step': there is no step {options.step}; known steps are {known}"
    if view.kind == "code" and (not profile.has_trace or len(view.tree) < 2):
        return f"No code trace information{_advice_on_traces(profile, quirks)}"
    return ""


def _advice_on_traces(profile: Profile, quirks: Quirks) -> str:
    """How to get code traces."""
    if quirks.failures_give_empty_results:
        return ""
    if profile.exact_durations:
        return (
            ": this trace has no stacks; record one that has them with tfprof.KerasCallback, "
            "tfprof.capture or `tfprof run`"
        )
    return "; give an op log with code traces (op_log)"
