"""A profile: tables of nodes, edges, types, records and stacks, never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.quirks import REPAIRED, Quirks
from tfprof.errors import OptionError
from tfprof.profiles.add_rows import (
    as_dictionary,
    index_in,
    is_first_occurrence,
    make_checkpoint_nodes,
    make_graph_nodes,
    make_runtime_nodes,
    match_nodes,
    merge_names,
)
from tfprof.profiles.make_records import records_of_run, records_of_steps
from tfprof.profiles.schema import (
    Array,
    BoolArray,
    Calls,
    Edges,
    LogEntries,
    Nodes,
    ProfileProtoRuns,
    Records,
    Stacks,
)
from tfprof.profiles.source_columns import GraphColumns, LogColumns, RunColumns
from tfprof.profiles.string_columns import strings
from tfprof.profiles.trace_facts import TraceFacts

if TYPE_CHECKING:
    from tfprof.loaders.checkpoint import Checkpoint

T = TypeVar("T")

_CHECKPOINT_TYPE = "_checkpoint_variables"


@dataclass(frozen=True, eq=False, repr=False)
class Profile:
    """Everything known of a model. Methods `with_…` return new profiles that share its columns."""

    nodes: Nodes = field(default_factory=Nodes.empty)
    edges: Edges = field(default_factory=Edges.empty)
    type_node: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    type_name: pa.Array = field(default_factory=strings)
    records: tuple[Records, ...] = ()
    saved: tuple[ProfileProtoRuns, ...] = ()
    stacks: tuple[Stacks, ...] = ()
    strings: Mapping[int, str] = field(default_factory=dict)
    devices: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    has_trace: bool = False
    exact_durations: bool = False
    """Whether a record of 0us took less than half of one; otherwise it counts as 1us."""
    trace: TraceFacts | None = None
    """What is known of the XPlane trace that it was read from, if it was."""
    missing_stream: bool = False
    saved_missing_stream: bool = False
    checkpoint: Checkpoint | None = None
    libraries: tuple[bytes, ...] = ()
    """The serialized graphs that have functions."""
    unmatched: LogEntries = field(default_factory=LogEntries.empty)
    """The entries of op logs whose names no node has; nodes of functions may have them."""
    saved_flops: LogEntries = field(default_factory=LogEntries.empty)
    """Float operations that were counted when the profile's tables were saved."""
    calls: Calls | None = None
    """Which call each node belongs to, once functions are inlined (see `tfprof.resolve`)."""
    secondary_records: tuple[BoolArray, ...] = ()
    """For each RunMetadata, which records are not runs of the nodes that they are matched to."""
    warnings: tuple[str, ...] = ()
    """Which functions could not be inlined."""
    roots: tuple[str, ...] = ()
    """The nodes that the graph is run for; without any, all of them."""
    input_names: Mapping[str, str] = field(default_factory=dict)
    """What the signature calls its placeholders; names of symbols for unknown sizes."""
    bind: Mapping[str, int] = field(default_factory=dict)
    """Sizes for symbols such as `B`, with which float operations are counted."""
    count_float_ops: bool = True
    """Whether float operations that no op log has are counted when they are asked for."""
    compat: bool = False
    """Whether it was loaded to answer like the original, unless another answer is asked for."""
    source: Profile | None = None
    """Of a resolved profile, the one it was made from (see `tfprof.resolve`)."""
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    def memoize(self, key: Any, make: Callable[[], T]) -> T:
        """The value that `make` computes from the columns alone, computed once."""
        if key not in self._cache:
            self._cache[key] = make()
        value: T = self._cache[key]
        return value

    def __repr__(self) -> str:
        """Its size."""
        return f"<Profile: {len(self.nodes):,} nodes, {len(self.steps):,} steps>"

    def __getstate__(self) -> dict[str, Any]:
        """All columns; a copy in another process computes the rest itself."""
        return {**self.__dict__, "_cache": {}}

    def replace(self, **columns: Any) -> Profile:
        """A profile with some columns replaced, and nothing computed from them yet."""
        return replace(self, **columns, _cache={})

    def with_graph(self, graph: GraphColumns) -> Profile:
        """Add the nodes of a graph. The first node of a name wins."""
        new = is_first_occurrence(graph.name) & (index_in(graph.name, self.nodes.name) < 0)
        if not new.any():
            return self
        rows = pa.array(np.flatnonzero(new))
        all_new = bool(new.all())

        def pick(column: pa.Array) -> pa.Array:
            return column if all_new else column.take(rows)

        columns = (graph.name, graph.op, graph.attrs, graph.shape, graph.output_shapes)
        nodes = make_graph_nodes(*map(pick, columns))
        new_id = np.cumsum(new, dtype=np.int32) + np.int32(len(self.nodes) - 1)
        is_new = new[graph.input_node]
        edges = Edges(
            new_id[graph.input_node[is_new]],
            graph.input_index[is_new],
            graph.input_name if all_new else graph.input_name.filter(pa.array(is_new)),
            graph.input_output[is_new],
        )
        return self.replace(
            nodes=self.nodes.concat(nodes),
            edges=self.edges.concat(edges),
            libraries=self._libraries_with(graph),
            roots=graph.roots,
            input_names={**self.input_names, **graph.input_names},
        )

    def _libraries_with(self, graph: GraphColumns) -> tuple[bytes, ...]:
        """The graphs with functions; one that has all nodes of the others replaces them."""
        if not graph.library:
            return self.libraries
        known = self.nodes.name.filter(pa.array(self.nodes.in_graph))
        superset = bool(pc.all(pc.is_in(known, value_set=graph.name)).as_py())
        return (graph.library,) if superset else (*self.libraries, graph.library)

    def with_run(self, step: int, run: RunColumns, quirks: Quirks = REPAIRED) -> Profile:
        """Add the records of a run to a step, and nodes for names that only the run has."""
        return self.with_runs([(step, run)], quirks)

    def with_runs(
        self, runs: Iterable[tuple[int, RunColumns]], quirks: Quirks = REPAIRED
    ) -> Profile:
        """Add the records of runs to their steps, as one after the other, but faster."""
        runs = list(runs)
        for step, _ in runs:
            check_step(step, quirks)
        names = [as_dictionary(run.name) for _, run in runs]
        distinct = pa.concat_arrays([column.dictionary for column in names])
        nodes, unknown = match_nodes(distinct, self.nodes.name)
        ends = np.cumsum([len(column.dictionary) for column in names])
        devices, records, missing_stream = self.devices, [*self.records], self.missing_stream
        for (step, run), column, of_name in zip(
            runs, names, np.split(nodes, ends[:-1]), strict=True
        ):
            node = of_name[column.indices.to_numpy()]
            devices, device_codes = merge_names(devices, run.devices)
            records.append(records_of_run(step, run, node, device_codes))
            gpus = [device for device in run.devices if "gpu" in device]
            missing_stream |= bool(gpus) and not any("stream:all" in device for device in gpus)
        return self.replace(
            nodes=self.nodes.concat(make_runtime_nodes(unknown)) if len(unknown) else self.nodes,
            devices=devices,
            records=tuple(records),
            steps=tuple(sorted({*self.steps, *(step for step, _ in runs)})),
            missing_stream=missing_stream,
        )

    def with_trace(self, run: RunColumns, step: Array) -> Profile:
        """Add the records of a trace, which are sorted by step, each to its step."""
        if len(step):
            check_step(int(step[0]), REPAIRED)
        node, unknown = match_nodes(run.name, self.nodes.name)
        devices, device_codes = merge_names(self.devices, run.devices)
        records = records_of_steps(run, node, step, device_codes)
        gpus = [device for device in run.devices if "gpu" in device]
        missing_stream = bool(gpus) and not any("stream:all" in device for device in gpus)
        return self.replace(
            nodes=self.nodes.concat(make_runtime_nodes(unknown)) if len(unknown) else self.nodes,
            devices=devices,
            records=(*self.records, *records),
            steps=tuple(sorted({*self.steps, *(part.step for part in records)})),
            missing_stream=self.missing_stream or (missing_stream and len(step) > 0),
        )

    def with_op_log(self, log: LogColumns) -> Profile:
        """Add types, float operations and stacks to the nodes that an op log names."""
        before = sum(len(stacks) for stacks in self.stacks)
        stack = log.entries.stack
        entries = replace(log.entries, stack=np.where(stack >= 0, stack + before, -1))
        profile = self.with_log_entries(entries)
        unmatched = LogEntries.empty()
        if self.libraries:
            unmatched = entries.filter(index_in(entries.name, self.nodes.name) < 0)
        is_used = (profile.nodes.stack >= before).any() or (unmatched.stack >= 0).any()
        return profile.replace(
            stacks=(*self.stacks, log.stacks) if is_used else self.stacks,
            unmatched=self.unmatched.concat(unmatched),
            strings={**log.stacks.strings, **self.strings},
        )

    def with_log_entries(self, entries: LogEntries) -> Profile:
        """Apply entries to the nodes they name. The last float operations, the first stack win."""
        ids = index_in(entries.name, self.nodes.name)
        known = ids >= 0
        if not known.any():
            return self
        float_ops, stack = self.nodes.float_ops.copy(), self.nodes.stack.copy()
        counted = known & (entries.float_ops != 0)
        float_ops[ids[counted]] = entries.float_ops[counted]
        # The last assignment stays, so assign from the last entry to the first.
        traced = np.flatnonzero(known & (entries.stack >= 0))[::-1]
        new = traced[stack[ids[traced]] < 0]
        stack[ids[new]] = entries.stack[new]
        profile = self.replace(
            nodes=replace(self.nodes, float_ops=float_ops, stack=stack),
            has_trace=self.has_trace or bool(len(traced)),
        )
        owner = ids[entries.type_entry]
        return profile.with_types(owner[owner >= 0], entries.type.filter(pa.array(owner >= 0)))

    def misses_stream(self, quirks: Quirks) -> bool:
        """Whether a GPU ran without a device for its streams, or in a saved profile did."""
        saved = self.saved_missing_stream and not quirks.warning_lost_on_load
        return self.missing_stream or saved

    @property
    def coverage(self) -> float:
        """The share of nodes that ran; runtime nodes count from their second record on."""
        return self.memoize("coverage", self._coverage)

    def _coverage(self) -> float:
        count = np.zeros(len(self.nodes), np.int64)
        for records in self.records:
            np.add.at(count, records.node, 1)
        for saved in self.saved:
            count[saved.execution_node] += 1
        covered = int((count > np.where(self.nodes.in_graph, 0, 1)).sum())
        return covered / (len(self.nodes) + 1e-10)

    def with_type(self, type_name: str, names: pa.Array) -> Profile:
        """Add a type to the nodes of some names."""
        ids = index_in(names, self.nodes.name)
        ids = ids[ids >= 0]
        return self.with_types(ids, strings([type_name] * len(ids)))

    def with_types(self, node: Array, type_name: pa.Array) -> Profile:
        """Add a type to each of some nodes."""
        return self.replace(
            type_node=np.concatenate([self.type_node, node.astype(np.int32)]),
            type_name=pa.concat_arrays([self.type_name, type_name]),
        )

    def with_checkpoint(self, checkpoint: Checkpoint) -> Profile:
        """Mark the nodes whose values a checkpoint has. Without a graph it gives the nodes."""
        nodes = self.nodes
        if not nodes.in_graph.any():
            known = set(nodes.name.to_pylist())
            shapes = {
                name: checkpoint.tensors[key].shape
                for key, name in checkpoint.names.items()
                if name not in known
            }
            nodes = nodes.concat(make_checkpoint_nodes(shapes))
        marked = self.replace(nodes=nodes, checkpoint=checkpoint)
        return marked.with_type(_CHECKPOINT_TYPE, strings(marked.checkpoint_keys))

    @property
    def checkpoint_keys(self) -> dict[str, str]:
        """The checkpoint key of each node name that has one. In TensorFlow 1 keys are names."""
        checkpoint = self.checkpoint
        if checkpoint is None:
            return {}
        return self.memoize(
            "checkpoint keys",
            lambda: {
                **{name: key for key, name in checkpoint.names.items()},
                **{key: key for key in checkpoint.tensors},
            },
        )


def check_step(step: int, quirks: Quirks) -> None:
    """Refuse a step that is no number of one."""
    if step < 0 and not quirks.negative_steps:
        raise OptionError(f"step {step}: steps are numbered from 0")
