"""Counters for PyTorch: `python -m benchmarks.truth.torch_counters FOLDER [NAME]`.

FlopCounterMode and fvcore count a run of the same Keras models with the backend `torch`.
"""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.truth.case import Case
from benchmarks.truth.store import measure, note_versions, quiet, wanted

__all__ = ["sample"]

# What fvcore counts besides these (normalisations, upsampling) is element-wise.
_CONTRACTIONS = ("conv", "addmm", "matmul", "bmm", "einsum", "linear", "mm")


def main(argv: list[str]) -> int:
    """Count with the counters that are installed."""
    os.environ["KERAS_BACKEND"] = "torch"
    folder = Path(argv[0])
    cases = [case for case in wanted("".join(argv[1:2])) if case.kind != "function"]
    note_versions(folder, "torch", "fvcore")
    with quiet() as log:
        measure(folder, "torch", cases, _torch, log=log)
        forward = [case for case in cases if case.kind == "model"]
        measure(folder, "fvcore", forward, _fvcore, log=log)
    return 0


def sample(keras: Any, model: Any, size: int) -> Any:
    """An example of what a model takes, with a number for every unknown size."""
    taken = model.inputs[0]
    return keras.ops.ones([length or size for length in taken.shape], dtype=taken.dtype)


def _torch(case: Case) -> dict[str, Any]:
    import keras
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    keras.backend.clear_session()
    model = case.build(keras)
    x = sample(keras, model, case.batch)
    training = case.kind == "train"
    with FlopCounterMode(display=False) as counter, torch.set_grad_enabled(training):
        result = model(x, training=training)
        if training:
            keras.ops.mean(keras.ops.square(result)).backward()
    return {"float_ops": counter.get_total_flops()}


def _fvcore(case: Case) -> dict[str, Any]:
    import keras
    import torch
    from fvcore.nn import FlopCountAnalysis

    keras.backend.clear_session()
    logging.disable()
    model = case.build(keras).eval()
    with torch.no_grad():
        analysis = FlopCountAnalysis(model, sample(keras, model, case.batch))
        counts: Counter[str] = analysis.by_operator()
    return {
        "float_ops": int(2 * sum(counts[name] for name in _CONTRACTIONS)),
        "other": int(sum(count for name, count in counts.items() if name not in _CONTRACTIONS)),
        "unsupported": dict(analysis.unsupported_ops()),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
