"""Recorded peaks and predictions of memory, against what memray measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tfprof
from benchmarks.memory_truth.models import SMALL
from tfprof.definitions.quirks import REPAIRED
from tfprof.memory.peaks import step_memory
from tfprof.memory.prediction import MARGINS, OUTSIDE_ALLOCATOR, MemoryPrediction
from tfprof.resolve import resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A model at a batch size: bytes by memray, recorded, and predicted.

    `inputs` is what the step is fed. `half` and `quarter` are predictions from the traces of a half
    and a quarter of the batch size, `static` from the graph alone, which states that it is from
    `lowest` to `highest`, None if it is only a lower bound.
    """

    model: str
    batch: int
    memray: int
    recorded: int
    inputs: int
    half: int | None
    quarter: int | None
    static: int
    lowest: int
    highest: int | None

    def error(self, bytes_: int | None) -> float | None:
        """How far a number is off."""
        return None if bytes_ is None else bytes_ / self.memray - 1

    def misses(self) -> Iterator[str]:
        """What is further off than it may be."""
        is_small = self.model in SMALL
        known = self.recorded + self.inputs
        truth = known if is_small else self.memray
        limits = (
            ("from half the batch size", self.half, MARGINS["trace"]),
            ("from a quarter of the batch size", self.quarter, MARGINS["trace"]),
            *([] if is_small else [("recorded", self.recorded, MARGINS["trace"])]),
            *([] if is_small else [("from the graph", self.static, MARGINS["graph"])]),
        )
        for what, bytes_, limit in limits:
            if bytes_ is not None and abs(bytes_ / truth - 1) > limit:
                error = bytes_ / truth - 1
                yield f"{self.model} B={self.batch}: {what} {error:+.1%}, allowed {limit:.0%}"
        outside = self.memray - known
        if is_small and not 0 <= outside <= OUTSIDE_ALLOCATOR / 2:
            yield f"{self.model} B={self.batch}: {outside:,} bytes outside the allocator"
        if not self.lowest <= self.memray <= (self.highest or self.memray):
            yield f"{self.model} B={self.batch}: not in the range from the graph"


def compare(model: str, folder: Path) -> list[Row]:
    """The rows of a model whose graph, traces and truth are in a folder."""
    truth = {int(k): v for k, v in json.loads((folder / "truth.json").read_text()).items()}
    graph = tfprof.load(graph=folder / "graph.pb")
    traced = {
        batch: tfprof.load(graph=folder / "graph.pb", run_meta=folder / f"run_meta_{batch}")
        for batch in truth
    }
    rows = []
    for batch, memray in truth.items():
        static = graph.memory({"B": batch})
        rows.append(
            Row(
                model=model,
                batch=batch,
                memray=memray,
                recorded=_recorded(traced[batch]),
                inputs=static.input_bytes,
                half=_predicted(traced.get(batch // 2), batch),
                quarter=_predicted(traced.get(batch // 4), batch),
                static=_without_variables(static),
                lowest=static.lowest - static.variable_bytes,
                highest=static.highest and static.highest - static.variable_bytes,
            )
        )
    return rows


def _recorded(profile: tfprof.Profile) -> int:
    return sum(peak.bytes for peak in step_memory(resolve(profile, REPAIRED), REPAIRED).peaks())


def _predicted(profile: tfprof.Profile | None, batch: int) -> int | None:
    return None if profile is None else _without_variables(profile.memory({"B": batch}))


def _without_variables(prediction: MemoryPrediction) -> int:
    """The memory of a step alone: variables were there before memray began."""
    return prediction.bytes - prediction.variable_bytes
