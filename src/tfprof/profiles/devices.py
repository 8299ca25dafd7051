"""Devices: which names are devices, which of them count, and where each node was placed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tfprof.definitions.quirks import Quirks
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import NO_DEVICE, Array, BoolArray

__all__ = ["DeviceRules", "device_rules", "first_devices"]

_STRICT_DEVICE = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+", re.DOTALL | re.ASCII)
_ANY_DEVICE = re.compile(r"(?:.*/)?(?:device:|host:)?([a-z_][a-z0-9_]*):\d+", re.DOTALL | re.ASCII)
_NO_DEVICES = frozenset({"job", "replica", "task", "stream", "memcpy", "device", "host"})


@dataclass(frozen=True, slots=True)
class DeviceRules:
    """What each device of a profile stands for."""

    canonical: BoolArray
    accelerator: BoolArray
    counts: BoolArray
    host: BoolArray


def device_rules(devices: tuple[str, ...], quirks: Quirks) -> DeviceRules:
    if quirks.cpu_and_gpu_only:
        canonical = [bool(_STRICT_DEVICE.fullmatch(device)) for device in devices]
        counts = canonical
    else:
        found = [_ANY_DEVICE.fullmatch(device) for device in devices]
        canonical = [match is not None and match[1] not in _NO_DEVICES for match in found]
        counts = ["stream" not in device and "memcpy" not in device for device in devices]
    return DeviceRules(
        np.array(canonical, bool),
        np.array(["stream:all" in device for device in devices], bool),
        np.array(counts, bool),
        np.array(["cpu" in device for device in devices], bool),
    )


def first_devices(
    profile: Profile, rules: DeviceRules, exists: BoolArray
) -> tuple[Array, list[Array]]:
    """The canonical device that each node was first recorded on.

    Also, for each RunMetadata, the row from which on that is known: 0 if from the beginning.
    """
    device: Array = profile.nodes.saved_device.copy()
    known_from = []
    for records in profile.records:
        since = np.where(device == NO_DEVICE, len(records), 0)
        rows = np.flatnonzero(rules.canonical[records.device])[::-1]
        rows = rows[device[records.node[rows]] == NO_DEVICE]
        device[records.node[rows]] = records.device[rows]
        since[records.node[rows]] = rows
        known_from.append(since)
    device[~exists] = NO_DEVICE
    return device, known_from
