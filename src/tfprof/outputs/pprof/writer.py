"""pprof files: gzipped Profile messages that Google's pprof and its relatives read.

The original has one sample for each node of a leaf frame and one metric. By default every node has
its sample, in code or scope view, with all selected metrics.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.metrics import METRICS, Metric
from tfprof.outputs.files import write_file
from tfprof.outputs.pprof.samples import add_leaf_samples, add_samples
from tfprof.outputs.pprof.tables import Tables
from tfprof.outputs.supported import refused
from tfprof.protos import pprof_pb2

if TYPE_CHECKING:
    from tfprof.reports.report import Report

__all__ = ["write"]

_PER_FRAME = 8
_UNITS = {"time": "microseconds", "memory": "bytes", "number": "count"}


def write(report: Report, keys: Mapping[str, str]) -> None:
    """Write the selected metrics of a report as a pprof file."""
    if refused(report, "pprof"):
        return
    metrics = [METRICS[name] for name in dict.fromkeys(report.options.select)]
    depth = report.view.tree.depth
    stacks = int(report.tree.depth.sum()) + int(depth[report.view.member_position].sum())
    check_output_size(_PER_FRAME * stacks, "pprof")
    tables = Tables()
    if report.quirks.leaf_samples_only:
        add_leaf_samples(report, metrics[0], tables)
    else:
        add_samples(report, metrics, tables)
    write_file(keys["outfile"], _gzipped(_profile(metrics, tables).SerializeToString()))
    sys.stdout.write(
        f"\nRun pprof -png --nodecount=100 --sample_index=1 <{keys['outfile']}>\n"
        if report.quirks.unsupported_is_a_message
        else f"{keys['outfile']}: {len(tables.samples):,} samples. "
        f"Open it with: pprof -http=: {keys['outfile']}\n"
    )


def _profile(metrics: list[Metric], tables: Tables) -> pprof_pb2.Profile:
    profile = pprof_pb2.Profile()
    count = tables.text("count")
    profile.sample_type.add(type=count, unit=count)
    for metric in metrics:
        kind = tables.text(metric.name)
        profile.sample_type.add(type=kind, unit=tables.text(_UNITS[metric.unit]))
        profile.comment.append(tables.text(metric.pprof or metric.legend))
    if len(metrics) > 1:
        profile.default_sample_type = tables.text(metrics[0].name)
    profile.string_table.extend(tables.texts)
    for name in sorted(tables.samples, key=lambda name: name.encode(errors="surrogateescape")):
        profile.sample.append(tables.samples[name])
    profile.function.extend(tables.functions[key] for key in sorted(tables.functions))
    profile.location.extend(tables.locations[key] for key in sorted(tables.locations))
    return profile


def _gzipped(data: bytes) -> bytes:
    """Compressed as the original does it, without a time."""
    packer = zlib.compressobj(-1, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9)
    return packer.compress(data) + packer.flush()
