"""MemorySavings: what would lower the memory peak most, from recorded allocations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tfprof.advisor.checker import MEMORY, Checker, Setting, Settings
from tfprof.advisor.finding import Evidence, Finding, Impact
from tfprof.advisor.node_queries import NodeQueries, count, share, size, time
from tfprof.loaders.hlo.op_names import BACKWARD
from tfprof.memory.live_tensors import LiveTensor, live_tensors
from tfprof.memory.peaks import MemoryPeak, step_memory
from tfprof.profiles.add_rows import index_in
from tfprof.profiles.profile import Profile
from tfprof.profiles.source_columns import COMPILED
from tfprof.profiles.string_columns import strings

_NAME = "MemorySavings"
_TENSORS = 1000
"""How many of the largest tensors at a peak are looked at."""
_SMALLER = {"float64": ("float32", 2), "float32": ("bfloat16", 2)}
"""Types that a smaller one may replace: its name, and how many times smaller it is."""


def check(profile: Profile, settings: Settings) -> Iterator[Finding]:
    """Findings per device: tensors to recompute, large temporaries, and wide types."""
    queries = NodeQueries(profile, settings.quirks)
    for peak in step_memory(profile, settings.quirks).peaks():
        if peak.memory is None or peak.bytes < settings["min_bytes"]:
            continue
        moment = peak.memory.peak_time
        tensors = live_tensors(profile, peak.memory, moment, _TENSORS)
        yield from _recomputation(queries, peak, tensors, settings)
        yield from _temporaries(queries, peak, tensors, settings)
        yield from _types(peak, tensors, settings)


def _recomputation(
    queries: NodeQueries, peak: MemoryPeak, tensors: Sequence[LiveTensor], settings: Settings
) -> Iterator[Finding]:
    """Outputs that are kept across the peak and are cheap to compute again."""
    if peak.allocator == COMPILED:
        how, kept = "jax.checkpoint", [t for t in tensors if _is_activation(t)]
    else:
        how = "tf.recompute_grad"
        kept = [t for t in tensors if t.role == "output" and t.live_micros is not None]
    nodes = index_in(strings([t.node for t in kept]), queries.profile.nodes.name).tolist()
    costs = [_number(cost) for cost in queries.measure("float_ops")[nodes].tolist()]
    candidates = [
        (tensor, node, cost)
        for tensor, node, cost in zip(kept, nodes, costs, strict=True)
        if 0 < cost <= settings["flops_per_byte"] * tensor.bytes
    ]
    saved = sum(tensor.bytes for tensor, _, _ in candidates)
    if saved < settings["share"] * peak.bytes:
        return
    candidates.sort(key=lambda item: -item[0].bytes * (item[0].live_micros or 0))
    rows = tuple(
        queries.evidence(
            node,
            memory=size(tensor.bytes),
            kept=time(tensor.live_micros or 0),
            float_ops=count(cost),
        )
        for tensor, node, cost in candidates[: settings.top]
    )
    total = count(sum(cost for _, _, cost in candidates))
    message = (
        f"{peak.device}: {len(candidates)} outputs of cheap ops are kept across the peak; "
        f"computing them again ({how}) costs {total} float operations; the {len(rows)} "
        "that hold the most for the longest"
    )
    yield Finding(_NAME, "info", message, rows, Impact(size(saved), "less at the peak, at most"))


def _is_activation(tensor: LiveTensor) -> bool:
    """Whether a compiled program computes it in the forward pass and drops it later."""
    return tensor.role == "temporary" and f"/{BACKWARD}/" not in tensor.node


def _number(cost: Any) -> int:
    """A number of float operations; 0 if it depends on an open size."""
    return cost if isinstance(cost, int) else 0


def _temporaries(
    queries: NodeQueries, peak: MemoryPeak, tensors: Sequence[LiveTensor], settings: Settings
) -> Iterator[Finding]:
    """Scratch memory of ops that run at the peak."""
    large = [
        t
        for t in tensors
        if t.role == "temporary" and not t.is_compiled  # of a program all but results is temporary
        if t.bytes >= settings["share"] * peak.bytes
    ][: settings.top]
    if not large:
        return
    nodes = index_in(strings([t.node for t in large]), queries.profile.nodes.name).tolist()
    rows = tuple(
        queries.evidence(node, memory=size(t.bytes), share=share(t.bytes / peak.bytes))
        for node, t in zip(nodes, large, strict=True)
    )
    total = sum(t.bytes for t in large)
    message = (
        f"{peak.device}: scratch memory of {len(rows)} ops is live at the peak; a smaller batch "
        "does not always shrink it, running these ops at another time or another algorithm does"
    )
    yield Finding(_NAME, "info", message, rows, Impact(size(total), "temporary at the peak"))


def _types(
    peak: MemoryPeak, tensors: Sequence[LiveTensor], settings: Settings
) -> Iterator[Finding]:
    """What tensors of smaller types would save."""
    by_type: defaultdict[str, list[LiveTensor]] = defaultdict(list)
    for tensor in tensors:
        if tensor.dtype in _SMALLER:
            by_type[tensor.dtype].append(tensor)
    for dtype, wide in by_type.items():
        other, factor = _SMALLER[dtype]
        total = sum(t.bytes for t in wide)
        saved = total - total // factor
        if saved < settings["share"] * peak.bytes:
            continue
        rows = (Evidence(dtype, {"memory": size(total), "tensors": count(len(wide))}),)
        message = (
            f"{peak.device}: tensors of type {dtype} hold {size(total)} at the peak; as {other} "
            f"they would hold {size(total // factor)}"
        )
        yield Finding(_NAME, "info", message, rows, Impact(size(saved), "less at the peak"))


CHECKER = Checker(
    _NAME,
    "what would lower the memory peak: recomputation, temporaries, smaller types",
    check,
    requires=(MEMORY,),
    settings={
        "min_bytes": Setting(1_000_000, "report nothing if the peak is lower"),
        "share": Setting(0.05, "of the peak that a finding must be about"),
        "flops_per_byte": Setting(5, "float operations per byte of an output of a cheap op"),
        "top": Setting(5, "tensors to show"),
    },
)
