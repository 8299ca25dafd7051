"""The trace of one host with its accelerators: what they ran, on which devices, and when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tfprof.definitions.limits import MAX_TRACED_DEVICES
from tfprof.errors import LoadError
from tfprof.loaders.files import map_file, release_pages
from tfprof.loaders.xplane.device_ops import is_device, read_device_ops
from tfprof.loaders.xplane.device_programs import find_hlo
from tfprof.loaders.xplane.events import count_events
from tfprof.loaders.xplane.name_budget import NameBudget
from tfprof.loaders.xplane.op_events import NO_PROGRAM, OpExecutions, read_op_executions
from tfprof.loaders.xplane.planes import Plane, Trace
from tfprof.profiles.schema import Array
from tfprof.protos.xplane_pb2 import ProfileOptions

_HOST = "/host:CPU"
_STREAMS = "stream:all"
_ENVIRONMENT = "Task Environment"
_START, _OPTIONS = "profile_start_time", "profile_options"
_LATEST = 2**62


@dataclass(frozen=True, slots=True)
class DeviceTrace:
    """What the host or one of its accelerators ran; `device` is an index in `devices`.

    The first of `devices` is that of compiled programs as a whole.
    """

    ops: OpExecutions
    devices: list[str]
    device: Array
    threads: list[str]
    """The names of the lines that `ops.line` counts."""


class HostTrace:
    """The trace of one host, and how many events of each kind it has, once it is read."""

    def __init__(
        self, file: Path, task: int, *, is_alone: bool, shaped: Container[str] = ()
    ) -> None:
        self._shaped = shaped
        mapped = map_file(file, "an XPlane trace")
        self.trace = Trace(memoryview(mapped), lambda: release_pages(mapped))
        job = "localhost" if is_alone else _job_name(self.trace.hostname, task)
        self._device = f"/job:{job}/replica:0/task:{task}/device"
        self.used: Counter[str] = Counter()
        self.ignored: Counter[str] = Counter()
        self.has_graph_ops = False
        """Whether ops ran that are nodes of a graph, not instructions of a compiled program."""
        self.budget = NameBudget(file, len(self.trace.data))
        """The names that may still be made of those of the trace."""
        self._check_planes(file)
        self.level = _level(self.trace)
        self.hlo = find_hlo(self.trace.planes)
        """The compiled programs: the name of the module and the HLO of each."""
        self.epoch_nanos = _epoch_nanos(self.trace)

    def _check_planes(self, file: Path) -> None:
        count = sum(plane.name == _HOST or is_device(plane) for plane in self.trace.planes)
        if count > MAX_TRACED_DEVICES:
            raise LoadError(
                f"{file}: {count:,} devices, more than {MAX_TRACED_DEVICES:,}; trace each host on"
                " its own"
            )

    def device_traces(self, first_step: int) -> Iterator[DeviceTrace]:
        """What the host ran, and then each accelerator."""
        hosts = [*self._read_hosts(first_step)]
        host = hosts[0] if hosts else None
        devices = [f"{self._device}:cpu:0"]
        device = np.zeros(len(host) if host else 0, np.int32)
        accelerators = []
        for plane in filter(is_device, self.trace.planes):
            ran = read_device_ops(
                plane,
                self.trace.first_ns,
                host,
                {number: module for number, (module, _) in self.hlo.items()},
                self.trace.release,
                self.budget,
            )
            self._count(ran.ops)
            # An op that launches kernels belongs to the accelerator.
            device[ran.launched_by[ran.launched_by >= 0]] = len(devices)
            name = f"{self._device}:{ran.kind}:{ran.number}"
            devices += [name, f"{name}/{_STREAMS}"]
            ops, is_stream = ran.records()
            accelerators.append(DeviceTrace(ops, devices[-2:], is_stream, ran.lines))
        planes = [plane for plane in self.trace.planes if plane.name == _HOST]
        for plane, ops in zip(planes, hosts, strict=True):
            of_op = device if ops is host else np.zeros(len(ops), np.int32)
            yield DeviceTrace(ops, devices, of_op, [line.name for line in plane.lines])
        yield from accelerators

    def _read_hosts(self, first_step: int) -> Iterator[OpExecutions]:
        """The planes of the host, of which there is one; other planes are counted."""
        trace = self.trace
        for plane in trace.planes:
            if plane.name == _HOST:
                ops = read_op_executions(
                    plane,
                    trace.first_ns,
                    first_step,
                    trace.release,
                    self._shaped,
                    budget=self.budget,
                )
                self._count(ops)
                self.has_graph_ops |= bool((ops.program == NO_PROGRAM).any())
                yield ops
            elif not is_device(plane):
                self.ignored[f"plane {plane.name}"] += count_events(plane, trace.release)

    def _count(self, ops: OpExecutions) -> None:
        self.used.update(ops.used)
        self.ignored.update(ops.ignored)


def _job_name(host: str, task: int) -> str:
    """What a host is called in the names of its devices."""
    name = re.sub(r"[^a-z0-9_.-]", "_", host.lower())
    is_ambiguous = any(word in name for word in ("cpu", "gpu", "tpu", "stream", "memcpy"))
    return f"host_{task}" if is_ambiguous or not name else name


def _environment(trace: Trace) -> Plane | None:
    return next((plane for plane in trace.planes if plane.name == _ENVIRONMENT), None)


def _epoch_nanos(trace: Trace) -> int:
    """When the clock of `first_ns` is 0, in nanoseconds since 1970; at least a microsecond."""
    plane = _environment(trace)
    start = plane.stats.get(_START, 0) if plane else 0
    # Older versions have the time of day in every line.
    absolute = trace.first_ns if not isinstance(start, int) or trace.first_ns >= start else start
    return min(max(absolute, 1000), _LATEST)


def _level(trace: Trace) -> int:
    """The level of the host's tracer, 0 if it is not said."""
    plane = _environment(trace)
    options = plane.stats.get(_OPTIONS, b"") if plane else b""
    return ProfileOptions.FromString(options).host_tracer_level if isinstance(options, bytes) else 0
