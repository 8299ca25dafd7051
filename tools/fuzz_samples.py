"""Write tests/data/samples, with which the fuzzer starts: graphs of every kind of op, Keras models.

Needs TensorFlow, which the fuzzer does not. Run it when a family of ops or a model is new:
`python -m tools.fuzz_samples`.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.flops.layers.keras_models import MODELS
from tests.flops.random_ops import FAMILIES, build

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "data" / "samples"
_KEPT_MODELS = ("nested_functional", "operators", "lstm", "same_names", "perceptron")
_KEPT_FILES = ("saved_model.pb", "variables/variables.index", "fingerprint.pb")
_SIZE_UNKNOWN = 0.3


def main() -> None:
    """Write all samples anew."""
    shutil.rmtree(SAMPLES, ignore_errors=True)
    _write_ops()
    for name in _KEPT_MODELS:
        _write_model(name)
    _write_checkpoint()


def _write_ops() -> None:
    """A graph of each family, and one in which some sizes are unknown."""
    folder = SAMPLES / "ops"
    folder.mkdir(parents=True)
    for family in FAMILIES:
        graph = build(tf, family, 0)[1]
        (folder / f"{family}.pb").write_bytes(graph.SerializeToString(deterministic=True))
        dice = random.Random(0)
        for node in graph.node:
            for dim in node.attr["shape"].shape.dim if node.op == "Placeholder" else ():
                dim.size = -1 if dice.random() < _SIZE_UNKNOWN else dim.size
        (folder / f"{family}_unknown.pb").write_bytes(graph.SerializeToString(deterministic=True))


def _write_model(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = MODELS[name]()
        tf.saved_model.save(model, folder)
        for file in _KEPT_FILES:
            target = SAMPLES / "models" / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(folder) / file, target)


def _write_checkpoint() -> None:
    """A small object-based checkpoint with an optimizer's slots, strings and a counter."""
    folder = SAMPLES / "checkpoint"
    folder.mkdir(parents=True)
    model = tf.Module()
    model.weights = tf.Variable(tf.ones((3, 2)), name="w")
    model.words = tf.Variable(["a", "long" * 50], name="words")
    model.half = tf.Variable(tf.ones(3, tf.bfloat16), name="half")
    model.flag = tf.Variable([True, False], name="flag")
    import keras

    optimizer = keras.optimizers.Adam()
    dense = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    optimizer.build(dense.trainable_variables)
    saved = tf.train.Checkpoint(model=model, dense=dense, optimizer=optimizer)
    saved.save(str(folder / "model"))


if __name__ == "__main__":
    main()
