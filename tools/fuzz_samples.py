"""Write tests/data/samples, with which the fuzzer starts: graphs of all ops, models, captures.

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

import tfprof
from tests.flops.layers.keras_models import MODELS
from tests.flops.random_ops import FAMILIES, build
from tests.recording.programs import custom_loop, nested, open_batch
from tfprof.loaders.xplane.folders import DEBUG_INFO, find_traces
from tools.make_keras_demo import MACHINE
from tools.neutral_trace import neutral, neutral_debug_info

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "data" / "samples"
_KEPT_MODELS = ("nested_functional", "operators", "lstm", "same_names", "perceptron")
_KEPT_FILES = (
    *("saved_model.pb", "fingerprint.pb"),
    *("variables/variables.index", "variables/variables.data-00000-of-00001"),
)
_SIZE_UNKNOWN = 0.3


def main() -> None:
    """Write all samples anew."""
    shutil.rmtree(SAMPLES, ignore_errors=True)
    _write_ops()
    for name in _KEPT_MODELS:
        _write_model(name)
    _write_checkpoint()
    _write_captures()


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


def _write_captures() -> None:
    """Captures of small programs: functions, loops, open batch sizes, one compiled by XLA."""
    for program in (custom_loop, nested, open_batch, _compiled):
        with tempfile.TemporaryDirectory() as folder:
            program(Path(folder))
            name = program.__name__.strip("_")
            _write_capture(Path(folder), SAMPLES / "captures" / name)


def _write_capture(captured: Path, target: Path) -> None:
    found = find_traces(captured)
    assert found is not None
    contents = {path.name: path.read_bytes() for path in captured.iterdir() if path.is_file()}
    contents[DEBUG_INFO] = neutral_debug_info(contents[DEBUG_INFO])
    contents["plugins/profile/run/host.xplane.pb"] = neutral(found.traces[0].read_bytes())
    for name, content in contents.items():
        private = [text for text in MACHINE if text.encode() in content]
        if private:
            raise SystemExit(f"{target.name}/{name} contains {', '.join(private)}")
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)


def _compiled(folder: Path) -> None:
    """A training step with a loop and a call, compiled by XLA."""
    weights = tf.Variable(tf.ones((6, 5)))

    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(x @ weights)

    @tf.function(jit_compile=True)
    def train_step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = inner(x)
            for _ in tf.range(3):
                y = y * 0.5
            loss = tf.reduce_mean(y)
        weights.assign_sub(tape.gradient(loss, weights))
        return loss

    x = tf.ones((3, 6))
    train_step(x)
    with tfprof.capture(folder):
        for _ in range(2):
            train_step(x)


if __name__ == "__main__":
    main()
