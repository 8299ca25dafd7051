"""Profiles that grow: what the original's process-wide profiler is, as often as one likes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof.definitions.options import Options
from tfprof.definitions.quirks import quirks_for
from tfprof.flops.count_nodes import with_float_ops
from tfprof.loaders.graph_def import GraphColumns, read_graph
from tfprof.loaders.inputs import Source
from tfprof.loaders.op_log import read_op_log
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import LogEntries, Records
from tfprof.recording.build_profile import (
    Model,
    add_run,
    log_columns,
    model_log,
    with_flop_warnings,
    with_saved_traces,
)
from tfprof.recording.live_graph import read_live_graph
from tfprof.recording.tensorflow_objects import live_graph
from tfprof.reports.report import Report, make_report
from tfprof.resolve.runtime_shapes import with_runtime_shapes

__all__ = ["Session"]


class Session:
    """A profile that steps are added to.

    In compat a view keeps the structure it had when it was first asked for, until a graph node is
    added. `notes` is what to tell about the last addition.
    """

    def __init__(self, graph: Any = None, op_log: Source = None, *, compat: bool = False) -> None:
        self.quirks = quirks_for(compat)
        self.profile = Profile()
        self.notes: list[str] = []
        self._built: dict[str, Profile] = {}
        live = None if graph is None else live_graph(graph)
        self._model = Model(live=live)
        self._version: Any = None
        # The output shapes as far as runs have completed them; compat does not show them.
        self._shapes: pa.Array = self.profile.nodes.output_shapes
        self._float_ops_logged = False
        if live is not None:
            self._grow_live(op_log)
            return
        self._add_graph(graph)
        self._add_op_log(op_log)
        self.profile = with_saved_traces(self.profile, graph, self.quirks)

    def add_step(
        self, step: int, run_meta: Source, *, graph: Source = None, op_log: Source = None
    ) -> None:
        """Add a graph, a run and an op log, in this order."""
        if self._model.live is not None:
            self._grow_live(op_log, step, run_meta)
            return
        self._add_graph(graph)
        self.profile = add_run(self.profile, step, run_meta, self.quirks)
        self._add_op_log(op_log)

    def report(self, kind: str, options: Mapping[str, Any] | Options | None = None) -> Report:
        """The report of a view."""
        built = None
        if self.quirks.views_built_once:
            built = self._built.setdefault(kind, self.profile)
        return make_report(
            self.profile, kind, Options.build(options, self.quirks), self.quirks, built_from=built
        )

    @property
    def built(self) -> Mapping[str, Profile]:
        """The profile that each view shows the structure of, if that is not the present one."""
        return self._built

    def serialize(self) -> bytes:
        """The ProfileProto of all that was added."""
        from tfprof.outputs.protobuf.profile_proto import serialized

        return serialized(self.profile, self.quirks)

    def _with_graph(self, columns: GraphColumns) -> None:
        grown = self.profile.with_graph(columns)
        if grown is not self.profile:
            self._built.clear()
        self.profile = grown

    def _add_graph(self, graph: Source) -> None:
        if graph is not None:
            self._with_graph(read_graph(graph))

    def _add_op_log(self, op_log: Source) -> None:
        """Add an op log; while none has float operations they are counted, anew for every run."""
        if op_log is not None:
            log = read_op_log(op_log)
            if log.float_ops.any() and not self._float_ops_logged:
                nodes = self.profile.nodes
                nodes = replace(nodes, float_ops=np.zeros_like(nodes.float_ops))
                self.profile = self.profile.changed(
                    nodes=nodes, inner=LogEntries.empty(), uncounted=""
                )
                self._float_ops_logged = True
            self.profile = self.profile.with_op_log(log)
        if not self._float_ops_logged:
            self.profile = with_float_ops(self.profile, self.quirks)

    def _grow_live(self, op_log: Source, step: int = 0, run_meta: Source = None) -> None:
        """Add what is new in a live graph, a run, and what both tell of float operations."""
        model, quirks = self._model, self.quirks
        grown = self._version != model.version
        if grown:
            self._with_graph(read_live_graph(model.live, quirks))
            self._version = model.version
        before = len(self.profile.records)
        if run_meta is not None:
            self.profile = add_run(self.profile, step, run_meta, quirks)
        shaped = self._completed(self.profile.records[before:])
        log, counted = model_log(model, shaped, quirks, traces=grown)
        if not grown:
            log = replace(log, trainable=[])
        self.profile = self.profile.with_op_log(log_columns(log, op_log, quirks))
        self.profile, more = with_flop_warnings(
            self.profile, counted, quirks, has_run=run_meta is not None
        )
        self.notes += more

    def _completed(self, runs: tuple[Records, ...]) -> Profile:
        """The profile with all shapes that are known by now, new runs included."""
        nodes = self.profile.nodes
        rest = nodes.output_shapes.slice(len(self._shapes))
        known = pa.concat_arrays([self._shapes, rest])
        shaped = self.profile.changed(nodes=replace(nodes, output_shapes=known))
        shaped, self.notes = with_runtime_shapes(shaped, self.quirks, runs)
        self._shapes = shaped.nodes.output_shapes
        if not self.quirks.exact_runtime_names:
            self.profile = shaped
        return shaped
