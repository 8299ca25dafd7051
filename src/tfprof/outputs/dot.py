"""Graph view for Graphviz: the shown nodes, and which of them feed which."""

from __future__ import annotations

import numpy as np

from tfprof.definitions.metrics import known_metrics
from tfprof.errors import OptionError
from tfprof.flops.flop_columns import format_count
from tfprof.flops.polynomial import Count, exact
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.profiles.schema import Array
from tfprof.reports.report import Report
from tfprof.views.graph import producers


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render a directed graph; selected numbers are part of the labels and attributes of nodes."""
    if report.kind != "graph":
        raise OptionError(f"option 'output': dot shows graph view, not {report.kind} view")
    lines = ["digraph tfprof {", "  node [shape=box];", *_nodes(report)]
    lines += [f"  n{source} -> n{target};" for source, target in _edges(report).tolist()]
    yield Document(["\n".join([*lines, "}", ""]).encode()], settings.keys["outfile"])


def _nodes(report: Report) -> list[str]:
    known = known_metrics(report.quirks)
    metrics = [known[name] for name in dict.fromkeys(report.options.select) if name in known]
    metrics = [metric for metric in metrics if metric.measure]
    ops = report.profile.nodes.op.take(report.node[1:]).to_pylist()
    lines = []
    for row, op in enumerate(ops, 1):
        label, attributes = [_escape(report.names[row]), _escape(op)], ""
        for metric in metrics:
            measure = metric.measure
            own, total = report.own.number(row, measure), report.total.number(row, measure)
            texts = format_count(own, metric.unit), format_count(total, metric.unit)
            label.append(f"{metric.name} {texts[0]} of {texts[1]}")
            attributes += f" own_{metric.name}={_value(own)} total_{metric.name}={_value(total)}"
        text = "\\n".join(label)
        lines.append(f'  n{row} [label="{text}"{attributes}];')
    return lines


def _value(number: Count) -> str:
    """An attribute's value; what is no number is quoted."""
    return str(number) if isinstance(number, int) else f'"{exact(number)}"'


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _edges(report: Report) -> Array:
    """Pairs of rows, producer first, each once."""
    row_of = np.zeros(len(report.profile.nodes) + 1, np.int64)
    row_of[report.node[1:]] = np.arange(1, len(report))
    pairs = np.stack([row_of[producers(report.profile)], row_of[report.profile.edges.consumer]])
    return np.unique(pairs[:, (pairs > 0).all(axis=0)], axis=1).T
