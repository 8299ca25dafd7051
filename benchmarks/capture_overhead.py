"""What capturing costs: `python -m benchmarks.capture_overhead FOLDER` prints it as JSON.

An LSTM is trained by `fit`, without the callback, with one whose steps come later, and captured. A
step's time is processor time, which other work on the machine disturbs less; the least of some
rounds counts, all kinds in turn.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import layers

import tfprof

__all__: list[str] = []

_STEPS, _ROUNDS, _WARM_UP = 30, 5, 3
_NEVER = 10**9


class _StepTimes(keras.callbacks.Callback):  # type: ignore[misc]
    """The processor time from the first batch to the last."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        """Start at the first batch after the warm-up."""
        if batch == _WARM_UP:
            self.start = time.process_time()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        """End at the last batch."""
        if batch == _STEPS - 1:
            self.time = time.process_time() - self.start


def main(folder: Path) -> None:
    """Train in turn without, beside and under a capture."""
    generator = np.random.default_rng(0)
    inputs = keras.Input((20, 8))
    model = keras.Model(inputs, layers.Dense(1)(layers.LSTM(16)(inputs)))
    model.compile("adam", "mse", jit_compile=False)
    x = generator.random((64 * _STEPS, 20, 8), dtype="float32")
    y = generator.random((64 * _STEPS, 1), dtype="float32")

    def fit(*callbacks: Any) -> float:
        times = _StepTimes()
        model.fit(x, y, batch_size=64, verbose=0, shuffle=False, callbacks=[times, *callbacks])
        return 1000 * times.time / (_STEPS - _WARM_UP)

    fit()
    least: dict[str, list[float]] = {"none": [], "untraced": [], "traced": []}
    for _ in range(_ROUNDS):
        shutil.rmtree(folder, ignore_errors=True)
        least["none"].append(fit())
        least["untraced"].append(
            fit(tfprof.KerasCallback(folder / "never", steps=(_NEVER, _NEVER + 1)))
        )
        least["traced"].append(fit(tfprof.KerasCallback(folder, steps=(_WARM_UP, _STEPS))))
    spread = max(least["none"]) - min(least["none"])
    print(json.dumps({name: min(values) for name, values in least.items()} | {"spread": spread}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
