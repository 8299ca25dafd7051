"""OperationChecker: operations for which there are faster ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from tfprof.advisor.checker import Checker, Setting, Settings
from tfprof.advisor.device import is_accelerator
from tfprof.advisor.finding import Evidence, Finding, Saving
from tfprof.advisor.node_queries import Facts, count, time
from tfprof.advisor.requirement import GRAPH
from tfprof.profiles.profile import Profile
from tfprof.profiles.schema import BoolArray, list_offsets
from tfprof.protos import graph_pb2
from tfprof.reports.account import count_matches

__all__ = ["CHECKER"]

_NAME = "OperationChecker"
_NHWC = graph_pb2.AttrValue(s=b"NHWC").SerializeToString()
_BATCH_NORM = "Maybe use faster FusedBatchNorm instead of BatchNorm"
_DATA_FORMAT = "Found operation using NHWC data_format on GPU. Maybe NCHW is faster."


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Batch normalization in single ops, and images with their channels last on a GPU."""
    facts = Facts(profile, settings.quirks)
    named = pc.match_substring(profile.nodes.name, "BatchNorm").to_numpy(zero_copy_only=False)
    named = named.astype(bool) & facts.runs.exists
    # The versions that came later are fused as well.
    fused = "FusedBatchNorm" if settings.quirks.fused_batch_norm_v1_only else "_?FusedBatchNorm.*"
    if named.any() and not count_matches(profile, (fused,), settings.quirks).any():
        yield _finding(facts, _BATCH_NORM, named, settings.top)
    strictly = settings.quirks.cpu_and_gpu_only
    on_gpu = facts.device_flags(
        "gpu" in device if strictly else is_accelerator(device) for device in profile.devices
    )
    channels_last = _channels_last(profile) & on_gpu
    if channels_last.any():
        yield _finding(facts, _DATA_FORMAT, channels_last, settings.top)


def _channels_last(profile: Profile) -> BoolArray:
    """Which nodes have NHWC as their data format."""
    attrs = profile.nodes.attrs
    entries = attrs.flatten()
    matches = pc.and_(
        pc.equal(entries.field("key"), "data_format"), pc.equal(entries.field("value"), _NHWC)
    )
    rows = np.flatnonzero(matches.to_numpy(zero_copy_only=False))
    found = np.zeros(len(profile.nodes), bool)
    found[np.searchsorted(list_offsets(attrs), rows, side="right") - 1] = True
    return found


def _finding(facts: Facts, message: str, nodes: BoolArray, top: int) -> Finding:
    total = int(facts.micros[nodes].sum())
    everything = Evidence("nodes", {"count": count(int(nodes.sum())), "time": time(total)})
    dearest = facts.largest(facts.micros, nodes, top)
    rows = (facts.row(node, time=time(int(facts.micros[node]))) for node in dearest)
    stake = Saving(time(total), "per step in these nodes") if total else None
    return Finding(_NAME, "warning", message, (everything, *rows), stake)


CHECKER = Checker(
    _NAME,
    "operations for which there are faster ones",
    check,
    needs=(GRAPH,),
    settings={"top": Setting(3, "nodes to show")},
    original=True,
)
