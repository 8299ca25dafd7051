"""In compat, advice on what a GPU and images bring is the original's.

`tests.oracle` asks for advice on random cases.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from tests.advisor.models import CPU, GPU, STREAM, Model
from tests.oracle.cases import CHECKERS
from tests.oracle.compare import Ours, compared
from tests.oracle.original import Original


def images(data_format: bytes, batch_norm: str, device: str, busy: int) -> Model:
    """A convolution and a batch normalization, with as much time on the GPU's stream."""
    model = Model().node("conv", "Conv2D", data_format=data_format, text="conv(x)")
    model.node("BatchNorm/y", batch_norm, "conv", text="norm(x)")
    model.node("loss", "Mean", "BatchNorm/y", text="loss(x)").step()
    model.ran("conv", 1000, 300, on=device).ran("BatchNorm/y", 1400, 200, on=device)
    model.ran("loss", 1700, 3000)
    if device == GPU:
        model.ran("conv:Conv2D", 1100, busy, on=STREAM)
    return model


def test_images_are_the_same(tmp_path: Path) -> None:
    norms = ("Mul", "FusedBatchNorm", "FusedBatchNormV3")
    kinds = product((b"NHWC", b"NCHW"), norms, (CPU, GPU), (10, 300, 299, 2000))
    jobs = [[*images(*kind).calls(), ("report", "advise", list(CHECKERS))] for kind in kinds]
    original = Original()
    answers = original.run(jobs)
    original.close()
    spoken: set[str] = set()
    for job, theirs in zip(jobs, answers, strict=True):
        assert not theirs[-1].error
        assert list(compared(job, theirs, Ours(tmp_path, compat=True), compat=True)) == []
        spoken |= set(theirs[-1].stdout.decode().splitlines())
    assert f"device: {GPU.lower()} low utilization: 0.02" in spoken
    assert f"device: {GPU.lower()} utilization: 0.95" in spoken
    assert "Found operation using NHWC data_format on GPU. Maybe NCHW is faster." in spoken
    assert "Maybe use faster FusedBatchNorm instead of BatchNorm" in spoken
