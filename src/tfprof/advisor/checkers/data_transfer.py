"""DataTransfer: tensors that are copied between devices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import SEVERAL_DEVICES, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import TRANSFER, NodeQueries, count, size, time
from tfprof.advisor.step_time import step_times
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.profiles.user_code import describe_user_line
from tfprof.views.graph import producers

_NAME = "DataTransfer"
_EDGE = re.compile(r"edge_\d+_(.*)")
_NO_DATA_INPUTS = re.compile(r"NoOp|Const|Variable|VariableV2|VarHandleOp")
"""Op types with control inputs only, for which nothing is copied."""
_SLOTS = 1 << 20


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Outputs with a consumer on another device, each once per device, and the time of copies."""
    queries = NodeQueries(profile, settings.quirks)
    copies = _copies(queries)
    spent = sum(copies.values()) + int(queries.micros[queries.has_op_type(TRANSFER)].sum())
    node, slot, target, sizes = _crossings(queries)
    total = float(sizes.sum())
    steps = step_times(queries.executions, profile.steps)
    mean = sum(step.length for step in steps) / max(len(steps), 1)
    if total < settings["min_bytes"] and (not spent or spent < settings["share"] * mean):
        return
    rows = []
    for i in np.argsort(-sizes, kind="stable")[: settings.top].tolist():
        name = queries.name(int(node[i]))
        numbers = {"size": size(sizes[i])}
        if name in copies:
            numbers["copy time"] = time(copies[name])
        where = f"{queries.device(int(node[i]))} -> {profile.devices[int(target[i])]}"
        source = describe_user_line(profile, int(node[i]))
        rows.append(Evidence(f"{name}:{int(slot[i])}", numbers, device=where, source=source))
    numbers = {"tensors": count(len(node)), "size": size(total), "time": time(spent)}
    part = f", which take {spent / mean:.1%} of its time" if spent and mean else ""
    message = f"{len(node)} tensors are copied between devices in each step{part}"
    impact = Impact(time(spent), "per step in copies") if spent else Impact(size(total), "per step")
    yield Finding(_NAME, "warning", message, (Evidence("all", numbers), *rows), impact)


def _crossings(queries: NodeQueries) -> tuple[Array, Array, Array, Array]:
    """Node, output, destination and average size of each tensor that is copied to a device."""
    profile, device = queries.profile, queries.executions.device
    consumer, producer = profile.edges.consumer, producers(profile)
    crosses = (producer >= 0) & ~queries.has_op_type(_NO_DATA_INPUTS)[consumer]
    crosses &= (device[consumer] >= 0) & (device[producer] >= 0)
    crosses &= device[consumer] != device[producer]
    devices = max(len(profile.devices), 1)
    tensor = _tensor(producer[crosses], profile.edges.output[crosses])
    keys = np.unique(tensor * devices + device[consumer[crosses]])
    tensor, target = keys // devices, keys % devices
    return tensor // _SLOTS, tensor % _SLOTS, target, _sizes(queries, tensor)


def _tensor(node: Array, slot: Array) -> Array:
    """A number for an output of a node."""
    tensor: Array = node.astype(np.int64) * _SLOTS + np.clip(slot, 0, _SLOTS - 1)
    return tensor


def _sizes(queries: NodeQueries, tensor: Array) -> Array:
    """The bytes of some tensors, on average over the steps that their nodes ran in."""
    executions = queries.executions
    known = _tensor(executions.memory_node[executions.output_memory], executions.output_slot)
    distinct = np.unique(tensor)
    mask = np.isin(known, distinct)
    index = np.searchsorted(distinct, known[mask])
    sums = np.bincount(index, executions.output_size[mask], len(distinct))
    steps = np.bincount(executions.execution_node, minlength=len(queries.profile.nodes))
    means = sums / np.maximum(steps[distinct // _SLOTS], 1)
    of_tensors: Array = means[np.searchsorted(distinct, tensor)]
    return of_tensors


def _copies(queries: NodeQueries) -> dict[str, float]:
    """The time of copy records, by the node whose output is copied, on average over the steps."""
    profile = queries.profile
    spent: Counter[str] = Counter()
    for records in profile.records:
        # A copy is recorded on several lanes: its stream, all streams, and the one for copies.
        for lane in ("memcpy", "stream:all", ""):
            on_lane = np.array([lane in device for device in profile.devices], bool)
            rows = np.flatnonzero(records.copy & on_lane[records.device] & (records.start > 0))
            if len(rows):
                break
        names = records.names.take(rows).to_pylist()
        for name, micros in zip(names, records.duration[rows].tolist(), strict=True):
            node_name = name.partition(":")[0]
            edge = _EDGE.fullmatch(node_name)
            spent[edge[1] if edge else node_name] += max(micros, 1)
    return {name: micros / max(len(profile.steps), 1) for name, micros in spent.items()}


CHECKER = Checker(
    _NAME,
    "copies between devices",
    check,
    requires=(SEVERAL_DEVICES,),
    settings={
        "min_bytes": Setting(1_000_000, "report nothing if fewer bytes are copied in a step"),
        "share": Setting(0.01, "and copies take a smaller share of its time"),
        "top": Setting(5, "tensors to show"),
    },
)
