"""TensorFlow 2 programs with a problem each: `python -m tests.advisor.programs FOLDER`.

A process of its own captures them, as a user's would.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import tfprof

_SIZE = 400
_SLOW = 0.25
"""Seconds: far more than a step computes, also on a busy machine."""
_WEIGHTS = [tf.Variable(tf.random.normal((_SIZE, _SIZE), stddev=0.01)) for _ in range(6)]


@tf.function(reduce_retracing=False)
def _step(x: Any) -> Any:
    """Matrix products of some milliseconds."""
    for weights in _WEIGHTS:
        x = tf.tanh(x @ weights)
    return tf.reduce_sum(x)


def _batches() -> Iterator[Any]:
    for _ in range(8):
        time.sleep(_SLOW)
        yield np.ones((4, _SIZE), np.float32)


def _dataset() -> Any:
    signature = tf.TensorSpec((4, _SIZE), tf.float32)
    return tf.data.Dataset.from_generator(_batches, output_signature=signature)


def _loop(folder: Path, batches: Any, after_step: Callable[[], None]) -> None:
    iterator = iter(batches)
    for _ in range(2):
        _step(next(iterator))
    with tfprof.capture(folder):
        for _ in range(4):
            _step(next(iterator))
            after_step()


def slow_input(folder: Path) -> None:
    _loop(folder, _dataset(), lambda: None)


def slow_input_of_fit(folder: Path) -> None:
    model = keras.Sequential([keras.Input((_SIZE,)), keras.layers.Dense(_SIZE)])
    model.compile("sgd", "mse", jit_compile=False)
    data = _dataset().map(lambda x: (x, x))
    model.fit(data, verbose=0, callbacks=[tfprof.KerasCallback(folder, steps=(2, 6))])


def slow_python(folder: Path) -> None:
    batch = tf.ones((4, _SIZE))
    _loop(folder, [batch] * 6, lambda: time.sleep(_SLOW))


def retraced(folder: Path) -> None:
    with tfprof.capture(folder):
        for size in range(200, 208):
            _step(tf.ones((size, _SIZE)))


def tiny_ops(folder: Path) -> None:
    x = tf.ones((4,))

    @tf.function
    def many() -> Any:
        y = x
        for _ in range(400):
            y = tf.sin(y) * 1.01 + x
        return y

    many()
    with tfprof.capture(folder):
        for _ in range(3):
            many()


def busy(folder: Path) -> None:
    """No problem: matrix products of a tenth of a second or so, and input that is ready.

    Far longer than a busy machine lets a thread wait.
    """
    batch = tf.ones((16384, _SIZE))
    _step(batch)
    with tfprof.capture(folder):
        for _ in range(5):
            _step(batch)


PROGRAMS: dict[str, Callable[[Path], None]] = {
    program.__name__: program
    for program in (slow_input, slow_input_of_fit, slow_python, retraced, tiny_ops, busy)
}


def main() -> None:
    root = Path(sys.argv[1])
    for name in sys.argv[2:] or PROGRAMS:
        PROGRAMS[name](root / name)


if __name__ == "__main__":
    main()
