"""What all tests share: the examples that Hypothesis draws, and how TensorFlow behaves.

The examples are the same in every run, so that a failure is one of the change at hand;
`HYPOTHESIS_PROFILE=explore` draws new ones. TensorFlow reads its settings when it is imported: it
says nothing, and runs its own kernels.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
