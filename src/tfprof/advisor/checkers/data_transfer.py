"""DataTransfer: tensors that are copied between devices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import (
    TRANSFER,
    Facts,
    count,
    size,
    time,
)
from tfprof.advisor.requirement import SEVERAL_DEVICES
from tfprof.advisor.step_time import step_times
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array
from tfprof.profiles.user_code import describe_user_line
from tfprof.views.graph import producers

__all__ = ["CHECKER"]

_NAME = "DataTransfer"
_EDGE = re.compile(r"edge_\d+_(.*)")
_TAKES_NOTHING = re.compile(r"NoOp|Const|Variable|VariableV2|VarHandleOp")
"""Consumers of control inputs, for which nothing is copied."""
_SLOTS = 1 << 20


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Outputs with a consumer on another device, each once per device, and the time of copies."""
    facts = Facts(profile, settings.quirks)
    copies = _copies(facts)
    spent = sum(copies.values()) + int(facts.micros[facts.of_type(TRANSFER)].sum())
    node, slot, target, sizes = _crossings(facts)
    total = float(sizes.sum())
    steps = step_times(facts.runs, profile.steps)
    mean = sum(step.length for step in steps) / max(len(steps), 1)
    if total < settings["min_bytes"] and (not spent or spent < settings["share"] * mean):
        return
    rows = []
    for at in np.argsort(-sizes, kind="stable")[: settings.top].tolist():
        name = facts.name(int(node[at]))
        numbers = {"size": size(sizes[at])}
        if name in copies:
            numbers["copy"] = time(copies[name])
        where = f"{facts.device(int(node[at]))} -> {profile.devices[int(target[at])]}"
        source = describe_user_line(profile, int(node[at]))
        rows.append(Evidence(f"{name}:{int(slot[at])}", numbers, device=where, source=source))
    numbers = {"tensors": count(len(node)), "size": size(total), "time": time(spent)}
    part = f", {spent / mean:.1%} of its time" if spent and mean else ""
    message = f"{len(node)} tensors are copied between devices in a step{part}"
    stake = Saving(time(spent), "per step in copies") if spent else Saving(size(total), "per step")
    yield Finding(_NAME, "warning", message, (Evidence("all", numbers), *rows), stake)


def _crossings(facts: Facts) -> tuple[Array, Array, Array, Array]:
    """Node, output, destination and average size of each tensor that goes to another device."""
    profile, device = facts.profile, facts.runs.device
    consumer, producer = profile.edges.consumer, producers(profile)
    wanted = (producer >= 0) & ~facts.of_type(_TAKES_NOTHING)[consumer]
    wanted &= (device[consumer] >= 0) & (device[producer] >= 0)
    wanted &= device[consumer] != device[producer]
    places = max(len(profile.devices), 1)
    tensor = _tensor(producer[wanted], profile.edges.output[wanted])
    keys = np.unique(tensor * places + device[consumer[wanted]])
    tensor, target = keys // places, keys % places
    return tensor // _SLOTS, tensor % _SLOTS, target, _sizes(facts, tensor)


def _tensor(node: Array, slot: Array) -> Array:
    """A number for an output of a node."""
    found: Array = node.astype(np.int64) * _SLOTS + np.clip(slot, 0, _SLOTS - 1)
    return found


def _sizes(facts: Facts, tensor: Array) -> Array:
    """The bytes of some tensors, on average over the steps that their nodes ran in."""
    runs = facts.runs
    known = _tensor(runs.memory_node[runs.output_memory], runs.output_slot)
    distinct = np.unique(tensor)
    there = np.isin(known, distinct)
    at = np.searchsorted(distinct, known[there])
    sums = np.bincount(at, runs.output_size[there], len(distinct))
    steps = np.bincount(runs.span_node, minlength=len(facts.profile.nodes))
    means = sums / np.maximum(steps[distinct // _SLOTS], 1)
    found: Array = means[np.searchsorted(distinct, tensor)]
    return found


def _copies(facts: Facts) -> dict[str, float]:
    """The time of copy records, by the node whose output is copied, on average over the steps."""
    profile = facts.profile
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
            cut = name.partition(":")[0]
            edge = _EDGE.fullmatch(cut)
            spent[edge[1] if edge else cut] += max(micros, 1)
    return {name: micros / max(len(profile.steps), 1) for name, micros in spent.items()}


CHECKER = Checker(
    _NAME,
    "copies between devices",
    check,
    needs=(SEVERAL_DEVICES,),
    settings={
        "min_bytes": Setting(1_000_000, "silent if fewer bytes are copied in a step"),
        "share": Setting(0.01, "and copies take a smaller share of it"),
        "top": Setting(5, "tensors to show"),
    },
)
