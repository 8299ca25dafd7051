"""A report as the messages that the original returns: GraphNodeProto and MultiGraphNodeProto."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tfprof.metrics import MEASURES
from tfprof.outputs.refusals import refusal
from tfprof.outputs.tensor_value import Values
from tfprof.profiles.columns import starts
from tfprof.profiles.inputs import input_shapes_of
from tfprof.profiles.runs import runs_of
from tfprof.protos import output_pb2
from tfprof.views.view import ROOT

if TYPE_CHECKING:
    from tfprof.report import Report

__all__ = ["result"]

_GraphNode: Any = output_pb2.GraphNodeProto
_MultiGraphNode: Any = output_pb2.MultiGraphNodeProto

_FIELDS = [name for name in MEASURES if name != "macs"]
_OWN_FIELDS = [name for name in _FIELDS if name != "definition_count"]
_TOTAL_FIELDS = [f"total_{name}" for name in _FIELDS]
_LARGEST = 2**63 - 1


def result(report: Report) -> Any:
    """The message of a report, of any depth."""
    is_graph = report.kind in ("scope", "graph")
    root = output_pb2.GraphNodeProto() if is_graph else output_pb2.MultiGraphNodeProto()
    if not report.shown:
        return root
    if report.quirks.refusals_are_notes:
        output = report.options.output.partition(":")[0]
        if refusal(report, output):
            root.name = ROOT
            return root
        if output == "timeline" and report.kind == "graph" and report.options.step < 0:
            return root
    _fill_tree(report, root, _GraphNodes(report) if is_graph else _MultiNodes(report))
    if "macs" in report.options.select:
        _add_macs(report, root)
    return root


def _add_macs(report: Report, root: Any) -> None:
    """Fill in what the original's messages do not have, if it was asked for."""
    at = MEASURES.index("macs")
    own, total = (np.minimum(numbers[:, at], _LARGEST) for numbers in (report.own, report.total))
    waiting = [root]
    for mine, all_of_it in zip(own.tolist(), total.tolist(), strict=True):
        message = waiting.pop()
        message.macs, message.total_macs = mine, all_of_it
        waiting += reversed(message.children)


def _fill_tree(report: Report, root: Any, fill: Any) -> None:
    """Make a message per row, under the message of its parent."""
    made = [root]
    fill(root, 0)
    parents = report.tree.parent.tolist()
    for row in range(1, len(parents)):
        message = made[parents[row]].children.add()
        fill(message, row)
        made.append(message)


def _table(numbers: Any, fields: list[str], kept: list[int]) -> list[dict[str, int]]:
    """For each row the fields that are not zero."""
    rows = np.minimum(numbers[:, kept], _LARGEST).tolist()
    return [{name: value for name, value in zip(fields, row, strict=True) if value} for row in rows]


_OWN_COLUMNS = [MEASURES.index(name) for name in _OWN_FIELDS]
_ALL_COLUMNS = [MEASURES.index(name) for name in _FIELDS]


class _GraphNodes:
    """Fills the message of a row of scope or graph view."""

    def __init__(self, report: Report) -> None:
        self.names = report.names
        self.node = report.node.tolist()
        self.own = _table(report.own, _OWN_FIELDS, _OWN_COLUMNS)
        self.total = _table(report.total, _TOTAL_FIELDS, _ALL_COLUMNS)
        self.details = _Details(report)
        self.values = Values(report)

    def __call__(self, message: Any, row: int) -> None:
        own = self.own[row]
        message.MergeFrom(_GraphNode(name=self.names[row], **own, **self.total[row]))
        if self.node[row] >= 0:
            self.details(message, self.node[row])
            value = self.values.message(self.names[row])
            if value is not None:
                message.tensor_value.CopyFrom(value)


class _Details:
    """Fills in the device and the input shapes of a node."""

    def __init__(self, report: Report) -> None:
        profile = report.profile
        runs = runs_of(profile, report.quirks)
        self.devices = profile.devices
        self.device = runs.device.tolist()
        inputs = input_shapes_of(profile, report.quirks)
        self.start = inputs.start.tolist()
        self.index = inputs.index.tolist()
        self.at = starts(inputs.shape).tolist()
        self.sizes = inputs.shape.flatten().to_pylist()

    def __call__(self, message: Any, node: int) -> None:
        device = self.device[node]
        if device >= 0:
            message.devices.append(self.devices[device])
        for edge in range(self.start[node], self.start[node + 1]):
            shape = message.input_shapes[self.index[edge]]
            first, last = self.at[edge], self.at[edge + 1]
            if first == last:
                shape.unknown_rank = True
            for size in self.sizes[first:last]:
                shape.dim.add(size=size)


class _MultiNodes:
    """Fills the message of a row of op or code view, with the nodes that count there."""

    def __init__(self, report: Report) -> None:
        self.names = report.names
        fields = [name for name in _OWN_FIELDS if name != "run_count"]
        own_columns = [MEASURES.index(name) for name in fields]
        self.own = _table(report.own, fields, own_columns)
        self.total = _table(report.total, [f"total_{name}" for name in fields], own_columns)
        member, self.bounds = report.members
        self.members = member.tolist()
        names = report.profile.nodes.name.take(member).to_pylist()
        self.member_names = names
        self.numbers = _table(report.numbers[member], _OWN_FIELDS, _OWN_COLUMNS)
        self.details = _Details(report)

    def __call__(self, message: Any, row: int) -> None:
        message.MergeFrom(_MultiGraphNode(name=self.names[row], **self.own[row], **self.total[row]))
        if row == 0:
            return
        first, last = self.bounds[row].tolist()
        for position in range(first, last):
            own = self.numbers[position]
            totals = {f"total_{name}": value for name, value in own.items()}
            node = message.graph_nodes.add(
                name=self.member_names[position], total_definition_count=1, **own, **totals
            )
            self.details(node, self.members[position])
