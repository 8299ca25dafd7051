"""Make the demo profile in src/tfprof/demo: train tools/demo_model, keep what tfprof reads.

Needs TensorFlow and about a minute. Graph, types and float operations come out the same every
time; times and memory are what this machine measured. What is changed on the way, and why:

- code traces name files relative to their package and carry the text of the line; frames of
  TensorFlow's decorators, which stand between any two calls, are left out;
- traces keep no clock finer than microseconds, since nothing reads it;
- weights are rounded and momenta set to zero, to make the checkpoint small; the scales of batch
  normalisation, which thirty steps hardly move, are set to those of a trained network.
"""

from __future__ import annotations

import importlib.util
import linecache
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # its kernels fuse nodes of the graph away

import numpy as np
import tensorflow as tf
from tensorflow.core.profiler import tfprof_log_pb2

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "tools" / "demo_model"
DEMO = ROOT / "src" / "tfprof" / "demo"
STEPS = 30
MANTISSA_BITS = 4  # of 23, that the rounded weights keep
CLOCKS = [
    "all_start_nanos",
    "op_start_rel_nanos",
    "op_end_rel_nanos",
    "all_end_rel_nanos",
    "scheduled_nanos",
]
MACHINE = ["site-packages", tempfile.gettempdir(), sys.prefix, str(Path.home()), str(ROOT)]

# The tutorial "I want to see the BatchNorm's gamma value in checkpoint" prints these.
TUTORIAL_SCALES = {
    "unit_1_0/shared_activation/init_bn/gamma": (
        "1.80 2.10 2.06 1.91 2.26 1.86 1.81 1.37 1.78 1.85 1.96 1.54 2.04 2.34 2.22 1.99"
    ),
    "unit_1_0/sub2/bn2/gamma": (
        "1.57 1.83 1.30 1.25 1.59 1.14 1.26 0.82 1.19 1.10 1.48 1.01 0.82 1.23 1.21 1.14"
    ),
}


def main() -> int:
    """Train in a process of its own, so that the code traces begin with the model's."""
    with tempfile.TemporaryDirectory() as folder:
        trained = Path(folder)
        program = [sys.executable, str(MODEL / "resnet_main.py")]
        subprocess.run([*program, f"--train_dir={trained}", f"--steps={STEPS}"], check=True)
        write("graph.pb", (trained / "graph.pb").read_bytes())
        for name in ("run_meta_0", "run_meta_1"):
            write(name, clean_run_meta((trained / name).read_bytes()))
        write("tfprof_log", clean_op_log((trained / "tfprof_log").read_bytes()))
        write_checkpoint(read_checkpoint(trained / "model.ckpt"))
    for path in sorted(DEMO.iterdir()):
        if path.is_file() and path.suffix != ".py":
            report(path)
    return 0


def write(name: str, content: bytes) -> None:
    """Write a file of the demo, unless it has a name of this machine."""
    private = [text for text in MACHINE if text.encode() in content]
    if private:
        sys.exit(f"{name} contains {', '.join(private)}")
    (DEMO / name).write_bytes(content)


def clean_run_meta(content: bytes) -> bytes:
    """The trace with its step statistics only."""
    run_meta = tf.compat.v1.RunMetadata.FromString(content)
    kept = tf.compat.v1.RunMetadata(step_stats=run_meta.step_stats)
    for device in kept.step_stats.dev_stats:
        for node in device.node_stats:
            for clock in CLOCKS:
                node.ClearField(clock)
    return bytes(kept.SerializeToString(deterministic=True))


def clean_op_log(content: bytes) -> bytes:
    """The op log with neutral file names and the text of each line."""
    log = tfprof_log_pb2.OpLogProto.FromString(content)
    strings = dict(log.id_to_string)
    ids = {"none": 0}
    for entry in log.log_entries:
        frames = [frame for frame in entry.code_def.traces if not decorates(strings[frame.file_id])]
        entry.code_def.ClearField("traces")
        for frame in frames:
            file = strings[frame.file_id]
            text = linecache.getline(file, frame.lineno).strip()
            entry.code_def.traces.add(
                file_id=ids.setdefault(neutral(file), len(ids)),
                lineno=frame.lineno,
                function_id=ids.setdefault(strings[frame.function_id], len(ids)),
                line_id=ids.setdefault(text, len(ids)) if text else 0,
                func_start_line=frame.func_start_line,
            )
    log.ClearField("id_to_string")
    log.id_to_string.update({number: string for string, number in ids.items()})
    return bytes(log.SerializeToString(deterministic=True))


def neutral(file: str) -> str:
    """A file's name without the folder in which this machine has its package."""
    for folder in (MODEL, package_folder("tensorflow").parent):
        if Path(file).is_relative_to(folder):
            return Path(file).relative_to(folder).as_posix()
    sys.exit(f"a code trace leads through an unknown file: {file}")


def decorates(file: str) -> bool:
    """Whether a file holds only wrappers that TensorFlow puts around its functions."""
    return neutral(file).startswith(("tensorflow/python/util/", "tensorflow/python/profiler/"))


def package_folder(name: str) -> Path:
    """The folder of an installed package."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        sys.exit(f"{name} is not installed")
    return Path(spec.origin).parent


def read_checkpoint(prefix: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The variables of a checkpoint as the demo shows them, by name."""
    reader = tf.train.load_checkpoint(str(prefix))
    values = {name: reader.get_tensor(name) for name in sorted(reader.get_variable_to_shape_map())}
    scales = np.random.default_rng(32)
    for name, value in values.items():
        if name.endswith("/Momentum"):
            values[name] = np.zeros_like(value)
        elif name.endswith("/gamma"):
            values[name] = scales.normal(1.4, 0.3, value.shape).round(2).astype(np.float32)
        elif value.dtype == np.float32:
            values[name] = rounded(value)
    for name, numbers in TUTORIAL_SCALES.items():
        values[name] = np.array(numbers.split(), np.float32)
    return values


def rounded(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Float32 values to the nearest with fewer bits, so that they compress."""
    fraction, exponent = np.frexp(values)
    steps = np.float32(2 ** (MANTISSA_BITS + 1))
    return np.ldexp(np.round(fraction * steps) / steps, exponent).astype(np.float32)


def write_checkpoint(values: dict[str, np.ndarray[Any, Any]]) -> None:
    """A checkpoint in TensorFlow's second format, as its Saver writes it."""
    tf.raw_ops.SaveV2(
        prefix=str(DEMO / "model.ckpt"),
        tensor_names=list(values),
        shape_and_slices=[""] * len(values),
        tensors=list(values.values()),
    )
    for path in DEMO.glob("model.ckpt.*"):
        write(path.name, path.read_bytes())


def report(path: Path) -> None:
    """Print a file's size, as it is and compressed."""
    content = path.read_bytes()
    print(f"{path.name:32} {len(content):>9,} bytes {len(zlib.compress(content)):>9,} compressed")


if __name__ == "__main__":
    sys.exit(main())
