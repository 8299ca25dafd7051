"""Graph view for Graphviz: the shown nodes, and which of them feed which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tfprof.definitions.metrics import known_metrics
from tfprof.definitions.units import FORMATS
from tfprof.errors import OptionError
from tfprof.outputs.files import write_file
from tfprof.profiles.schema import Array
from tfprof.views.graph import producers

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["write"]


def write(report: Report, keys: Mapping[str, str]) -> None:
    """Write a directed graph; selected numbers are part of the labels and attributes of nodes."""
    if report.kind != "graph":
        raise OptionError(f"option 'output': dot shows graph view, not {report.kind} view")
    lines = ["digraph tfprof {", "  node [shape=box];", *_nodes(report)]
    lines += [f"  n{source} -> n{target};" for source, target in _edges(report).tolist()]
    write_file(keys["outfile"], "\n".join([*lines, "}", ""]).encode())


def _nodes(report: Report) -> list[str]:
    known = known_metrics(report.quirks)
    numbers = [known[name] for name in dict.fromkeys(report.options.select) if name in known]
    numbers = [metric for metric in numbers if metric.measure]
    ops = report.profile.nodes.op.take(report.node[1:]).to_pylist()
    found = []
    for row, op in enumerate(ops, 1):
        label, attributes = [_escaped(report.names[row]), _escaped(op)], ""
        for metric in numbers:
            own = report.own[row, metric.measure]
            total = report.total[row, metric.measure]
            form = FORMATS[metric.unit]
            label.append(f"{metric.name} {form(own)} of {form(total)}")
            attributes += f" own_{metric.name}={own} total_{metric.name}={total}"
        text = "\\n".join(label)
        found.append(f'  n{row} [label="{text}"{attributes}];')
    return found


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _edges(report: Report) -> Array:
    """Pairs of rows, producer first, each once."""
    row_of = np.zeros(len(report.profile.nodes) + 1, np.int64)
    row_of[report.node[1:]] = np.arange(1, len(report))
    pairs = np.stack([row_of[producers(report.profile)], row_of[report.profile.edges.consumer]])
    return np.unique(pairs[:, (pairs > 0).all(axis=0)], axis=1).T
