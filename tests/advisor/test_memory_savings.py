"""MemorySavings on a real training step and on memory made by hand."""

from __future__ import annotations

from pathlib import Path

import tfprof
from tests.advisor.models import Model
from tfprof import demo
from tfprof.advisor import Finding, advise
from tfprof.protos.graph_pb2 import DataType

CNN = Path(__file__).parents[1] / "data" / "memory" / "cnn"


def found(profile: tfprof.Profile, **settings: float) -> tuple[Finding, ...]:
    return advise(profile, {"MemorySavings": settings})["MemorySavings"].findings


def test_recomputation_in_the_demo() -> None:
    profile = tfprof.load(**demo.paths())
    recompute, types = found(profile)
    assert "tf.recompute_grad" in recompute.message
    peak = profile.summary().memory_peaks[0].bytes
    assert recompute.impact is not None
    assert 0.5 * peak < recompute.impact.amount.value < peak
    ops = {row.op for row in recompute.evidence}
    assert ops <= {"FusedBatchNormV3", "LeakyRelu"}  # a convolution is not cheap
    assert all(row.source for row in recompute.evidence)
    assert "as bfloat16 they would hold" in types.message


def test_scratch_of_a_real_step() -> None:
    profile = tfprof.load(graph=CNN / "graph.pb", run_meta=CNN / "run_meta_32")
    (scratch,) = [finding for finding in found(profile) if "scratch" in finding.message]
    assert [row.op for row in scratch.evidence] == ["Conv2DBackpropFilter"]


def test_types_by_hand() -> None:
    model = Model().node("a", "MatMul", T=DataType.DT_DOUBLE).step()
    sizes = ((110, 8_000_000), (400, -8_000_000))
    profile = model.ran("a", 100, 50, allocations=sizes, output=8_000_000).load()
    (finding,) = found(profile)
    assert "as float32 they would hold 4.00MB" in finding.message
    assert found(profile, share=0.6) == ()
    assert found(profile, min_bytes=9_000_000) == ()


def test_estimates_are_no_evidence() -> None:
    model = Model().node("a", "MatMul").step().ran("a", 1, 1, peak=9_000_000, live=9_000_000)
    assert found(model.load()) == ()
