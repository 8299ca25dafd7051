"""The metrics, one row each. Options, headers, legends, outputs and docs derive from it.

A new metric is one more row, also from another package: `METRICS["name"] = Metric("name", …)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from tfprof.definitions.quirks import REPAIRED, Quirks

Unit = Literal["number", "time", "memory", "text"]


@dataclass(frozen=True, slots=True)
class Metric:
    """What select, order_by, min_… and every output know about a metric."""

    name: str
    """The value of `select`, also in `min_…`, `own_…`, `total_…` and in pprof files."""
    title: str
    """The column title of text reports; a metric without one has no column."""
    unit: Unit
    legend: str
    """The line that explains it in legends, help and docs."""
    needs: str = "graph"
    """The input that it comes from."""
    measure: str = ""
    """The name of its number in `Row.own` and in result messages that have such a field."""
    source: Callable[[Any], Any] | None = None
    """A function of `reports.measures.NodeSums` that returns the number of every node.

    By default it is the column of `NodeSums` with the name of the measure.
    """
    counts: tuple[str, ...] = ()
    """The two measures of a text column `run|defined`."""
    parts: tuple[str, ...] = ()
    """The metrics whose columns and legends are shown along with it."""
    minimum: str = ""
    """Completes the help of `min_…`, "show nodes that …"; without it there is no such option."""
    original_minimum_of_self: bool = False
    """Whether the original's `min_…` tests the self value in scope and graph view."""
    pprof: str = ""
    """The comment in pprof files."""
    suffix: str = ""
    """What follows the number in a row of scope, graph and code view."""
    op_suffix: str = ""
    """What follows the number in a row of op view."""
    op_title: str = ""
    """The column title in op and code view, if it is another one."""
    extension: bool = False
    """Whether the original has no such metric, so that compat does not know it."""

    @property
    def sortable(self) -> bool:
        """Whether `order_by` takes it."""
        return bool(self.measure or self.counts)


_RUN = "run metadata"

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "bytes",
            "requested bytes",
            "memory",
            "requested bytes: The memory requested by the operation, accumulatively.",
            measure="requested_bytes",
            needs=_RUN,
            minimum="request at least N bytes",
            pprof="Sum of operation total memory requests, excluding deallocations.",
        ),
        Metric(
            "peak_bytes",
            "peak bytes",
            "memory",
            "peak bytes: The peak amount of memory that the operation is holding at some point.",
            measure="peak_bytes",
            needs=_RUN,
            minimum="hold at least N bytes at their peak",
            pprof="Sum of operation peak memory usage.",
        ),
        Metric(
            "residual_bytes",
            "residual bytes",
            "memory",
            "residual bytes: The memory not de-allocated after the operation finishes.",
            measure="residual_bytes",
            needs=_RUN,
            minimum="keep at least N bytes after they finish",
            pprof="Sum of operation allocated memory after finish.",
        ),
        Metric(
            "output_bytes",
            "output bytes",
            "memory",
            "output bytes: The memory that is output from the operation (not necessarily "
            "allocated by the operation)",
            measure="output_bytes",
            needs=_RUN,
            minimum="output at least N bytes",
            pprof="Sum of operation output size.",
        ),
        Metric(
            "micros",
            "execution time",
            "time",
            "execution time: Sum of accelerator execution time and cpu execution time.",
            measure="exec_micros",
            needs=_RUN,
            minimum="run for at least N microseconds",
            pprof="Sum of accelerator execution time and cpu execution time.",
        ),
        Metric(
            "accelerator_micros",
            "accelerator execution time",
            "time",
            "accelerator execution time: Time spent executing on the accelerator. This is "
            "normally measured by the actual hardware library.",
            measure="accelerator_exec_micros",
            needs=_RUN,
            minimum="run on accelerators for at least N microseconds",
            pprof="Accelerator execution time.",
        ),
        Metric(
            "cpu_micros",
            "cpu execution time",
            "time",
            "cpu execution time: The time from the start to the end of the operation. It's the "
            "sum of actual cpu run time plus the time that it spends waiting if part of "
            "computation is launched asynchronously.",
            measure="cpu_exec_micros",
            needs=_RUN,
            minimum="run on CPU for at least N microseconds",
            pprof="CPU execution time.",
        ),
        Metric(
            "wall_micros",
            "wall time",
            "time",
            "wall time: The share of the operation in the time of the step. Operations that run at "
            "the same time share it equally, so that all of them and idle time add up to it.",
            measure="wall_micros",
            needs=_RUN,
            extension=True,
            minimum="take at least N microseconds of wall time",
            pprof="Share in the time of the step.",
        ),
        Metric(
            "params",
            "# parameters",
            "number",
            "param: Number of parameters (in the Variable).",
            measure="parameters",
            suffix=" params",
            op_suffix=" params",
            minimum="hold at least N parameters",
            original_minimum_of_self=True,
            pprof="Model parameters.",
        ),
        Metric(
            "float_ops",
            "# float_ops",
            "number",
            "flops: Number of float operations. Note: Please read the implementation for the "
            "math behind it.",
            measure="float_ops",
            suffix=" flops",
            op_suffix=" float_ops",
            needs="graph or op log",
            minimum="need at least N float operations",
            original_minimum_of_self=True,
            pprof="Model float operations (Only available if defined).",
        ),
        Metric(
            "macs",
            "# macs",
            "number",
            "macs: Number of multiply-adds of matmuls and convolutions. Each is two float "
            "operations.",
            measure="macs",
            suffix=" macs",
            op_suffix=" macs",
            needs="graph or op log",
            extension=True,
            minimum="need at least N multiply-adds",
            pprof="Multiply-adds of matmuls and convolutions.",
        ),
        Metric(
            "executed_float_ops",
            "# executed float_ops",
            "number",
            "executed flops: Number of float operations that a compiled program executes. The "
            "model may need fewer, if some are computed again or for results that are dropped.",
            measure="executed_float_ops",
            suffix=" executed flops",
            op_suffix=" executed float_ops",
            needs="trace of a compiled program",
            extension=True,
            minimum="execute at least N float operations",
            pprof="Float operations that compiled programs execute.",
        ),
        Metric(
            "live_bytes",
            "live bytes",
            "memory",
            "live bytes: The memory allocated by the operation that is live at the peak of its "
            "device, or at the time that -at gives.",
            measure="live_bytes",
            needs=_RUN,
            extension=True,
            minimum="hold at least N live bytes",
            pprof="Memory that is live at the peak of its device.",
        ),
        Metric(
            "device", "assigned devices", "text", "device: which device is placed on.", needs=_RUN
        ),
        Metric(
            "op_types",
            "op types",
            "text",
            "op_types: The attributes of the operation, includes the Kernel name device placed "
            "on and user-defined strings.",
        ),
        Metric(
            "occurrence",
            "op count (run|defined)",
            "text",
            "occurrence: The number of times it occurs",
            op_title="op occurrence (run|defined)",
            counts=("run_count", "definition_count"),
            minimum="run at least N times (op view: types of N nodes)",
        ),
        Metric(
            "input_shapes",
            "input shapes",
            "text",
            "input shape: The shape of input tensors",
            needs="graph with _output_shapes",
        ),
        Metric("tensor_value", "", "text", "tensor_value: Not supported now.", needs="checkpoint"),
    )
}

OPERATIONS = ("float_ops", "macs", "executed_float_ops")
"""The metrics, and their measures, that are counted from shapes."""

LIST_VIEWS = ("op", "code")
"""The views whose rows stand for several nodes."""

_TREE_ORDER = (("number",), ("memory", "time"), ("text",))
_LIST_ORDER = (("number", "memory", "time"), ("text",))


_THREE_TIMES = replace(
    METRICS["micros"],
    title="total execution time",
    legend="total execution time: Sum of accelerator execution time and cpu execution time.",
    parts=("cpu_micros", "accelerator_micros"),
)


def known_metrics(quirks: Quirks) -> Mapping[str, Metric]:
    """The metrics by name, in compat only those that the original has, as it shows them."""
    metrics = METRICS | {"micros": _THREE_TIMES} if quirks.three_times_shown else METRICS
    if not quirks.original_metrics_only:
        return metrics
    return {name: metric for name, metric in metrics.items() if not metric.extension}


def measure_names() -> list[str]:
    """The numbers that every node has and that add up to totals."""
    names = [name for metric in METRICS.values() for name in (metric.measure, *metric.counts)]
    return list(dict.fromkeys(filter(None, names)))


_COUNTS = {"runs": "run_count", "definitions": "definition_count"}


def find_measure(name: str) -> str | None:
    """The measure that a name means.

    A number has the name of its metric in `-select`, that of its field in messages, with `total_`
    or `own_` before it or not, and that of its column in tables.
    """
    plain = name.removeprefix("total_").removeprefix("own_")
    if plain in METRICS:
        metric = METRICS[plain]
        return metric.measure or next(iter(metric.counts), None)
    return _COUNTS.get(plain, plain if plain in measure_names() else None)


def number_names() -> list[str]:
    """The names of `-select` that are numbers."""
    return [name for name, metric in METRICS.items() if metric.measure or metric.counts]


DELTA = "delta"
"""The `order_by` of a diff unless it is given: the largest change first. Reports have none."""


def orders() -> tuple[str, ...]:
    """The values of `order_by`."""
    return ("name", "depth", DELTA, *(name for name, metric in METRICS.items() if metric.sortable))


def default_order(view: str, select: tuple[str, ...], quirks: Quirks = REPAIRED) -> str:
    """The `order_by` of a view unless it is given: in op and code view what is selected first."""
    if view not in LIST_VIEWS or quirks.lists_sorted_by_name:
        return "name"
    known = known_metrics(quirks)
    return next((name for name in select if name in known and known[name].sortable), "name")


def columns(select: tuple[str, ...], view: str, quirks: Quirks = REPAIRED) -> list[Metric]:
    """The columns that a selection shows, in the order of a view; with their `parts`."""
    known = known_metrics(quirks)
    shown = {part for name in select if name in known for part in (name, *known[name].parts)}
    order = _LIST_ORDER if view in LIST_VIEWS else _TREE_ORDER
    return [
        metric
        for units in order
        for name, metric in known.items()
        if name in shown and metric.title and metric.unit in units
    ]


def legend(select: tuple[str, ...], quirks: Quirks = REPAIRED) -> list[str]:
    """The lines that explain a selection, by name."""
    known = known_metrics(quirks)
    lines = []
    for name in sorted(set(select)):
        if name not in known:
            lines.append(f"Unknown select: {name}")
            continue
        lines += [known[part].legend for part in (name, *known[name].parts)]
    return lines
