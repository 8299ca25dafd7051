"""ResNet50's SavedModel from a cold start: `tfprof model DIR` beside TensorFlow's usual recipe.

`python -m benchmarks.saved_model_cost` times both in turn, each in processes of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

_ROOT = Path(__file__).resolve().parent.parent
_TARGET = 10.0

_EXPORT = """
import sys, keras
keras.applications.ResNet50(weights=None).export(sys.argv[1], verbose=False)
"""

# Load, give the batch a size, freeze, import, profile: what the answers on the web say.
_RECIPE = """
import sys
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_v2_as_graph,
)

loaded = tf.saved_model.load(sys.argv[1])
spec = tf.TensorSpec((1, 224, 224, 3))
function = tf.function(loaded.serve).get_concrete_function(spec)
_, graph_def = convert_variables_to_constants_v2_as_graph(function)
with tf.Graph().as_default() as graph:
    tf.import_graph_def(graph_def, name="")
    options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()
    options["output"] = "none"
    root = tf.compat.v1.profiler.profile(graph, cmd="op", options=options)
print("float operations", f"{root.total_float_ops:,}")
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the minimum time of each, and the ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--saved-model", type=Path, help="an export of ResNet50; made if left out")
    parser.add_argument("--repeat", type=int, default=3, help="processes of each (%(default)s)")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="tfprof-resnet-") as temporary:
        folder = options.saved_model or Path(temporary)
        if not options.saved_model:
            _run([sys.executable, "-c", _EXPORT, str(folder)])
        return _compare(folder, options.repeat)


def _compare(folder: Path, repeat: int) -> int:
    commands = {
        "tfprof model": [sys.executable, "-m", "tfprof", "model", str(folder)],
        "freeze and profile": [sys.executable, "-c", _RECIPE, str(folder)],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    output: dict[str, str] = {}
    for _ in range(repeat):  # in turn, so that a busy machine is busy for both
        for name, command in commands.items():
            began = time.perf_counter()
            output[name] = _run(command)
            times[name].append(time.perf_counter() - began)
    for name, seconds in times.items():
        lines = [line for line in output[name].splitlines() if "float operations" in line]
        print(f"{name:20} {min(seconds):7.2f} s   {' '.join(lines).strip()}")
    ours, theirs = (min(seconds) for seconds in times.values())
    verdict = "reached" if theirs / ours >= _TARGET else "NOT reached"
    print(f"{'ratio':20} {theirs / ours:7.1f}     target at least {_TARGET:g}: {verdict}")
    return 0 if theirs / ours >= _TARGET else 1


def _run(command: list[str]) -> str:
    paths = [str(_ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{command[:4]} failed:\n{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
