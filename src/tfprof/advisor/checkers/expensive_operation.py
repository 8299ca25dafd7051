"""ExpensiveOperationChecker: the op types, nodes and lines of code that take the most time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pyarrow as pa

from tfprof.advisor.checker import RUN, TRACES, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, share, time
from tfprof.definitions.options import Options
from tfprof.definitions.units import format_time
from tfprof.profiles.profile import Profile
from tfprof.reports.make_report import make_report
from tfprof.reports.report import Report, Row
from tfprof.views import view_of

_NAME = "ExpensiveOperationChecker"
_DEEPEST = 100
_LEVELS = 3


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Up to three findings: op types, nodes, and code."""
    if profile.steps:
        yield from _op_types(_report(profile, "op", settings, min_micros=1, max_depth=settings.top))
    if settings.quirks.advice_ranks_top_scopes:
        options = {"min_micros": 100, "max_depth": _DEEPEST}
        yield from _top_scopes(_report(profile, "scope", settings, **options), settings)
    else:
        yield from _nodes(profile, settings)
    frames = view_of(settings.views.get("code", profile), "code", settings.quirks).tree
    if profile.has_trace and len(frames) > 1:
        options = {"min_micros": 1, "max_depth": _DEEPEST}
        yield from _code(_report(profile, "code", settings, **options), settings)


def _report(profile: Profile, kind: str, settings: Settings, **options: int) -> Report:
    report_options = Options().with_values({"order_by": "micros", **options})
    return make_report(
        profile, kind, report_options, settings.quirks, built_from=settings.views.get(kind)
    )


def _times(numbers: dict[str, int]) -> str:
    cpu, accelerator = numbers["cpu_exec_micros"], numbers["accelerator_exec_micros"]
    return (
        f"cpu: {format_time(cpu)}, accelerator: {format_time(accelerator)}, "
        f"total: {format_time(numbers['exec_micros'])}"
    )


def _finding(lines: list[str], rows: list[Evidence]) -> Finding:
    largest = max((row.numbers["time"].value for row in rows), default=0)
    impact = Impact(time(largest), "per step") if largest else None
    return Finding(_NAME, "info", "\n".join(lines), tuple(rows), impact, message_has_evidence=True)


def _evidence(name: str, micros: int) -> Evidence:
    return Evidence(name, {"time": time(micros)})


def _op_types(report: Report) -> Iterator[Finding]:
    total_micros = report.root.total["exec_micros"] + 1e-10
    lines, evidence = [], []
    for rank, row in enumerate(itertools.islice(report, 1, report.options.max_depth + 1), 1):
        part = 100 * row.own["exec_micros"] / total_micros
        lines.append(f"top {rank} operation type: {row.name}, {_times(row.own)} ({part:.2f}%)")
        evidence.append(_evidence(row.name, row.own["exec_micros"]))
    if lines:
        yield _finding(lines, evidence)


def _top_scopes(report: Report, settings: Settings) -> Iterator[Finding]:
    """What the original ranks: top-level scopes by inclusive time, shown with self time."""
    rows = report.root.children[: settings.top]
    lines = [
        f"top {rank} graph node: {row.name}, {_times(row.own)}" for rank, row in enumerate(rows, 1)
    ]
    if lines:
        yield _finding(lines, [_evidence(row.name, row.own["exec_micros"]) for row in rows])


def _nodes(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Nodes of any depth by self time."""
    queries = NodeQueries(profile, settings.quirks)
    total_micros = int(queries.micros.sum())
    lines, evidence = [], []
    nodes = queries.largest(queries.micros, queries.executions.exists, settings.top)
    for rank, node in enumerate(nodes, 1):
        micros = int(queries.micros[node])
        row = queries.evidence(node, time=time(micros), share=share(micros / total_micros))
        numbers = {
            name: int(queries.measure(name)[node])
            for name in ("cpu_exec_micros", "accelerator_exec_micros", "exec_micros")
        }
        source = f" ({row.source})" if row.source else ""
        part = f"({100 * micros / total_micros:.2f}%)"
        lines.append(f"top {rank} graph node: {row.name}, {_times(numbers)} {part}{source}")
        evidence.append(row)
    if lines:
        yield _finding(lines, evidence)


def _code(report: Report, settings: Settings) -> Iterator[Finding]:
    """The most expensive lines below the first call that branches."""
    row = report.root
    children = row.children
    while len(children) == 1:
        row = children[0]
        children = row.children
    if not children:
        return
    shown = list(_most_expensive(row, 0, settings))
    lines = [f"{'  ' * level}{_frame(row)}, {_times(row.total)}" for level, row in shown]
    yield _finding(lines, [_evidence(row.name, row.total["exec_micros"]) for _, row in shown])


def _frame(row: Row) -> str:
    """The name of a row of code view; a character that compat cuts keeps its bytes."""
    name: bytes = row.report.name[row.position].cast(pa.binary()).as_py()
    return name.decode(errors="surrogateescape")


def _most_expensive(above: Row, level: int, settings: Settings) -> Iterator[tuple[int, Row]]:
    children = above.children
    if level > _LEVELS or len(children) < 2:
        return
    for row in children[: settings.top]:
        if row.total["exec_micros"] >= settings["min_micros"]:
            yield level, row
            yield from _most_expensive(row, level + 1, settings)


def _original_messages(profile: Profile) -> tuple[str, ...]:
    messages = []
    if not profile.steps:
        messages += [f"Missing RunMetadata info. Skip {_NAME}", f"Missing run_meta for {_NAME}"]
    if not profile.has_trace:
        messages.append(f"Missing op_log (code traces) for {_NAME}")
    return tuple(messages)


CHECKER = Checker(
    _NAME,
    "the op types, nodes and lines of code that take the most time",
    check,
    requires=(RUN,),
    can_use=(TRACES,),
    settings={
        "top": Setting(3, "op types, nodes, and lines under each line to show"),
        "min_micros": Setting(1000, "ignore lines of code that take less"),
    },
    original=True,
    original_messages=_original_messages,
)
