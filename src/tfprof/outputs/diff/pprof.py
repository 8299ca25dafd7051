"""A diff as a pprof profile: each row is a sample with what its own numbers changed by.

Decreases are negative. pprof shows them as such, and `pprof -diff_base` is not needed.
"""

from __future__ import annotations

import numpy as np

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.metrics import METRICS, Metric
from tfprof.diffs.diff import Diff
from tfprof.errors import OptionError
from tfprof.outputs.document import Document, Message, Rendering, RenderSettings
from tfprof.outputs.flame import to_int64
from tfprof.outputs.pprof.tables import Function, Tables
from tfprof.outputs.pprof.writer import pprof_bytes
from tfprof.profiles.schema import Array
from tfprof.views.view import Frame

_BYTES_PER_FRAME = 8


def render(diff: Diff, settings: RenderSettings) -> Rendering:
    """Render the changes of the selected metrics as a pprof file, and say how to open it."""
    if diff.kind not in ("code", "scope"):
        raise OptionError(f"option 'output': pprof shows code or scope view, not {diff.kind} view")
    path = settings.keys["outfile"]
    metrics = [METRICS[name] for name in dict.fromkeys(diff.options.select)]
    texts = [metric.name for metric in metrics if not metric.measure]
    if texts:
        raise OptionError(f"option 'output': pprof doesn't support -select={texts[0]}")
    frames = int(diff.tree.depth.sum())
    check_output_size(_BYTES_PER_FRAME * frames, "pprof", rows=len(diff), names=0)
    values = np.stack([_self_changes(diff, metric) for metric in metrics], axis=1)
    tables = Tables()
    stacks: list[list[int]] = []
    for row, numbers in enumerate(values.tolist()):
        parent = int(diff.tree.parent[row])
        stacks.append([_location(diff, row, tables), *(stacks[parent] if parent > 0 else ())])
        if any(numbers):
            tables.add_sample(f"{row:09}", stacks[row], [1, *numbers])
    yield Document([pprof_bytes(metrics, tables)], path)
    yield Message(f"{path}: {len(tables.samples):,} samples. Open it with: pprof -http=: {path}")


def _self_changes(diff: Diff, metric: Metric) -> Array:
    """The change of each row without that of its children: its own and that of hidden rows."""
    total = to_int64(diff.numbers.delta.column(metric.measure), metric)
    values = total.copy()
    np.subtract.at(values, diff.tree.parent[1:], total[1:])
    return values


def _location(diff: Diff, row: int, tables: Tables) -> int:
    frame = _frame(diff, row)
    if frame is None:
        name = diff.names[row]
        return tables.location_id("", 0, Function("", name, 0, name))
    return tables.location_id(frame.file, max(frame.line, 0), Function.from_frame(frame))


def _frame(diff: Diff, row: int) -> Frame | None:
    """The line of a row of code view, after; of a removed row before."""
    report, position = diff.after, int(diff.after_row[row])
    if position < 0:
        report, position = diff.before, int(diff.before_row[row])
    frames = report.view.frames
    return frames[int(report.view_positions[position])] if frames and row else None
