"""The events of a graph timeline, as the original writes them or as today's viewers like them.

An event begins with what stands between it and the one before; the file leaves out the first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tfprof.outputs.document import Chunks
from tfprof.outputs.encoding.json_encoder import (
    digits,
    escaped,
    of_rows,
    quoted,
    texts,
)
from tfprof.outputs.encoding.row_encoder import DictColumn
from tfprof.outputs.timeline import flows as arrows
from tfprof.outputs.timeline.event_args import row_args
from tfprof.outputs.timeline.graph import TraceLayout, device_title, lay_out_trace
from tfprof.outputs.timeline.memory import device_memory, memory_events, plain_memory_events
from tfprof.profiles.schema import Array

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["events", "plain_events"]


def plain_events(report: Report) -> Iterator[tuple[Chunks, list[str]]]:
    """The original's events of one step, in stages, and what it prints about them."""
    drawn = lay_out_trace(report)
    devices = [report.profile.devices[device] for device in drawn.devices]
    order = drawn.in_lanes
    name = _labels(report, drawn)
    start = DictColumn(digits(drawn.start))
    names = [_process(device_title(device), pid) for pid, device in enumerate(devices)]
    regions = _plain_regions(drawn, order, name.of(order), start.of(order))
    yield itertools.chain(_heads(names), regions), ["generating trace file."]
    flows = _plain_flows(report, drawn, order, name, start)
    usage = device_memory(report)
    names, lines = [], []
    for at, (device, peak) in enumerate(zip(usage.devices, usage.peaks, strict=True)):
        pid, title = len(devices) + 2 * at, f"mem usage on:{device}"
        names += [_process(title, pid), _process(f"{title} allocations", pid + 1)]
        if "gpu" in device:
            lines.append(f"{device} peak memory: {peak / 1e6:.2f} MB")
    counters = plain_memory_events(usage, len(devices))
    yield itertools.chain(_heads(names), flows, counters), lines


def _labels(report: Report, drawn: TraceLayout) -> DictColumn:
    """The names of the intervals; where most nodes are shown, they stay where they are."""
    names = report.profile.nodes.name
    if 2 * len(report) < len(names):
        return DictColumn(escaped(report.name), drawn.row)
    return DictColumn(escaped(names), drawn.node)


def _heads(names: list[str]) -> list[bytes]:
    return ["".join(names).encode()]


def _process(title: str, pid: int) -> str:
    return f',{{"args":{{"name":{quoted(title)}}},"name":"process_name","ph":"M","pid":{pid}}}'


def _plain_regions(
    drawn: TraceLayout, order: Array, label: DictColumn, start: DictColumn
) -> Iterable[memoryview]:
    return texts(
        len(order),
        *(',{"args":{"name":"', label, '"},"cat":"Op","dur":', drawn.duration[order], ',"name":"'),
        *(label, '","ph":"X","pid":', drawn.device[order], ',"tid":', drawn.lane[order]),
        *(',"ts":', start, "}"),
    )


def _plain_flows(
    report: Report, drawn: TraceLayout, order: Array, name: DictColumn, start: DictColumn
) -> Iterable[memoryview]:
    source, target = arrows.all_pairs(report, drawn)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    by_source = np.argsort(place[source], kind="stable")
    source, target = source[by_source], target[by_source]
    number = DictColumn(digits(np.arange(1, len(source) + 1)))
    label = name.of(source)
    end = drawn.start[source] + drawn.duration[source]
    return texts(
        len(source),
        *(',{"cat":"DataFlow","id":', number, ',"name":"', label, '_flow","ph":"s","pid":'),
        *(drawn.device[source], ',"tid":', drawn.lane[source], ',"ts":', end, "}"),
        *(',{"cat":"DataFlow","id":', number, ',"name":"', label, '_flow","ph":"t","pid":'),
        *(drawn.device[target], ',"tid":', drawn.lane[target], ',"ts":', start.of(target), "}"),
    )


def events(report: Report, flows: str) -> Iterator[tuple[Chunks, int]]:
    """The events of one step with names for all threads, in stages, and how many there are."""
    drawn = lay_out_trace(report)
    order = drawn.in_lanes
    row = drawn.row[order]
    lanes = np.zeros(len(drawn.devices), np.int64)
    np.maximum.at(lanes, drawn.device, drawn.lane + 1)
    # Numbers start at 1, as viewers take 0 for the idle process; no two threads share one.
    base = np.cumsum(lanes) - lanes + 1
    pid, tid = drawn.device + 1, base[drawn.device] + drawn.lane
    name = _labels(report, drawn).of(order)
    start = DictColumn(digits(drawn.start))
    regions = texts(
        len(order),
        *(',\n{"args":', *of_rows(row_args(report), row), ',"cat":"Op","dur":'),
        *(drawn.duration[order], ',"name":"', name),
        *('","ph":"X","pid":', pid[order], ',"tid":', tid[order], ',"ts":', start.of(order)),
        "}",
    )
    heads = [
        _named("process_name", device_title(report.profile.devices[device]), at + 1, 0)
        for at, device in enumerate(drawn.devices)
    ]
    heads += [
        _named("thread_name", f"lane {lane}", device + 1, int(base[device]) + lane)
        for device, count in enumerate(lanes.tolist())
        for lane in range(count)
    ]
    yield itertools.chain(_heads(heads), regions), len(order)
    source, target = arrows.latest(report, drawn, flows)
    usage = device_memory(report)
    heads, next_pid, next_tid = [], len(drawn.devices) + 1, int(lanes.sum()) + 1
    sampled, number = np.unique(usage.device, return_inverse=True)
    for at, device in enumerate(sampled.tolist()):
        title = f"mem usage on:{usage.devices[device]}"
        heads.append(_named("process_name", title, next_pid + at, 0))
        heads.append(_named("thread_name", "Top Allocations", next_pid + at, next_tid + at))
    counters = memory_events(usage, next_pid + number, next_tid + number)
    pairs = _flows(drawn, start, pid, tid, source, target)
    yield itertools.chain(_heads(heads), pairs, counters), 2 * len(source) + 2 * len(usage.time)


def _named(what: str, title: str, pid: int, tid: int) -> str:
    return (
        f',\n{{"args":{{"name":{quoted(title)}}},"name":"{what}","ph":"M","pid":{pid},"tid":{tid}}}'
    )


def _flows(
    drawn: TraceLayout, start: DictColumn, pid: Array, tid: Array, source: Array, target: Array
) -> Iterable[memoryview]:
    """Arrows that begin inside the producer's region and end where the consumer's begins."""
    number = DictColumn(digits(np.arange(1, len(source) + 1)))
    last = drawn.start[source] + np.maximum(drawn.duration[source] - 1, 0)
    begin = np.minimum(last, drawn.start[target])
    return texts(
        len(source),
        *(',\n{"cat":"DataFlow","id":', number, ',"name":"flow","ph":"s","pid":', pid[source]),
        *(',"tid":', tid[source], ',"ts":', begin, "}"),
        *(',\n{"bp":"e","cat":"DataFlow","id":', number, ',"name":"flow","ph":"f","pid":'),
        *(pid[target], ',"tid":', tid[target], ',"ts":', start.of(target), "}"),
    )
