"""The user's source files with what each line costs, where their text is at hand.

The text is that of the files themselves if they are still what was run, else what the op log has:
the lines that calls were made on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tfprof.errors import LoadError
from tfprof.loaders.files import file_size, is_file, read_file
from tfprof.outputs.html.blocks import Blocks
from tfprof.outputs.html.report_blocks import is_safe
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.user_code import USER, frame_texts, rank_files
from tfprof.reports.measures import round_last
from tfprof.reports.report import Report

_SEPARATOR = re.compile(r"[/\\]")
_SOURCE = "the source code"
_MAX_FILE = 1_000_000
"""Larger files are not read: no such file is source that somebody wrote."""


def user_lines_of(report: Report) -> tuple[list[tuple[str, int]], Array]:
    """The lines of the user's files that rows of a code report stand for, and each row's; or -1."""
    frames = report.view.frames
    assert frames is not None
    rank = rank_files(frame.file for frame in frames.distinct)
    line_of: dict[tuple[str, int], int] = {}
    of_frame = np.full(len(frames.distinct), -1, np.int64)
    for i, frame in enumerate(frames.distinct):
        if frame.file and rank[frame.file] == USER:
            of_frame[i] = line_of.setdefault((frame.file, frame.line), len(line_of))
    index = of_frame[frames.index[report.view_positions]]
    index[0] = -1
    return list(line_of), index


def _is_outermost(report: Report, line: Array) -> BoolArray:
    """Which rows have no row of the same line above them.

    In pre-order, a row is below an earlier one of its line if it comes before the latest end.
    """
    order = np.argsort(line, kind="stable")
    size = len(line) + 1
    shifted = report.tree.end[order] + line[order] * size
    latest = np.maximum.accumulate(np.concatenate([[np.iinfo(np.int64).min], shifted[:-1]]))
    outermost = np.empty(len(line), bool)
    outermost[order] = order + line[order] * size >= latest
    return outermost


def _innermost_line(report: Report, line: Array) -> Array:
    """The user's line that each row is on or, inside a library, was called from; -1 for none."""
    above = np.where(line >= 0, np.arange(len(line)), report.tree.parent)
    above[0] = 0
    while True:
        # Each time, rows look twice as far up.
        further = above[above]
        if np.array_equal(further, above):
            return line[above]
        above = further


def line_costs(
    report: Report, measures: Iterable[str], line: Array, count: int
) -> Iterator[tuple[Array, Array] | None]:
    """By measure the self and inclusive numbers of each line; None if they are no plain integers.

    The self number has the ops that the line creates, by itself or in a library that it calls.
    """
    created_on, outermost = _innermost_line(report, line), _is_outermost(report, line)

    def add_own(name: str) -> Array:
        values = np.where(report.matched, report.own.column(name), 0).astype(np.int64)
        return _sums(created_on, values, count)

    def add_totals(name: str) -> Array:
        return _sums(line[outermost], report.total.column(name)[outermost].astype(np.int64), count)

    for measure in measures:
        if not (is_safe(report.own[:, measure]) and is_safe(report.total[:, measure])):
            yield None
            continue
        own, total = (
            round_last(report.profile, report.quirks, add)(measure) for add in (add_own, add_totals)
        )
        yield own, total


def _sums(line: Array, values: Array, count: int) -> Array:
    """The sum of the values of each line; those of no line (-1) are left out."""
    sums = np.zeros(count + 1, np.int64)
    np.add.at(sums, line, values)
    return sums[:-1]


@dataclass(frozen=True, slots=True)
class LineCosts:
    """The costs of all lines, by metric and step, and the totals they are shares of."""

    lines: list[tuple[str, int]]
    costs: dict[str, dict[str, tuple[Array, Array] | None]]
    """The self and inclusive numbers of the lines."""
    whole: dict[str, dict[str, int]]

    def of_file(self, file: str) -> int:
        """What the lines of a file cost by the first metric, on average."""
        numbers = next(iter(next(iter(self.costs.values())).values()))
        if numbers is None:
            return 0
        own, _ = numbers
        return int(sum(own[i] for i, (name, _) in enumerate(self.lines) if name == file))

    def add_to(self, blocks: Blocks) -> dict[str, Any]:
        """The costs as blocks."""
        return {
            name: {
                step: numbers
                and {
                    "own": blocks.add_integers(numbers[0]),
                    "total": blocks.add_integers(numbers[1]),
                }
                for step, numbers in by_step.items()
            }
            for name, by_step in self.costs.items()
        }


def find_line_costs(reports: Mapping[int, Report], measures: Mapping[str, str]) -> LineCosts:
    """The costs of the user's lines, from a code report of each step, the average first."""
    costs: dict[str, dict[str, tuple[Array, Array] | None]] = {name: {} for name in measures}
    whole: dict[str, dict[str, int]] = {name: {} for name in measures}
    lines: list[tuple[str, int]] = []
    for step, report in reports.items():
        # All have the same view, so the same lines, but not always the same rows.
        lines, line = user_lines_of(report)
        of_measure = line_costs(report, measures.values(), line, len(lines))
        for (name, measure), numbers in zip(measures.items(), of_measure, strict=True):
            costs[name][str(step)] = numbers
            whole[name][str(step)] = int(report.total[0, measure]) if numbers else 0
    return LineCosts(lines, costs, whole)


def source_files(profile: Profile, lines: list[tuple[str, int]]) -> Iterator[dict[str, Any]]:
    """The lines of each file; `cost` is the index of a line's cost, -1 for none."""
    logged = frame_texts(profile)
    costs_of: dict[str, dict[int, int]] = {}
    for index, (file, line) in enumerate(lines):
        costs_of.setdefault(file, {})[line] = index
    for file, costs in costs_of.items():
        known = {line: logged.get((file, line), "") for line in costs}
        whole = _read_file(file, known)
        texts = dict(enumerate(whole, 1)) if whole else {n: t for n, t in known.items() if t}
        if texts:
            rows = [
                {"line": number, "text": texts[number], "cost": costs.get(number, -1)}
                for number in sorted(texts)
            ]
            name = _SEPARATOR.split(file)[-1]
            yield {"file": file, "name": name, "complete": bool(whole), "lines": rows}


def _read_file(file: str, known: Mapping[int, str]) -> list[str]:
    """The lines of a file that has the known ones where they should be; otherwise none."""
    path = Path(file)
    try:
        if path.suffix != ".py" or not is_file(path) or file_size(path, _SOURCE) > _MAX_FILE:
            return []
        text = read_file(path, _SOURCE).decode().replace("\r\n", "\n").replace("\r", "\n")
    except (LoadError, ValueError):
        return []
    lines = text.removesuffix("\n").split("\n")
    texts = {number: line.strip() for number, line in known.items() if line}
    fits = (n <= len(lines) and lines[n - 1].strip() == line for n, line in texts.items())
    return lines if texts and all(fits) else []
