"""TensorFlow, imported once per session, as the original that answers are compared with."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.models import MODELS, Training


@pytest.fixture(scope="session")
def tf() -> Any:
    """TensorFlow itself; its own deprecation warnings are not ours to fail on."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import keras  # noqa: F401  its import warns too
        import tensorflow
    tensorflow.get_logger().setLevel("ERROR")
    return tensorflow


@pytest.fixture(
    scope="module", params=[f"{name}-{kind}" for name in MODELS for kind in ["ref", "res"]]
)
def training(request: pytest.FixtureRequest, tf: Any) -> Iterator[Training]:
    """A training graph with reference or resource variables, and three traced steps of it."""
    name, _, kind = request.param.partition("-")
    with Training(tf, name, resource=kind == "res") as made:
        yield made


@pytest.fixture(scope="module")
def resnet(tf: Any) -> Iterator[Training]:
    """The residual network alone, where one model is enough."""
    with Training(tf, "resnet", resource=True) as made:
        yield made
