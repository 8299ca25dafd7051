"""The text of a summary: facts, rankings, findings and commands, as lines that fit a screen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from tfprof.advisor import Finding
from tfprof.definitions.metrics import METRICS
from tfprof.definitions.units import FORMATS, format_share, format_time
from tfprof.flops.flop_columns import format_count
from tfprof.memory.peaks import MemoryPeak
from tfprof.outputs.terminal_table import Column, table_lines
from tfprof.runtime.printable import one_line
from tfprof.runtime.terminal import (
    Line,
    Span,
    Terminal,
    bar,
    cell_width,
    heat,
    shorten_end,
    shorten_name,
)

if TYPE_CHECKING:
    from tfprof.api.summary import Ranking, RankingEntry, Summary
    from tfprof.resolve.time_totals import TimeTotals

TOP = 5
"""How many rows a ranking has at most."""
_ATTEMPTS = [(top, True) for top in range(TOP, 1, -1)]
_ATTEMPTS += [(top, False) for top in range(TOP, 0, -1)]
"""Rows of each ranking, and whether there are blank lines: what fits first is shown."""
_BAR = 10
_LABEL = 12
_FEW_STEPS = 3
_FEW_DEVICES = 2
_FEW_MESSAGES = 3
_SAME_TIME = 0.01
"""By what share the sums of views and of steps may differ without a word."""
_PROMPT_LINES = 2
"""What has to fit below a summary: the prompt, and a message."""


def summary_lines(summary: Summary, terminal: Terminal, command: str) -> list[Line]:
    """The lines of a summary, with as many rows of each ranking as fit."""
    lines: list[Line] = []
    for top, spaced in _ATTEMPTS:
        lines = [line for line in _lines(summary, terminal, command, top) if line or spaced]
        if len(lines) <= terminal.height - _PROMPT_LINES:
            break
    return lines


def _lines(summary: Summary, terminal: Terminal, command: str, top: int) -> Iterator[Line]:
    for i, line in enumerate(_wrap(summary.loaded, terminal.width)):
        yield [Span(line, "" if i else "title")]
    for label, text in _facts(summary):
        yield from _fact_lines(label, text, terminal.width)
    rankings = [r for r in (summary.op_types, summary.scopes, summary.lines_of_code) if r.entries]
    for ranking in rankings:
        yield []
        within = f", in {one_line(ranking.within)}" if ranking.within else ""
        yield [Span(shorten_name(ranking.title + within, terminal.width), "title")]
        yield from _ranking_lines(ranking, rankings, terminal, top)
    if summary.findings:
        yield []
        yield [Span("Findings of advise", "title")]
        yield from _finding_lines(summary.findings, terminal.width)
    yield []
    yield [Span("Next", "title")]
    yield from _command_lines(summary.commands, command, terminal.width)


def _facts(summary: Summary) -> Iterator[tuple[str, str]]:
    """What is known in one line each, with a label."""
    if summary.steps:
        yield "Steps", _steps_text(summary.steps)
        yield "Time in ops", f"{_summed_text(summary)}; {_busy_text(summary.totals)}"
    if summary.trace:
        yield "Trace", summary.trace.describe()
    if summary.memory_peaks:
        yield "Memory", _memory_text(summary.memory_peaks)
    if summary.params:
        trainable = summary.trainable_params
        of_them = "" if trainable is None else f", {trainable:,} of them trainable"
        yield "Parameters", f"{summary.params:,} in variables{of_them}"
    if summary.float_ops.total or summary.float_ops.notes:
        total = format_count(summary.float_ops.total, "number")
        total += " per step" if summary.steps else ""
        yield "FLOPs", "; ".join((total, *summary.float_ops.notes))
    for text in summary.missing:
        yield "Not loaded", text
    for text in summary.messages[:_FEW_MESSAGES]:
        yield "Note", text
    if len(summary.messages) > _FEW_MESSAGES:
        yield "", f"{len(summary.messages) - _FEW_MESSAGES} more notes, which views print"


def _summed_text(summary: Summary) -> str:
    """The sum of all ops in a step, and that of the views where it is another."""
    micros = round(summary.totals.summed_ns / max(len(summary.totals.steps), 1) / 1000)
    text = f"{format_time(micros)} per step"
    if abs(summary.micros - micros) <= _SAME_TIME * micros:
        return text
    views = "in views, which average each node over the steps in which it runs"
    return f"{text} ({format_time(summary.micros)} {views})"


def _busy_text(totals: TimeTotals) -> str:
    """How long the busiest devices ran ops in a step, and how much of that is attributed."""
    count = max(len(totals.steps), 1)
    busiest = sorted(totals.busy_ns.items(), key=lambda item: -item[1])
    devices = [
        f"{format_time(round(time / count / 1000))} on {_short_name(device)}"
        for device, time in busiest[:_FEW_DEVICES]
    ]
    if len(busiest) > _FEW_DEVICES:
        devices.append(f"{len(busiest) - _FEW_DEVICES} more devices")
    wall = format_time(round(totals.wall_ns / count / 1000))
    text = f"wall time {wall}, busy {', '.join(devices)}"
    share = totals.attributed_share
    return text if share is None else f"{text}; {format_share(share)} attributed"


def _short_name(device: str) -> str:
    return device.rpartition("/")[2].removeprefix("device:")


def _memory_text(peaks: Sequence[MemoryPeak]) -> str:
    """The highest peak, and how many other devices have one."""
    highest, *others = sorted(peaks, key=lambda peak: -peak.bytes)
    estimated = " (at least)" if highest.partial else "" if highest.recorded else " (estimated)"
    text = (
        f"{FORMATS['memory'](highest.bytes)} at the peak, {format_time(highest.micros)} into step "
        f"{highest.step}, on {highest.device.rpartition('/')[2]}{estimated}"
    )
    if not others:
        return text
    is_elsewhere = all(peak.device != highest.device for peak in others)
    one, several = ("device", "on") if is_elsewhere else ("memory pool", "in")
    many = f"{len(others)} other {one}s" if len(others) > 1 else f"another {one}"
    return f"{text}; at most {FORMATS['memory'](others[0].bytes)} {several} {many}"


def _steps_text(steps: Mapping[int, int]) -> str:
    """The length of each step, or of many the shortest, the longest and the median."""
    if len(steps) <= _FEW_STEPS:
        return ", ".join(f"step {step} {format_time(micros)}" for step, micros in steps.items())
    fastest, slowest = min(steps, key=steps.__getitem__), max(steps, key=steps.__getitem__)
    middle = format_time(round(median(steps.values())))
    return (
        f"{len(steps)} steps: {format_time(steps[fastest])} (step {fastest}) to "
        f"{format_time(steps[slowest])} (step {slowest}), median {middle}"
    )


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(one_line(text), max(width, 20), break_on_hyphens=False)


def _fact_lines(label: str, text: str, width: int) -> Iterator[Line]:
    for i, line in enumerate(_wrap(text, width - _LABEL)):
        yield [Span((label if i == 0 else "").ljust(_LABEL), "title"), Span(line)]


def _ranking_lines(
    ranking: Ranking, all_rankings: Sequence[Ranking], terminal: Terminal, top: int
) -> Iterator[Line]:
    """The first rows of a ranking, aligned with those of the others."""
    entries = ranking.entries
    names = ranking.names()
    values = [_value_text(ranking, entry) for entry in entries]
    number = max(len(_value_text(r, entry)) for r in all_rankings for entry in r.entries)
    columns = [
        Column("", 2 + number, lambda row: Span(values[row]), right=True),
        Column("", 6, lambda row: _share_span(entries[row]), right=True),
        Column(
            "",
            max(map(cell_width, names)),
            lambda row: Span(names[row]),
            shorten=ranking.shorten,
            least=20,
        ),
    ]
    if terminal.bars:
        columns.insert(2, Column("", _BAR, lambda row: _bar_span(entries[row]), optional=True))
    return table_lines(columns, range(min(top, len(entries))), terminal.width)


def _value_text(ranking: Ranking, entry: RankingEntry) -> str:
    unit = METRICS[ranking.metric].unit
    return format_count(entry.value, unit if unit in FORMATS else "number")


def _share_span(entry: RankingEntry) -> Span:
    is_known = isinstance(entry.value, int)
    return Span(f"{entry.share:.1%}" if is_known else "--", heat(entry.share))


def _bar_span(entry: RankingEntry) -> Span:
    return Span(bar(entry.share, _BAR), "bar")


def _finding_lines(findings: Sequence[Finding], width: int) -> Iterator[Line]:
    impacts = [str(finding.impact or finding.severity) for finding in findings]
    messages = [one_line(finding.text().partition("\n")[0]) for finding in findings]
    texts = [f"{finding.checker}: {text}" for finding, text in zip(findings, messages, strict=True)]
    columns = [
        Column("", 2 + max(map(len, impacts)), lambda row: Span(f"  {impacts[row]}", "warm")),
        Column(
            "",
            max(map(cell_width, texts)),
            lambda row: Span(texts[row]),
            shorten=shorten_end,
            least=20,
        ),
    ]
    return table_lines(columns, range(len(findings)), width)


def _command_lines(commands: Mapping[str, str], prefix: str, width: int) -> Iterator[Line]:
    typed = [f"{prefix} {command}".strip() for command in commands]
    about = list(commands.values())
    columns = [
        Column("", 2 + max(map(cell_width, typed)), lambda row: Span(f"  {typed[row]}", "command")),
        Column("", max(map(len, about)), lambda row: Span(about[row], "cold"), optional=True),
    ]
    return table_lines(columns, range(len(typed)), width)
