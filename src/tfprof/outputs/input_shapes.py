"""Input shapes as text: a cell of a row, or lines below a row of op view."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof.definitions.units import format_time
from tfprof.profiles.input_shapes import input_shapes_of
from tfprof.reports.report import Report


def node_inputs(report: Report, separator: str) -> pa.Array:
    """The inputs of every node in one text, such as `0:3x4|1:unknown`; empty without inputs."""
    inputs = input_shapes_of(report.profile, report.quirks)
    lists = pa.ListArray.from_arrays(pa.array(inputs.start, pa.int32()), inputs.texts())
    return pc.binary_join(lists, separator)


def input_shapes(report: Report) -> pa.Array:
    """`0:3x4|1:unknown` for each row; empty if it has no inputs."""
    texts = pa.concat_arrays([node_inputs(report, "|"), pa.array([""])])
    return texts.take(pa.array(np.where(report.node < 0, len(texts) - 1, report.node)))


def op_input_lines(report: Report, row: int) -> list[str]:
    """The distinct input shapes of an op type, with how often and how long they ran."""
    profile, quirks = report.profile, report.quirks
    texts = profile.memoize(("op inputs", quirks), lambda: node_inputs(report, ",\t"))
    members, bounds = report.members
    first, last = bounds[row].tolist()
    nodes = members[first:last]
    groups: dict[str, list[int]] = {}
    numbers = report.numbers
    run_count, micros = "run_count", "exec_micros"
    for node, text in zip(nodes.tolist(), texts.take(pa.array(nodes)).to_pylist(), strict=True):
        group = groups.setdefault(text, [0, 0, 0])
        group[0] += int(numbers[node, run_count])
        group[1] += 1
        group[2] += int(numbers[node, micros])
    ordered = sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))
    return [
        f"input_type: {text}\t(run*{runs}|defined*{count})\texec_time: {format_time(time)}"
        for text, (runs, count, time) in ordered
    ]
