"""Folded stacks, the input of flamegraph.pl and many others: a line `a;b;c number` per row."""

from __future__ import annotations

from tfprof.definitions.limits import max_output_bytes
from tfprof.errors import OutputError
from tfprof.outputs.document import Document, Rendering, RenderSettings
from tfprof.outputs.flame import display_tree, selected_metrics, self_values
from tfprof.reports.report import Report

_UNSAFE = str.maketrans({";": ":", "\n": " ", "\r": " "})


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render the first selected metric; the root has what no shown row has."""
    metric = selected_metrics(report, "folded")[0]
    values = self_values(report, metric).tolist()
    stacks = _stacks(report)
    lines = [f"{stack} {value}\n" for stack, value in zip(stacks, values, strict=True) if value]
    yield Document(["".join(lines).encode()], settings.keys["outfile"])


def _stacks(report: Report) -> list[str]:
    """For each row the names from the root's child to its own.

    In scope view a name is written without the parent's that it begins with.
    """
    names, parents = report.names, display_tree(report).parent.tolist()
    stacks, size = [names[0]], 0
    max_size = max_output_bytes(len(names), sum(map(len, names)))
    for row in range(1, len(names)):
        parent, name = parents[row], names[row]
        if report.kind == "scope":
            name = name.removeprefix(names[parent] + "/")
        name = name.translate(_UNSAFE)
        stacks.append(f"{stacks[parent]};{name}" if parent else name)
        size += len(stacks[-1])
        if size > max_size:
            raise OutputError("folded: the stacks are too deep to be written out; use speedscope")
    return stacks
