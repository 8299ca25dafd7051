"""A report as text: legend, header line and rows.

Rows are put together a column at a time, each number formatted once however often it occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.metrics import Metric, columns, legend
from tfprof.definitions.options import Options, format_options
from tfprof.definitions.units import FORMATS
from tfprof.outputs.encoding.cells import Cell, optional, separated
from tfprof.outputs.encoding.number_format import own_and_total
from tfprof.outputs.encoding.row_encoder import (
    DictColumn,
    Piece,
    encode_rows,
    lengths_of,
)
from tfprof.outputs.input_shapes import node_inputs, op_input_lines
from tfprof.profiles.executions import executions_of
from tfprof.profiles.schema import Array, group_offsets, list_offsets
from tfprof.reports.account import type_lists
from tfprof.reports.measures import scalars
from tfprof.views.view import GRAPH_ROOT_TYPE, SCOPE_TYPE

if TYPE_CHECKING:
    from tfprof.reports.report import Report

Buffer = bytes | memoryview

__all__ = ["blocks", "encoded", "header", "legend_text", "options_block", "with_banners"]

_VIEW_LEGENDS = {
    "scope": "scope: The nodes in the model graph are organized by their names, which is "
    "hierarchical like filesystem.",
    "graph": "graph: The nodes in the model graph are organized by their operation input and "
    "output.",
    "code": "code: When python trace is available, the nodes are python lines and their are "
    "organized by the python call stack.",
    "op": "op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes belonging "
    "to the same type are aggregated together.",
}
_BREAKS = {"\n": r"\n", "\t": r"\t"}
_WRITTEN_OUT = str.maketrans(_BREAKS)
_MISSING_STREAM = (
    "\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
    "It's likely a gpu tracing issue rather than tf-profiler issue.\n"
    "If you found your operation missing accelerator time, consider to post to "
    "discuss@tensorflow.org!\n\n"
)


def encoded(report: Report, *, legend: bool | None = None, one_line: bool = False) -> bytes:
    """The text of a report, as the bytes that go to a file."""
    return b"".join(blocks(report, legend=legend, one_line=one_line))


def blocks(
    report: Report, *, legend: bool | None = None, one_line: bool = False
) -> Iterator[Buffer]:
    r"""The same bytes, some rows at a time.

    With `one_line` line breaks and tabs in names are written as `\n` and `\t`, for terminals.
    """
    if not report.shown:
        return
    if report.quirks.legend_always if legend is None else legend:
        yield legend_text(report).encode()
    if report.kind == "op" and len(report.view.tree) == 1:
        yield _op_rows(report, np.zeros(1, np.int64), with_shapes=False, one_line=one_line)
        return
    yield header(report).encode()
    if report.kind == "op":
        yield _op_rows(report, np.arange(1, len(report)), one_line=one_line)
    else:
        yield from _tree_rows(report, one_line=one_line)


def options_block(options: Options, *, extensions: bool = True) -> str:
    """The options, a line each, or only those that the original has."""
    lines = format_options(options, extensions=extensions)
    return "".join(f"{name:<28}{value}\n" for name, value in lines)


def with_banners(report: Report, *, one_line: bool = False) -> bytes:
    """The text as the original's Python functions print it: options, report, end."""
    return b"".join(
        [
            b"\n=========================Options=============================\n",
            options_block(
                report.options, extensions=not report.quirks.original_options_only
            ).encode(),
            b"\n==================Model Analysis Report======================\n",
            encoded(report, legend=True, one_line=one_line),
            b"\n======================End of Report==========================\n",
        ]
    )


def legend_text(report: Report) -> str:
    """What stands before the header: a warning, and what the view and the columns mean."""
    profile, quirks = report.profile, report.quirks
    missing = profile.missing_stream or (
        profile.saved_missing_stream and not quirks.warning_lost_on_load
    )
    kind = report.kind
    if kind == "graph" and quirks.graph_legend_says_scope:
        kind = "scope"
    lines = "\n".join(legend(report.options.select, quirks))
    warning = _MISSING_STREAM if missing else ""
    return f"{warning}\nDoc:\n{_VIEW_LEGENDS[kind]}\n{lines}\n\nProfile:\n"


def _columns(report: Report) -> list[Metric]:
    return columns(report.options.select, report.kind, report.quirks)


def header(report: Report) -> str:
    """The line of column titles."""
    in_list = report.kind in ("op", "code")
    titles = [
        metric.op_title if in_list and metric.op_title else metric.title
        for metric in _columns(report)
    ]
    return f"node name | {' | '.join(titles)}\n"


def _own_of_total(report: Report, own: Array, total: Array, unit: str) -> list[Piece]:
    """`own/total`, or `--/total` where the row does not match."""
    texts, own_at, total_at = own_and_total(own, total, unit)
    if report.matched.all():
        return [DictColumn(texts, own_at), b"/", DictColumn(texts, total_at)]
    own_at = np.where(report.matched, own_at, len(texts))
    marked = pa.concat_arrays([texts, pa.array(["--"], pa.string())])
    return [DictColumn(marked, own_at), b"/", DictColumn(texts, total_at)]


def _numbers(report: Report, metric: Metric) -> Cell:
    own, total = report.own[:, metric.measure], report.total[:, metric.measure]
    pieces = _own_of_total(report, own, total, metric.unit)
    return Cell([*pieces, metric.suffix.encode()])


def _unbroken(texts: pa.Array) -> pa.Array:
    """Names or what holds some, each on one line."""
    for character, written in _BREAKS.items():
        texts = pc.replace_substring(texts, character, written)
    return texts


def _on_one_line(piece: Piece) -> Piece:
    return piece if isinstance(piece, bytes) else DictColumn(_unbroken(piece.words), piece.at)


def _tree_rows(report: Report, *, one_line: bool) -> Iterator[Buffer]:
    name = _names(report)
    check_output_size(2 * int(report.tree.depth.sum()) + int(np.sum(lengths_of(name))), "the text")
    items: list[Cell] = []
    for metric in _columns(report):
        if metric.name == "params" and report.kind != "code":
            items.append(_shapes(report))
        items.append(_numbers(report, metric) if metric.measure else _TEXTS[metric.name](report))
    indents = ["  " * depth for depth in range(int(report.tree.depth.max()))]
    told = [name, b" (", *separated(items, ", ")]
    pieces = [
        DictColumn(pa.array(indents, pa.string()), report.tree.depth - 1),
        *(map(_on_one_line, told) if one_line else told),
        b")\n",
    ]
    if "tensor_value" in report.options.select:
        from tfprof.outputs.tensor_value import value_texts

        ends = value_texts(report)
        pieces += [] if ends is None else [DictColumn(ends)]
    return encode_rows(len(report), pieces)


def _names(report: Report) -> DictColumn:
    """The names of the rows; where most of the view is shown, they stay where they are."""
    names = report.view.name
    return DictColumn(names, report.at) if len(names) < 2 * len(report) else DictColumn(report.name)


def _shapes(report: Report) -> Cell:
    """The own shape of each row's node such as `3x4`; nothing where it has none."""
    shapes = report.profile.nodes.shape
    length = np.diff(list_offsets(shapes), append=0)
    known = (report.node >= 0) & (length[report.node] > 0)
    if not report.quirks.scalar_shape_shown:
        known &= ~np.append(scalars(report.profile), False)[report.node]
    rows = np.flatnonzero(known)
    shown = shapes.take(pa.array(report.node[rows]))
    sizes = shown.flatten().cast(pa.string())
    texts = pc.binary_join(
        pa.ListArray.from_arrays(pa.array(list_offsets(shown), pa.int32()), sizes), "x"
    )
    at = np.full(len(report), -1, np.int64)
    at[rows] = np.arange(len(rows))
    return Cell([optional(texts, at)], known)


def _joined_lists(start: Array, position: Array, names: list[str]) -> pa.Array:
    """For each node, some names joined by `|`."""
    lists = pa.ListArray.from_arrays(
        pa.array(start, pa.int32()), pa.array(names, pa.string()).take(pa.array(position))
    )
    return pc.binary_join(lists, "|")


def _devices(report: Report) -> Cell:
    if report.kind == "code":
        texts = _member_texts(_member_devices(report), none_if_empty=True)
        present = texts.is_valid().to_numpy(zero_copy_only=False)
        return Cell([DictColumn(texts.fill_null(""))], present)
    runs = executions_of(report.profile, report.quirks)
    count = len(report.profile.nodes)
    start = group_offsets(runs.placed_node, count)
    devices = list(report.profile.devices)
    by_name = np.argsort(np.argsort(np.array(devices, object))) if devices else np.zeros(0, int)
    order = np.lexsort((by_name[runs.placed_device], runs.placed_node))
    texts = _joined_lists(start, runs.placed_device[order], devices)
    placed = (report.node >= 0) & (np.diff(start, append=start[-1])[report.node] > 0)
    return Cell([optional(texts, np.where(placed, report.node, -1))], placed)


def _member_devices(report: Report) -> list[set[str]]:
    runs = executions_of(report.profile, report.quirks)
    node, bounds = report.members
    start = group_offsets(runs.placed_node, len(report.profile.nodes))
    devices = report.profile.devices
    found = []
    for first, last in bounds.tolist():
        texts: set[str] = set()
        for member in node[first:last].tolist():
            placed = runs.placed_device[start[member] : start[member + 1]].tolist()
            texts.update([devices[position] for position in placed] or [""])
        found.append(texts)
    return found


def _member_types(report: Report) -> list[set[str]]:
    node, bounds = report.members
    start, position, names = type_lists(report.profile, report.quirks)
    found = []
    for first, last in bounds.tolist():
        texts: set[int] = set()
        for member in node[first:last].tolist():
            texts.update(position[start[member] : start[member + 1]].tolist())
        found.append({names[code] for code in texts})
    return found


def _member_texts(sets: list[set[str]], *, none_if_empty: bool) -> pa.Array:
    texts = [None if none_if_empty and not texts else "|".join(sorted(texts)) for texts in sets]
    return pa.array(texts, pa.string())


def _op_types(report: Report) -> Cell:
    if report.kind == "code":
        return Cell([DictColumn(_member_texts(_member_types(report), none_if_empty=False))])
    start, position, names = type_lists(report.profile, report.quirks)
    virtual = [SCOPE_TYPE if report.kind == "scope" else GRAPH_ROOT_TYPE]
    texts = pa.concat_arrays(
        [_joined_lists(start, position, names), pa.array(virtual, pa.string())]
    )
    return Cell([DictColumn(texts, np.where(report.node < 0, len(texts) - 1, report.node))])


def _occurrence(report: Report) -> Cell:
    if report.kind == "code":
        return Cell([b"occurrence N/A in code view"])
    runs, defined = "run_count", "definition_count"
    own_defined = report.own[:, defined]
    if report.quirks.scopes_are_definitions:
        own_defined = np.ones_like(own_defined)
    return Cell(
        [
            *_own_of_total(report, report.own[:, runs], report.total[:, runs], "number"),
            b"|",
            *_own_of_total(report, own_defined, report.total[:, defined], "number"),
        ]
    )


def _input_shapes(report: Report) -> Cell:
    if report.kind == "code":
        return Cell([b"input_shapes N/A in code view"])
    return Cell([optional(node_inputs(report, "|"), report.node)])


_TEXTS: dict[str, Callable[[Any], Cell]] = {
    "device": _devices,
    "op_types": _op_types,
    "occurrence": _occurrence,
    "input_shapes": _input_shapes,
}


def _op_rows(
    report: Report, rows: Array, *, with_shapes: bool = True, one_line: bool = False
) -> bytes:
    parts: list[bytes] = []
    names = (_unbroken(report.name) if one_line else report.name).cast(pa.binary()).to_pylist()
    shown = _columns(report)
    selected = {metric.name for metric in shown}
    devices = _member_devices(report) if "device" in selected else []
    types = _member_types(report) if "op_types" in selected else []
    for row in rows.tolist():
        items = []
        for metric in shown:
            if metric.measure:
                items.append(f"{_share(report, row, metric):>30}")
            elif metric.name == "device":
                items.append("|".join(sorted(devices[row])))
            elif metric.name == "op_types":
                items.append("|".join(sorted(types[row])))
            elif metric.name == "occurrence":
                first, last = report.members[1][row].tolist()
                runs = report.own[row, "run_count"]
                items.append(f"{f'{runs}|{last - first}':>10}")
        below = ""
        if "input_shapes" in selected and with_shapes:
            below = "\n" + "\n".join(op_input_lines(report, row)) + "\n\n"
        text = ", ".join(items)
        if one_line:
            text = text.translate(_WRITTEN_OUT)
        parts.append(names[row].ljust(25) + f"{text}\n{below}".encode())
    return b"".join(parts)


def _share(report: Report, row: int, metric: Metric) -> str:
    """`own (share of all that follows, own share)`."""
    measure = metric.measure
    own, total = report.own[row, measure], report.total[row, measure]
    root = report.total[0, measure]
    own, total, root = int(own), int(total), int(root)
    counts = own > 0 if metric.unit == "memory" else total > 0
    text = FORMATS[metric.unit](own) + metric.op_suffix
    if not counts:
        return f"{text} (0.00%, 0.00%)"
    infinite = report.quirks.negative_durations
    return f"{text} ({_percent(total, root, infinite)}%, {_percent(own, root, infinite)}%)"


def _percent(part: int, whole: int, infinite: bool) -> str:
    """A share in percent; of nothing it is none, or what dividing by zero gives in C."""
    if whole:
        return f"{100.0 * part / whole:.2f}"
    if not infinite:
        return "0.00"
    return "-nan" if part == 0 else "inf" if part > 0 else "-inf"
