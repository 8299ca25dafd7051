"""Small models and their traced steps, made by hand for one checker each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import tfprof
from tfprof.api.profile import Profile
from tfprof.protos import graph_pb2, log_pb2, run_metadata_pb2

__all__ = ["CPU", "GPU", "STREAM", "Model"]

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
STREAM = f"{GPU}/stream:all"


@dataclass
class Model:
    """A graph, steps and an op log that grow call by call."""

    graph: graph_pb2.GraphDef = field(default_factory=graph_pb2.GraphDef)
    steps: list[run_metadata_pb2.RunMetadata] = field(default_factory=list)
    log: log_pb2.OpLogProto = field(default_factory=log_pb2.OpLogProto)

    def node(
        self, name: str, op: str, *inputs: str, shape: Any = None, text: str = "", **attrs: Any
    ) -> Model:
        """A node; `text` is the source line that made it, `attrs` are strings or types."""
        node = self.graph.node.add(name=name, op=op, input=inputs)
        if shape is not None:
            node.attr["shape"].shape.SetInParent()
            for size in shape:
                node.attr["shape"].shape.dim.add(size=size)
        for key, value in attrs.items():
            if isinstance(value, bytes):
                node.attr[key].s = value
            else:
                node.attr[key].type = value
        if text:
            entry = self.log.log_entries.add(name=name)
            table = self.log.id_to_string
            for number, string in enumerate(("none", "/home/me/model.py", "build"), 1):
                table[number] = string
            table[len(table) + 1] = text
            trace = entry.code_def.traces.add(lineno=len(self.graph.node), file_id=2)
            trace.function_id, trace.line_id = 3, len(table)
        return self

    def counted(self, name: str, float_ops: int) -> Model:
        """The float operations of a node."""
        self.log.log_entries.add(name=name, float_ops=float_ops)
        return self

    def step(self) -> Model:
        """A new step, which the records that follow belong to."""
        self.steps.append(run_metadata_pb2.RunMetadata())
        return self

    def ran(
        self,
        name: str,
        start: int,
        micros: int,
        *,
        on: str = CPU,
        output: int = 0,
        peak: int = 0,
        live: int = 0,
        allocator: str = "cpu",
        allocations: tuple[tuple[int, int], ...] = (),
        persistent: int = 0,
    ) -> Model:
        """A record of the current step."""
        stats = self.steps[-1].step_stats
        known = [device for device in stats.dev_stats if device.device == on]
        device = known[0] if known else stats.dev_stats.add(device=on)
        record = device.node_stats.add(
            node_name=name, all_start_micros=start, op_end_rel_micros=micros
        )
        if output:
            memory = record.output.add(slot=0).tensor_description.allocation_description
            memory.allocated_bytes = memory.requested_bytes = output
        if peak or allocations:
            used = record.memory.add(
                allocator_name=allocator, total_bytes=peak, peak_bytes=peak, live_bytes=live
            )
            for when, size in allocations:
                used.allocation_records.add(alloc_micros=when, alloc_bytes=size)
        if persistent:
            record.memory_stats.persistent_memory_size = persistent
        return self

    def load(self, *, compat: bool = False) -> Profile:
        """The profile of all that."""
        log = self.log if self.log.log_entries else None
        return tfprof.load(self.graph, list(self.steps), log, compat=compat)

    def calls(self) -> list[tuple[Any, ...]]:
        """The same for the original, as calls of `tests.oracle.original`."""
        graph, log = self.graph.SerializeToString(), self.log.SerializeToString()
        steps = [step.SerializeToString() for step in self.steps]
        added = [("add_step", number, b"", step, b"") for number, step in enumerate(steps)]
        return [("new", graph, log), *added]
