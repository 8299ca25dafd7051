"""Render a report as a pprof file: a gzipped Profile message.

The original has a sample for each node of a leaf frame, with one metric. By default every node has
a sample, in code or scope view, with all selected metrics.
"""

from __future__ import annotations

import zlib

from tfprof.definitions.limits import check_output_size
from tfprof.definitions.metrics import METRICS, Metric
from tfprof.outputs.document import Document, Message, Rendering, RenderSettings
from tfprof.outputs.pprof.samples import add_leaf_samples, add_samples
from tfprof.outputs.pprof.tables import Tables
from tfprof.protos import pprof_pb2
from tfprof.reports.report import Report

_BYTES_PER_FRAME = 8
_UNITS = {"time": "microseconds", "memory": "bytes", "number": "count"}


def render(report: Report, settings: RenderSettings) -> Rendering:
    """Render the selected metrics of a report as a pprof file, and say how to open it."""
    path = settings.keys["outfile"]
    metrics = [METRICS[name] for name in dict.fromkeys(report.options.select)]
    depth = report.view.tree.depth
    frames = int(report.tree.depth.sum()) + int(depth[report.view.member_position].sum())
    rows = len(report) + len(report.view.member_position)
    check_output_size(_BYTES_PER_FRAME * frames, "pprof", rows=rows, names=0)
    tables = Tables()
    if report.quirks.leaf_samples_only:
        add_leaf_samples(report, metrics[0], tables)
    else:
        add_samples(report, metrics, tables)
    yield Document([pprof_bytes(metrics, tables)], path)
    if report.quirks.pprof_command_printed:
        hint = f"\nRun pprof -png --nodecount=100 --sample_index=1 <{path}>\n"
        yield Document([hint.encode(errors="surrogateescape")])
    else:
        samples = f"{len(tables.samples):,} samples"
        yield Message(f"{path}: {samples}. Open it with: pprof -http=: {path}")


def pprof_bytes(metrics: list[Metric], tables: Tables) -> bytes:
    """A gzipped Profile message with samples of some metrics."""
    return _gzip(_profile(metrics, tables).SerializeToString())


def _profile(metrics: list[Metric], tables: Tables) -> pprof_pb2.Profile:
    profile = pprof_pb2.Profile()
    count = tables.string_index("count")
    profile.sample_type.add(type=count, unit=count)
    for metric in metrics:
        kind = tables.string_index(metric.name)
        profile.sample_type.add(type=kind, unit=tables.string_index(_UNITS[metric.unit]))
        profile.comment.append(tables.string_index(metric.pprof or metric.legend))
    if len(metrics) > 1:
        profile.default_sample_type = tables.string_index(metrics[0].name)
    profile.string_table.extend(tables.strings)
    for name in sorted(tables.samples, key=lambda name: name.encode(errors="surrogateescape")):
        profile.sample.append(tables.samples[name])
    profile.function.extend(tables.functions[key] for key in sorted(tables.functions))
    profile.location.extend(tables.locations[key] for key in sorted(tables.locations))
    return profile


def _gzip(data: bytes) -> bytes:
    """Compressed as the original does it, without a time."""
    compressor = zlib.compressobj(-1, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9)
    return compressor.compress(data) + compressor.flush()
