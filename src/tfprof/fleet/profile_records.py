"""The steps of a profile, read from an XPlane trace or saved by tfprof, as they go into a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tfprof.definitions.integers import INT32_MAX
from tfprof.definitions.quirks import REPAIRED
from tfprof.errors import LoadError
from tfprof.fleet.step_records import (
    NO_TRANSFERS,
    NodeNames,
    StepRecords,
    check_devices,
    short_device,
)
from tfprof.loaders import read_input
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.schema import Array
from tfprof.resolve import resolve


def read_profile_steps(path: Path, first: int, names: NodeNames) -> Iterator[StepRecords]:
    """The records of each step of a profile, whose steps are counted from `first`."""
    profile = resolve(read_input("profile", path), REPAIRED)
    check_devices(path, profile.devices)
    executions = executions_of(profile, REPAIRED)
    if not len(executions.interval_node):
        raise LoadError(f"{path}: has no traced steps")
    devices = [short_device(device, None) for device in profile.devices]
    node, waits = names.find(profile.nodes.name, profile.nodes.op)
    for index, step in enumerate(profile.steps):
        rows = np.flatnonzero(executions.interval_step == index)
        if not len(rows):
            continue
        if abs(first + step) > INT32_MAX:
            raise LoadError(f"{path}: step {first + step} is beyond the 32 bits of a store")
        nodes, start = executions.interval_node[rows], executions.interval_start[rows]
        t0 = int(start.min())
        yield StepRecords(
            first + step,
            t0,
            node[nodes],
            executions.interval_device[rows].astype(np.int32),
            np.clip(start - t0, 0, INT32_MAX).astype(np.int32),
            np.clip(executions.interval_duration[rows], 1, INT32_MAX).astype(np.int32),
            _memory(executions, index, nodes, executions.requested_bytes),
            _memory(executions, index, nodes, executions.peak_bytes),
            _memory(executions, index, nodes, executions.output_bytes),
            waits[nodes],
            tuple(devices),
            np.ones(len(devices), bool),
            NO_TRANSFERS,
        )


def _memory(executions: Executions, step: int, nodes: Array, column: Array) -> Array:
    """The bytes of each node in a step, with its first interval."""
    rows = executions.memory_step == step
    total = np.zeros(len(executions.device), np.int64)
    np.add.at(total, executions.memory_node[rows], column[rows])
    distinct, first = np.unique(nodes, return_index=True)
    sizes = np.zeros(len(nodes), np.int64)
    sizes[first] = total[distinct]
    return sizes
