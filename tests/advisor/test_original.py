"""In compat, advice is the original's: on random cases, and on what a GPU and images bring."""

from __future__ import annotations

from itertools import product

from tests.advisor.compare import NAMES, check, differences
from tests.advisor.models import CPU, GPU, STREAM, Model
from tests.advisor.original import ask
from tfprof.advisor import advise

SEED = 20_180_101
CASES = 100


def test_random_cases_are_the_same() -> None:
    outcomes = list(check(range(SEED, SEED + CASES)))
    assert sum(not error for *_, error in outcomes) > CASES
    assert [(where, difference) for where, difference, _ in outcomes if difference] == []


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


def test_images_are_the_same() -> None:
    norms = ("Mul", "FusedBatchNorm", "FusedBatchNormV3")
    kinds = product((b"NHWC", b"NCHW"), norms, (CPU, GPU), (10, 300, 299, 2000))
    models = [images(*kind) for kind in kinds]
    answers = ask([[model.call(NAMES)] for model in models])
    spoken = set()
    for model, (theirs,) in zip(models, answers, strict=True):
        ours = advise(model.load(compat=True), NAMES, compat=True)
        assert differences(theirs, ours, "") == ""
        spoken |= {finding.message for finding in ours.findings}
    assert f"device: {GPU.lower()} low utilization: 0.02" in spoken
    assert f"device: {GPU.lower()} utilization: 0.95" in spoken
    assert "Found operation using NHWC data_format on GPU. Maybe NCHW is faster." in spoken
    assert "Maybe use faster FusedBatchNorm instead of BatchNorm" in spoken
