"""Devices: which names are devices, which of them count, and the first device of each node."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import NO_DEVICE, Array, BoolArray

_STRICT_DEVICE = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+", re.ASCII)
_ANY_DEVICE = re.compile(r"(?:.*/)?(?:device:|host:)?([a-z_][a-z0-9_]*):\d+", re.DOTALL | re.ASCII)
_NOT_DEVICES = frozenset({"job", "replica", "task", "stream", "memcpy", "device", "host"})
_KIND = re.compile(
    r"(?:device:|host:|/|^)([a-z][a-z0-9_]*):\d+(?:/stream.*|/memcpy.*)?$", re.ASCII | re.DOTALL
)


def device_kind(device: str) -> str:
    """`cpu`, `gpu`, `tpu` and so on, also of a stream; empty if the name has none."""
    match = _KIND.search(device)
    return match[1] if match and match[1] not in _NOT_DEVICES - {"device", "host"} else ""


def is_accelerator(device: str) -> bool:
    """Whether a device is something other than a CPU."""
    kind = device_kind(device)
    return bool(kind) and "cpu" not in kind


@dataclass(frozen=True, slots=True)
class DeviceRules:
    """Which devices of a profile are canonical names, accelerators, counted, or on the host."""

    canonical: BoolArray
    accelerator: BoolArray
    counts: BoolArray
    host: BoolArray


def device_rules(devices: tuple[str, ...], quirks: Quirks) -> DeviceRules:
    """What each device name means."""
    if quirks.cpu_and_gpu_only:
        canonical = [bool(_STRICT_DEVICE.fullmatch(device)) for device in devices]
        counts = canonical
    else:
        matches = [_ANY_DEVICE.fullmatch(device) for device in devices]
        canonical = [match is not None and match[1] not in _NOT_DEVICES for match in matches]
        counts = ["stream" not in device and "memcpy" not in device for device in devices]
    return DeviceRules(
        np.array(canonical, bool),
        np.array(["stream:all" in device for device in devices], bool),
        np.array(counts, bool),
        np.array(["cpu" in device for device in devices], bool),
    )


@dataclass(frozen=True, slots=True)
class NodeDevices:
    """`first` is the canonical device that each node was first recorded on.

    `run` and `record` say since when that is known: the number of the RunMetadata and the record in
    it. A run of -1 is a saved profile; a node without a device has the number after the last run.
    """

    first: Array
    run: Array
    record: Array

    def first_records(self, run: int, count: int) -> Array:
        """The record of a run of `count` from which on each node's device is known.

        It is 0 if it is known before, the number of records if it is not known then.
        """
        later = np.where(self.run == run, self.record, count)
        records: Array = np.where(self.run < run, 0, later)
        return records


def node_devices(profile: Profile, rules: DeviceRules, exists: BoolArray) -> NodeDevices:
    """The device of each node of a profile."""
    device: Array = profile.nodes.saved_device.copy()
    run = np.where(device == NO_DEVICE, len(profile.records), -1)
    record = np.zeros(len(device), np.int64)
    for number, records in enumerate(profile.records):
        rows = np.flatnonzero(rules.canonical[records.device])[::-1]
        rows = rows[device[records.node[rows]] == NO_DEVICE]
        node = records.node[rows]
        device[node] = records.device[rows]
        run[node], record[node] = number, rows
    device[~exists] = NO_DEVICE
    return NodeDevices(device, run, record)
