"""The demo profile: two training steps of a residual network of 32 layers, batch 128, on a CPU.

`tools/make_demo.py` makes the files. The model is the one that tfprof's tutorials print, and so
are its numbers: 464,154 trainable parameters, 930,581 with the optimizer's, and 17.63 billion
float operations in the convolutions of the forward pass.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def paths() -> dict[str, Any]:
    """The demo's files; `checkpoint` is a prefix, as TensorFlow names checkpoints."""
    return {
        "graph": FOLDER / "graph.pb",
        "run_meta": [FOLDER / "run_meta_0", FOLDER / "run_meta_1"],
        "op_log": FOLDER / "tfprof_log",
        "checkpoint": FOLDER / "model.ckpt",
    }
