"""Keras models that XLA compiles. `python -m tests.loaders.hlo.tf_programs FOLDER` captures all.

Each is captured twice, compiled and not, to `FOLDER/<model>` and `FOLDER/<model>_plain`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

# Only the allocator of oneDNN records what it allocates.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"

import keras
import numpy as np
from keras import layers

import tfprof
from tests.recording.programs import Transformer

_RANDOM = np.random.default_rng(0)


def _data(*sizes: int) -> Any:
    return _RANDOM.random(sizes, dtype="float32")


def cnn() -> Any:
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(8, 3, strides=2, activation="relu"),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, activation="softmax"),
        ]
    )
    return model, "sparse_categorical_crossentropy", _data(256, 28, 28, 1), _labels(256)


def lstm() -> Any:
    x = keras.Input((20, 8))
    model = keras.Model(x, layers.Dense(1)(layers.LSTM(16)(x)))
    return model, "mse", _data(256, 20, 8), _data(256, 1)


def transformer() -> Any:
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    x = _RANDOM.integers(0, 100, (320, 64))
    return Transformer(), loss, x, x


def _labels(count: int) -> Any:
    return _RANDOM.integers(0, 10, count)


MODELS = {make.__name__: make for make in (cnn, lstm, transformer)}
_PLAIN = "_plain"


def main() -> None:
    root = Path(sys.argv[1])
    for name in sys.argv[2:] or [*MODELS, *(f"{name}{_PLAIN}" for name in MODELS)]:
        model, loss, x, y = MODELS[name.removesuffix(_PLAIN)]()
        model.compile("adam", loss, jit_compile=not name.endswith(_PLAIN))
        callback = tfprof.KerasCallback(root / name, steps=(2, 4))
        model.fit(x, y, batch_size=64, verbose=0, callbacks=[callback])


if __name__ == "__main__":
    main()
