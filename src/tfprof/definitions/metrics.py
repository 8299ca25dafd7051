"""The metrics: one row each, from which select, order_by, headers, legends and docs derive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tfprof.definitions.quirks import REPAIRED, Quirks

__all__ = [
    "LIST_ORDER",
    "MEASURES",
    "METRICS",
    "ORDERS",
    "TREE_ORDER",
    "Metric",
    "columns",
    "known_metrics",
    "legend",
]

Unit = Literal["number", "time", "memory", "text"]

MEASURES = (
    "requested_bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "accelerator_exec_micros",
    "cpu_exec_micros",
    "parameters",
    "float_ops",
    "run_count",
    "definition_count",
    "exec_micros",
    "macs",
)
"""The numbers that every node has and that add up to totals."""


@dataclass(frozen=True, slots=True)
class Metric:
    """What a word of `select` shows."""

    name: str
    title: str
    unit: Unit
    legend: str
    measure: str | None = None
    word: str = ""
    op_word: str = ""
    op_title: str = ""
    needs: str = ""
    extension: bool = False
    """Whether the original has no such metric, so that compat does not know the word."""

    @property
    def sortable(self) -> bool:
        """Whether `order_by` takes it."""
        return self.measure is not None


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
        ),
        Metric(
            "peak_bytes",
            "peak bytes",
            "memory",
            "peak bytes: The peak amount of memory that the operation is holding at some point.",
            measure="peak_bytes",
            needs=_RUN,
        ),
        Metric(
            "residual_bytes",
            "residual bytes",
            "memory",
            "residual bytes: The memory not de-allocated after the operation finishes.",
            measure="residual_bytes",
            needs=_RUN,
        ),
        Metric(
            "output_bytes",
            "output bytes",
            "memory",
            "output bytes: The memory that is output from the operation (not necessarily "
            "allocated by the operation)",
            measure="output_bytes",
            needs=_RUN,
        ),
        Metric(
            "micros",
            "total execution time",
            "time",
            "total execution time: Sum of accelerator execution time and cpu execution time.",
            measure="exec_micros",
            needs=_RUN,
        ),
        Metric(
            "accelerator_micros",
            "accelerator execution time",
            "time",
            "accelerator execution time: Time spent executing on the accelerator. This is "
            "normally measured by the actual hardware library.",
            measure="accelerator_exec_micros",
            needs=_RUN,
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
        ),
        Metric(
            "params",
            "# parameters",
            "number",
            "param: Number of parameters (in the Variable).",
            measure="parameters",
            word=" params",
            op_word=" params",
            needs="graph",
        ),
        Metric(
            "float_ops",
            "# float_ops",
            "number",
            "flops: Number of float operations. Note: Please read the implementation for the "
            "math behind it.",
            measure="float_ops",
            word=" flops",
            op_word=" float_ops",
            needs="graph or op log",
        ),
        Metric(
            "macs",
            "# macs",
            "number",
            "macs: Number of multiply-adds in matrix products and convolutions, of two float "
            "operations each.",
            measure="macs",
            word=" macs",
            op_word=" macs",
            needs="graph or op log",
            extension=True,
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
            needs="graph",
        ),
        Metric(
            "occurrence",
            "op count (run|defined)",
            "text",
            "occurrence: The number of times it occurs",
            op_title="op occurrence (run|defined)",
            needs="graph",
        ),
        Metric(
            "input_shapes",
            "input shapes",
            "text",
            "input shape: The shape of input tensors",
            needs="graph with _output_shapes",
        ),
        Metric(
            "tensor_value",
            "",
            "text",
            "tensor_value: Not supported now.",
            needs="checkpoint",
        ),
    )
}

_MEMORY = ("bytes", "peak_bytes", "residual_bytes", "output_bytes")
_TIME = ("micros", "accelerator_micros", "cpu_micros")
_TEXT = ("device", "op_types", "occurrence", "input_shapes")

TREE_ORDER = ("params", "float_ops", "macs", *_MEMORY, *_TIME, *_TEXT)
"""The order of columns in scope and graph view."""

LIST_ORDER = (*_MEMORY, *_TIME, "params", "float_ops", "macs", *_TEXT)
"""The order of columns in op and code view."""

ORDERS = (
    "name",
    "depth",
    *(name for name, metric in METRICS.items() if metric.sortable),
    "occurrence",
)
"""What `order_by` takes."""


_OF_THE_ORIGINAL = {name: metric for name, metric in METRICS.items() if not metric.extension}


def known_metrics(quirks: Quirks) -> Mapping[str, Metric]:
    """The metrics by name, in compat only those that the original has."""
    return _OF_THE_ORIGINAL if quirks.original_metrics_only else METRICS


def columns(
    select: tuple[str, ...], order: tuple[str, ...], quirks: Quirks = REPAIRED
) -> list[Metric]:
    """The columns that a selection shows; `micros` brings its two parts along."""
    known = known_metrics(quirks)
    shown = set(select) | (set(_TIME) if "micros" in select else set())
    return [known[name] for name in order if name in shown and name in known]


def legend(select: tuple[str, ...], quirks: Quirks = REPAIRED) -> list[str]:
    """The lines that explain a selection, by name."""
    lines = []
    for name in sorted(set(select)):
        metric = known_metrics(quirks).get(name)
        if metric is None:
            lines.append(f"Unknown select: {name}")
            continue
        lines.append(metric.legend)
        if name == "micros":
            lines += [METRICS["cpu_micros"].legend, METRICS["accelerator_micros"].legend]
    return lines
