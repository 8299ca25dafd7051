"""The demo profiles, as `tfprof --demo` and `tfprof --demo keras` load them.

`resnet`: two training steps of a residual network of 32 layers, batch 128, on a CPU, made by
`tools/make_demo.py`. The model is the one that tfprof's tutorials print, and so are its numbers:
464,154 trainable parameters, 930,581 with the optimizer's, and 17.63 billion float operations in
the convolutions of the forward pass.

`keras`: three steps of `model.fit` of a small transformer with layers of its own, captured by
`tfprof.KerasCallback`, made by `tools/make_keras_demo.py`.

`FLEET` is a store of six steps of two workers and two parameter servers, traced by
`benchmarks/fleet/cluster.py`, which `tfprof fleet --demo` asks about.

`definitions` and everything above may import it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
FLEET = FOLDER / "fleet"
DEFAULT = "resnet"
_PATHS: dict[str, dict[str, Any]] = {
    # A checkpoint is a prefix, as TensorFlow names checkpoints.
    DEFAULT: {
        "graph": FOLDER / "graph.pb",
        "run_meta": [FOLDER / "run_meta_0", FOLDER / "run_meta_1"],
        "op_log": FOLDER / "tfprof_log",
        "checkpoint": FOLDER / "model.ckpt",
    },
    "keras": {"profile": FOLDER / "keras"},
}
NAMES = tuple(_PATHS)


def paths(name: str = DEFAULT) -> dict[str, Any]:
    """The files of a demo, as arguments of `tfprof.load`."""
    return dict(_PATHS[name])
