"""The events of a graph timeline, as the original writes them and as viewers show them best.

Events are made in two stages, so that one is written before the next takes memory. Each event
begins with a separator, which the writer drops from the first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from tfprof.outputs.document import Chunks
from tfprof.outputs.encoding.json_encoder import (
    encode_columns,
    escape_json,
    format_integers,
    quote_json,
    take_rows,
)
from tfprof.outputs.encoding.row_encoder import DictColumn
from tfprof.outputs.timeline.event_args import row_args
from tfprof.outputs.timeline.flows import all_flows, latest_flows
from tfprof.outputs.timeline.live_counters import live_memory_usage
from tfprof.outputs.timeline.memory_counters import (
    MemoryUsage,
    compat_memory_events,
    device_memory,
    memory_events,
)
from tfprof.outputs.timeline.trace_layout import TraceLayout, device_title, lay_out_trace
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report


def compat_events(report: Report) -> Iterator[tuple[Chunks, list[str]]]:
    """The original's events of one step, in stages, each with the lines that it prints."""
    layout = lay_out_trace(report)
    devices = [report.profile.devices[device] for device in layout.devices]
    order = layout.lane_order
    name = _names(report, layout)
    start = DictColumn(format_integers(layout.start))
    names = [_process(device_title(device), pid) for pid, device in enumerate(devices)]
    regions = _compat_regions(layout, order, name.take(order), start.take(order))
    yield itertools.chain(_metadata(names), regions), ["generating trace file."]
    flows = _compat_flows(report, layout, order, name, start)
    usage = device_memory(report)
    names, lines = [], []
    for i, (device, peak) in enumerate(zip(usage.devices, usage.peaks, strict=True)):
        pid, title = len(devices) + 2 * i, f"mem usage on:{device}"
        names += [_process(title, pid), _process(f"{title} allocations", pid + 1)]
        if "gpu" in device:
            lines.append(f"{device} peak memory: {peak / 1e6:.2f} MB")
    counters = compat_memory_events(usage, len(devices))
    yield itertools.chain(_metadata(names), flows, counters), lines


def _names(report: Report, layout: TraceLayout) -> DictColumn:
    """The names of the intervals, without copying them where most nodes are shown."""
    names = report.profile.nodes.name
    if 2 * len(report) < len(names):
        return DictColumn(escape_json(report.name), layout.row)
    return DictColumn(escape_json(names), layout.node)


def _metadata(events: list[str]) -> list[bytes]:
    return ["".join(events).encode()]


def _process(title: str, pid: int) -> str:
    return f',{{"args":{{"name":{quote_json(title)}}},"name":"process_name","ph":"M","pid":{pid}}}'


def _compat_regions(
    layout: TraceLayout, order: Array, label: DictColumn, start: DictColumn
) -> Iterable[memoryview]:
    return encode_columns(
        len(order),
        *(',{"args":{"name":"', label, '"},"cat":"Op","dur":', layout.duration[order], ',"name":"'),
        *(label, '","ph":"X","pid":', layout.device[order], ',"tid":', layout.lane[order]),
        *(',"ts":', start, "}"),
    )


def _compat_flows(
    report: Report, layout: TraceLayout, order: Array, name: DictColumn, start: DictColumn
) -> Iterable[memoryview]:
    source, target = all_flows(report, layout)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_source = np.argsort(rank[source], kind="stable")
    source, target = source[by_source], target[by_source]
    number = DictColumn(format_integers(np.arange(1, len(source) + 1)))
    label = name.take(source)
    end = layout.start[source] + layout.duration[source]
    return encode_columns(
        len(source),
        *(',{"cat":"DataFlow","id":', number, ',"name":"', label, '_flow","ph":"s","pid":'),
        *(layout.device[source], ',"tid":', layout.lane[source], ',"ts":', end, "}"),
        *(',{"cat":"DataFlow","id":', number, ',"name":"', label, '_flow","ph":"t","pid":'),
        *(layout.device[target], ',"tid":', layout.lane[target], ',"ts":', start.take(target), "}"),
    )


def events(report: Report, flows: str) -> Iterator[tuple[Chunks, int]]:
    """The events of one step with names for all threads, in stages, each with their number."""
    layout = lay_out_trace(report)
    order = layout.lane_order
    row = layout.row[order]
    lanes = np.array([len(titles) for titles in layout.lane_titles], np.int64)
    # Ids start at 1, as viewers take 0 for the idle process; those of threads are unique.
    base = np.cumsum(lanes) - lanes + 1
    pid, tid = layout.device + 1, base[layout.device] + layout.lane
    name = _names(report, layout).take(order)
    start = DictColumn(format_integers(layout.start))
    regions = encode_columns(
        len(order),
        *(',\n{"args":', *take_rows(row_args(report), row), ',"cat":"Op","dur":'),
        *(layout.duration[order], ',"name":"', name),
        *('","ph":"X","pid":', pid[order], ',"tid":', tid[order], ',"ts":', start.take(order)),
        "}",
    )
    metadata = [
        _metadata_event("process_name", device_title(report.profile.devices[device]), i + 1, 0)
        for i, device in enumerate(layout.devices)
    ]
    metadata += [
        _metadata_event("thread_name", title, device + 1, int(base[device]) + lane)
        for device, titles in enumerate(layout.lane_titles)
        for lane, title in enumerate(titles)
    ]
    yield itertools.chain(_metadata(metadata), regions), len(order)
    source, target = latest_flows(report, layout, flows)
    pairs = _flows(layout, start, pid, tid, source, target)
    yield pairs, 2 * len(source)
    next_pid, next_tid = len(layout.devices) + 1, int(lanes.sum()) + 1
    in_use = device_memory(report)
    yield from _counters(in_use, "Allocator Bytes in Use", next_pid, next_tid)
    used = len(np.unique(in_use.device))
    live = live_memory_usage(report)
    yield from _counters(live, "Live Bytes", next_pid + used, next_tid + used)


def _counters(
    usage: MemoryUsage, series: str, next_pid: int, next_tid: int
) -> Iterator[tuple[Chunks, int]]:
    """The counters of devices or pools, each in a process of its own."""
    metadata = []
    sampled, number = np.unique(usage.device, return_inverse=True)
    for i, device in enumerate(sampled.tolist()):
        what = "live memory of" if series == "Live Bytes" else "mem usage on"
        title = f"{what}:{usage.devices[device]}"
        metadata.append(_metadata_event("process_name", title, next_pid + i, 0))
        metadata.append(
            _metadata_event("thread_name", "Top Allocations", next_pid + i, next_tid + i)
        )
    counters = memory_events(usage, next_pid + number, next_tid + number, series=series)
    yield itertools.chain(_metadata(metadata), counters), 2 * len(usage.time)


def _metadata_event(what: str, title: str, pid: int, tid: int) -> str:
    args = f'{{"name":{quote_json(title)}}}'
    return f',\n{{"args":{args},"name":"{what}","ph":"M","pid":{pid},"tid":{tid}}}'


def _flows(
    layout: TraceLayout, start: DictColumn, pid: Array, tid: Array, source: Array, target: Array
) -> Iterable[memoryview]:
    """Flows that begin inside the producer's interval and end at the start of the consumer's."""
    number = DictColumn(format_integers(np.arange(1, len(source) + 1)))
    last = layout.start[source] + np.maximum(layout.duration[source] - 1, 0)
    begin = np.minimum(last, layout.start[target])
    return encode_columns(
        len(source),
        *(',\n{"cat":"DataFlow","id":', number, ',"name":"flow","ph":"s","pid":', pid[source]),
        *(',"tid":', tid[source], ',"ts":', begin, "}"),
        *(',\n{"bp":"e","cat":"DataFlow","id":', number, ',"name":"flow","ph":"f","pid":'),
        *(pid[target], ',"tid":', tid[target], ',"ts":', start.take(target), "}"),
    )
