"""Make the summary of a profile from reports, findings and what the profile says of itself."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfprof.advisor import Advice, Finding, advise
from tfprof.advisor.step_time import step_times
from tfprof.api.request import parse_request, report_on
from tfprof.api.summary import FloatOps, Ranking, RankingEntry, Summary
from tfprof.api.summary_text import TOP
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.options import ALL_LEVELS, TRAINABLE_TYPE, VARIABLE_OP_TYPES
from tfprof.definitions.quirks import REPAIRED
from tfprof.flops.flop_columns import format_count, to_comparable
from tfprof.flops.polynomial import Polynomial
from tfprof.memory.peaks import MemoryPeak, step_memory
from tfprof.profiles.executions import executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.profiles.user_code import describe_user_line, user_lines
from tfprof.reports.regexes import match_exactly
from tfprof.reports.report import Report
from tfprof.resolve import executed_share, resolve
from tfprof.resolve.time_totals import time_totals
from tfprof.runtime.terminal import shorten_code

_FINDINGS = 3
_NESTED = 2
"""How many parts of the largest scope are shown."""
_DOMINANT, _LARGE = 0.98, 0.5
"""The shares from which on a scope only wraps what is in it, or is worth a look inside."""
_METRICS = {"micros": "time", "float_ops": "float operations", "params": "parameters"}
"""What rankings are by: the first of which there is any."""
_NODES = "occurrence"
"""What they are by if there is none."""
_UNITS = ("number", "share", "memory", "time")
"""The units of impacts, the most valuable last."""
_LONG_NAME = 24
_FLOPS_NOTE = "float_ops: "
_PARAMETER_OP_TYPES = (*VARIABLE_OP_TYPES, "parameter")
"""Also the arguments of compiled programs that hold parameters."""


def summarize(profile: Profile, advice: Advice | None = None) -> Summary:
    """The summary of a profile; `advice` is what all checkers say, if they have run."""
    metric = _main_metric(profile)
    op_types = _op_types(profile, metric)
    scopes = _scopes(profile, metric)
    lines = _lines_of_code(profile, metric)
    return Summary(
        nodes=len(profile.nodes),
        loaded=_describe_inputs(profile),
        steps=_steps(profile),
        micros=_total(profile, "micros"),
        totals=time_totals(profile),
        trace=profile.trace,
        memory_peaks=_memory_peaks(profile),
        params=_params(profile, *_PARAMETER_OP_TYPES),
        trainable_params=_params(profile, TRAINABLE_TYPE) if _has_trainable(profile) else None,
        float_ops=_float_ops(profile),
        op_types=op_types,
        scopes=scopes,
        lines_of_code=lines,
        findings=most_valuable(advice or advise(profile)),
        commands=dict(_commands(profile, metric, scopes, lines)),
        missing=tuple(_missing(profile)),
        messages=tuple(dict.fromkeys(_report(profile, "op", select=_NODES).messages)),
    )


def _report(profile: Profile, view: str, **options: Any) -> Report:
    return report_on(profile, parse_request(view, **options))


def _measure(metric: str) -> str:
    """The number that a ranking is by; of a metric with two counts, nodes that are defined."""
    return METRICS[metric].measure or METRICS[metric].counts[1]


def _total(profile: Profile, metric: str) -> Any:
    return _report(profile, "op", select=metric).total[metric]


def _main_metric(profile: Profile) -> str:
    return next((metric for metric in _METRICS if _total(profile, metric)), _NODES)


def _describe_inputs(profile: Profile) -> str:
    """What was loaded, in one line."""
    resolved = resolve(profile, REPAIRED)
    inlined = len(resolved.nodes) - len(profile.nodes)
    devices = {profile.devices[i] for i in set(executions_of(resolved, REPAIRED).device) if i >= 0}
    of_nodes = [f"{len(resolved.nodes):,} with functions inlined"] if inlined > 0 else []
    if profile.steps and profile.nodes.in_graph.any():
        of_nodes.append(f"{executed_share(profile):.0%} executed")
    parts = [_count(len(profile.nodes), "node")]
    parts[0] += f" ({', '.join(of_nodes)})" if of_nodes else ""
    parts += [_count(len(profile.steps), "step")] if profile.steps else []
    parts += [_count(len(devices), "device")] if devices else []
    parts += ["code traces"] if profile.has_trace else []
    if profile.checkpoint is not None:
        parts.append(_count(len(profile.checkpoint.tensors), "checkpoint tensor"))
    return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _missing(profile: Profile) -> Iterator[str]:
    """What was not loaded, and what a summary would show of it."""
    if not profile.nodes.in_graph.any():
        yield "a graph (--graph_path): float operations, data flow"
    if not profile.steps:
        yield "run metadata (--run_meta_path): times, memory"
    if not profile.has_trace:
        yield "code traces (--op_log_path): lines of code"


def _steps(profile: Profile) -> dict[int, int]:
    executions = executions_of(resolve(profile, REPAIRED), REPAIRED)
    return {time.step: time.length for time in step_times(executions, profile.steps)}


def _memory_peaks(profile: Profile) -> tuple[MemoryPeak, ...]:
    return tuple(step_memory(resolve(profile, REPAIRED), REPAIRED).peaks())


def _params(profile: Profile, *types: str) -> int:
    report = _report(profile, "scope", select="params", account_type_regexes=types)
    return int(report.total[0, "parameters"])


def _has_trainable(profile: Profile) -> bool:
    return TRAINABLE_TYPE in profile.type_name.unique().to_pylist()


def _float_ops(profile: Profile) -> FloatOps:
    report = _report(profile, "op", select=["float_ops", "executed_float_ops"])
    total, executed = (report.total[name] for name in ("float_ops", "executed_float_ops"))
    notes = [f"{format_count(executed, 'number')} executed"] if executed != total else []
    notes += [
        text.removeprefix(_FLOPS_NOTE) for text in report.messages if text.startswith(_FLOPS_NOTE)
    ]
    return FloatOps(total, tuple(notes))


def _title(what: str, metric: str) -> str:
    return f"{what} by {_METRICS.get(metric, 'number of nodes')}"


def _op_types(profile: Profile, metric: str) -> Ranking:
    report = _report(profile, "op", select=metric, order_by=metric)
    values = report.own[:, _measure(metric)]
    rows = range(1, min(len(report), TOP + 1))
    total = report.total.number(0, _measure(metric))
    entries = [_entry(report.names[row], values[row], total) for row in rows if values[row]]
    return Ranking(_title("Op types", metric), metric, tuple(entries))


def _entry(name: str, value: Any, total: Any, depth: int = 0) -> RankingEntry:
    """A row of a ranking; a share that depends on symbols is 0."""
    if isinstance(value, Polynomial) or isinstance(total, Polynomial):
        return RankingEntry(name, value, 0.0, depth)
    return RankingEntry(name, int(value), int(value) / int(total) if total else 0.0, depth)


def _scopes(profile: Profile, metric: str) -> Ranking:
    """The largest scopes below those that wrap all others, and the parts of the largest."""
    report = _report(profile, "scope", select=metric, max_depth=ALL_LEVELS)
    totals = report.total[:, _measure(metric)]
    sizes = to_comparable(totals)
    top = _unwrap(report, sizes)
    entries = []
    for i, row in enumerate(_largest_children(report, sizes, top)[:TOP]):
        entries.append(_entry(report.names[row], totals[row], totals[0]))
        if i == 0 and sizes[row] >= _LARGE * sizes[0]:
            parts = _largest_children(report, sizes, row)[:_NESTED]
            parts = [part for part in parts if sizes[part]]
            entries += [_entry(report.names[p], totals[p], totals[0], 1) for p in parts]
    entries = [entry for entry in entries if entry.value]
    within = report.names[top] if top else ""
    return Ranking(_title("Scopes", metric), metric, tuple(entries[:TOP]), within)


def _unwrap(report: Report, totals: Array) -> int:
    """The first row from the root that has no child with nearly everything in it."""
    row = 0
    while True:
        children = _largest_children(report, totals, row)
        if not children or not _largest_children(report, totals, children[0]):
            return row
        if totals[children[0]] < _DOMINANT * totals[0]:
            return row
        row = children[0]


def _largest_children(report: Report, totals: Array, row: int) -> list[int]:
    """The children of a row, the largest first."""
    end, children, child = report.tree.end, [], row + 1
    while child < end[row]:
        children.append(child)
        child = int(end[child])
    return sorted(children, key=lambda child: -totals[child])


def _lines_of_code(profile: Profile, metric: str) -> Ranking:
    """The user code lines whose nodes cost most; a gradient has that of its forward node."""
    title = _title("Lines of code", metric)
    if not profile.has_trace:
        return Ranking(title, metric, ())
    report = _report(profile, "op", select=metric)
    values = np.where(report.match_count > 0, report.numbers[:, _measure(metric)], 0)
    lines = user_lines(report.profile).dictionary_encode()
    known = lines.is_valid().to_numpy(zero_copy_only=False)
    codes = lines.indices.fill_null(0).to_numpy(zero_copy_only=False)
    sums = np.zeros(len(lines.dictionary), values.dtype)
    np.add.at(sums, codes[known], values[known])
    total = report.total.number(0, _measure(metric))
    sizes = to_comparable(sums)
    entries = []
    for line in sorted(np.flatnonzero(sizes), key=lambda line: -sizes[line])[:TOP]:
        nodes = np.flatnonzero(known & (codes == line))
        node = int(nodes[np.argmax(to_comparable(values[nodes]))])
        text = describe_user_line(report.profile, node).removeprefix("gradient of ")
        entries.append(_entry(text, sums[line], total))
    return Ranking(title, metric, tuple(entries), shorten=shorten_code)


def most_valuable(advice: Advice) -> tuple[Finding, ...]:
    """The first finding of the checkers whose findings weigh most.

    A warning weighs more than an information, time more than memory, and much more than little.
    """

    def weight(finding: Finding) -> tuple[bool, int, float]:
        amount = finding.impact.amount if finding.impact else None
        unit = _UNITS.index(amount.unit) if amount and amount.unit in _UNITS else -1
        return finding.severity == "warning", unit, amount.value if amount else 0.0

    first = [result.findings[0] for result in advice.results if result.findings]
    return tuple(sorted(first, key=weight, reverse=True)[:_FINDINGS])


def _commands(
    profile: Profile, metric: str, scopes: Ranking, lines: Ranking
) -> Iterator[tuple[str, str]]:
    """Commands that show more of what the summary shows, and what that is."""
    more = ",bytes,occurrence" if profile.steps else ""
    # Stacks of Keras and JAX programs are deep, and so are their graphs.
    depth = " -max_depth 1000" if profile.exact_durations else ""
    yield f"op -select {metric}{more}", "all op types"
    if scopes.entries:
        start = shlex.quote(_regex_of(scopes.within or scopes.entries[0].name))
        order = f"-order_by {metric} -max_depth 3"
        yield f"scope -select {metric} -start_name_regexes {start} {order}", "the largest scope"
    if lines.entries:
        file = lines.entries[0].name.partition(":")[0]
        shown = shlex.quote(f".*{match_exactly(file)}.*")
        yield f"code -select {metric} -show_name_regexes {shown}{depth}", "its lines of code"
    if profile.steps:
        yield f"graph{depth} -output timeline:outfile=timeline.json", "a timeline for Perfetto"
    elif metric != "params" and _params(profile, *_PARAMETER_OP_TYPES):
        yield "scope -select params -order_by params", "parameters by scope"
    yield "advise", "all findings, with evidence"


def _regex_of(scope: str) -> str:
    """A regex for a scope that is quick to type; a long name is known by its end."""
    parents, _, last = scope.rpartition("/")
    is_short = len(scope) <= _LONG_NAME or not parents
    return match_exactly(scope) if is_short else f".*/{match_exactly(last)}"
