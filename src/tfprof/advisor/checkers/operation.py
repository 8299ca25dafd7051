"""OperationChecker: operations with faster alternatives."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.compute as pc

from tfprof.advisor.checker import GRAPH, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, count, time
from tfprof.profiles.add_rows import nodes_with_attr
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray
from tfprof.protos import graph_pb2
from tfprof.reports.account import count_matches

_NAME = "OperationChecker"
_NHWC = graph_pb2.AttrValue(s=b"NHWC").SerializeToString()
_BATCH_NORM = "Maybe use faster FusedBatchNorm instead of BatchNorm"
_DATA_FORMAT = "Found operation using NHWC data_format on GPU. Maybe NCHW is faster."


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Batch normalization that is not fused, and NHWC images on a GPU."""
    queries = NodeQueries(profile, settings.quirks)
    named = pc.match_substring(profile.nodes.name, "BatchNorm").to_numpy(zero_copy_only=False)
    named = named.astype(bool) & queries.executions.exists
    # Later versions are fused as well.
    fused = "FusedBatchNorm" if settings.quirks.fused_batch_norm_v1_only else "_?FusedBatchNorm.*"
    if named.any() and not count_matches(profile, (fused,), settings.quirks).any():
        yield _finding(queries, _BATCH_NORM, named, settings.top)
    channels_last = nodes_with_attr(profile.nodes, "data_format", _NHWC)
    channels_last &= queries.on_devices(queries.accelerators)
    if channels_last.any():
        yield _finding(queries, _DATA_FORMAT, channels_last, settings.top)


def _finding(queries: NodeQueries, message: str, nodes: BoolArray, top: int) -> Finding:
    total = int(queries.micros[nodes].sum())
    everything = Evidence("nodes", {"count": count(int(nodes.sum())), "time": time(total)})
    most_expensive = queries.largest(queries.micros, nodes, top)
    rows = (queries.evidence(node, time=time(int(queries.micros[node]))) for node in most_expensive)
    impact = Impact(time(total), "per step in these nodes") if total else None
    return Finding(_NAME, "warning", message, (everything, *rows), impact)


CHECKER = Checker(
    _NAME,
    "operations with faster alternatives",
    check,
    requires=(GRAPH,),
    settings={"top": Setting(3, "nodes to show")},
    original=True,
)
