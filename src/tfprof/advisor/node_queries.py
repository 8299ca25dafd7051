"""Queries that checkers share: op types, devices, average times, the largest nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.advisor.finding import Amount, Evidence
from tfprof.definitions.quirks import Quirks
from tfprof.profiles.devices import is_accelerator
from tfprof.profiles.executions import Executions, executions_of
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import Array, BoolArray
from tfprof.profiles.user_code import describe_user_line
from tfprof.reports.measures import measures
from tfprof.runtime.lazy import cached_property

INPUT = re.compile(
    r"(MultiDevice)?(Iterator|Optional)(V2)?Get(Next|Value).*|(Queue|.*_)?Dequeue.*|Reader(Read|Restore).*"
    r"|(Map|OrderedMap)?Unstage.*|InfeedDequeue.*"
)
"""Op types that wait for the input pipeline."""

TRANSFER = re.compile(
    r"_?(Host)?(Send|Recv)|_?(Xla)?(Send|Recv)(From|To)(Host|Device).*|CopyHost|Copy"
)
"""Op types that move tensors between devices."""

IDLE = re.compile(
    r"Const|Placeholder.*|Variable|VariableV2|VarHandleOp|NoOp|_Arg|_Retval|ReadVariableOp|Identity"
    r"|_SOURCE|_SINK|Shape|Enter|Exit|Switch|Merge|NextIteration|LoopCond"
)
"""Op types that compute nothing."""


time = partial(Amount, unit="time")
size = partial(Amount, unit="memory")
count = partial(Amount, unit="number")
share = partial(Amount, unit="share")


@dataclass(frozen=True)
class NodeQueries:
    """A profile's nodes, averaged over its steps."""

    profile: Profile
    quirks: Quirks

    @cached_property
    def executions(self) -> Executions:
        """The executions of all nodes."""
        return executions_of(self.profile, self.quirks)

    def measure(self, name: str) -> Array:
        """One measure of every node."""
        column: Array = measures(self.profile, self.quirks)[:, name]
        return column

    @cached_property
    def micros(self) -> Array:
        """The time of every node, on CPU and accelerator."""
        return self.measure("exec_micros")

    @cached_property
    def _ops(self) -> tuple[list[str], Array]:
        """Distinct op types, and which each node has. For a node without a graph it is its name."""
        nodes = self.profile.nodes
        codes = nodes.op.dictionary_encode()
        names = [_op_of(op) for op in codes.dictionary.to_pylist()]
        table = {name: i for i, name in enumerate(dict.fromkeys(names))}
        code = np.array([table[name] for name in names], np.int64)
        return list(table), code[codes.indices.to_numpy()] if len(code) else code

    @property
    def op_types(self) -> list[str]:
        """The distinct op types."""
        return self._ops[0]

    @property
    def op_code(self) -> Array:
        """Which of the op types each node has."""
        return self._ops[1]

    def has_op_type(self, pattern: re.Pattern[str]) -> BoolArray:
        """Which nodes have an op type that matches."""
        matches = np.array([bool(pattern.fullmatch(op)) for op in self.op_types], bool)
        return matches[self.op_code] if len(matches) else np.zeros(0, bool)

    def is_in_scope(self, *scopes: str) -> BoolArray:
        """Which nodes are in one of some outermost scopes."""
        pattern = f"^({'|'.join(map(re.escape, scopes))})/"
        mask: BoolArray = pc.match_substring_regex(self.profile.nodes.name, pattern).to_numpy(
            zero_copy_only=False
        )
        return mask

    @property
    def outermost_scope(self) -> tuple[Array, int]:
        """A number for the outermost scope of each node, and how many there are."""
        names = pc.replace_substring_regex(self.profile.nodes.name, "/.*", "").dictionary_encode()
        return names.indices.to_numpy(), max(len(names.dictionary), 1)

    def device(self, node: int) -> str:
        """The device that a node was placed on first."""
        device = int(self.executions.device[node])
        return self.profile.devices[device] if device >= 0 else ""

    def on_devices(self, flags: Iterable[bool]) -> BoolArray:
        """Which nodes are placed on a device whose flag is set."""
        mask: BoolArray = np.array([*flags, False], bool)[self.executions.device]
        return mask

    @cached_property
    def accelerators(self) -> list[bool]:
        """Which devices are accelerators."""
        devices = self.profile.devices
        if self.quirks.cpu_and_gpu_only:
            return ["gpu" in device for device in devices]
        return [is_accelerator(device) for device in devices]

    def name(self, node: int) -> str:
        """The name of a node."""
        name: str = self.profile.nodes.name[node].as_py()
        return name

    def largest(self, values: Array, among: BoolArray, top: int) -> list[int]:
        """The nodes with the largest values that are not zero; ties by name."""
        nodes = np.flatnonzero(among & (values > 0))
        if len(nodes) > 4 * top:
            bound = np.partition(values[nodes], -top)[-top] if top else 0
            nodes = nodes[values[nodes] >= bound]
        names = self.profile.nodes.name.take(pa.array(nodes)).to_pylist()
        ranked = sorted(zip(-values[nodes], names, nodes, strict=True))
        return [int(node) for *_, node in ranked[:top]]

    def micros_by_op_type(self, among: BoolArray) -> Array:
        """The time of some nodes, summed by op type."""
        micros: Array = np.bincount(
            self.op_code[among], self.micros[among].astype(float), len(self.op_types)
        )
        return micros

    def most_expensive(self, code: int, among: BoolArray) -> int:
        """The node of an op type that takes the most time."""
        nodes = np.flatnonzero(among & (self.op_code == code))
        return int(nodes[np.argmax(self.micros[nodes])])

    def evidence(self, node: int, **numbers: Amount) -> Evidence:
        """A row of evidence about a node."""
        return Evidence(
            self.name(node),
            numbers,
            self.op_types[int(self.op_code[node])],
            self.device(node),
            describe_user_line(self.profile, node),
        )


def _op_of(op: str) -> str:
    """An op type; of a runtime name such as `model/dense/MatMul_1`, its last part."""
    return re.sub(r"_\d+$", "", op.rpartition("/")[2]) if "/" in op else op
