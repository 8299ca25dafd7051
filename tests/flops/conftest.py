"""TensorFlow, imported once per session, as the oracle of the cost tests."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest


@pytest.fixture(scope="session")
def tf() -> Any:
    """TensorFlow itself; its own deprecation warnings are not ours to fail on."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import keras  # noqa: F401  its import warns too
        import tensorflow
    return tensorflow
