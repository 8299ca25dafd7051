"""`python -m benchmarks.small`: listing a checkpoint and starting the demo, beside TensorFlow."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.run import environment

__all__ = ["main"]

_WRITE = """
import sys, tensorflow as tf
variables = {f"layer_{i}/weights": tf.Variable(tf.zeros([8, 8])) for i in range(int(sys.argv[2]))}
tf.compat.v1.train.Saver(variables).save(None, sys.argv[1])
"""
_LIST_ORIGINAL = """
import sys, tensorflow as tf
print(len(tf.train.load_checkpoint(sys.argv[1]).get_variable_to_shape_map()))
"""
_LIST_OURS = """
import sys
from tfprof.loaders.checkpoint import open_checkpoint
print(len(open_checkpoint(sys.argv[1]).tensors))
"""
_DEMO = "import sys; from tfprof.cli import main; sys.exit(main(['--demo', 'op']))"
_SCRIPTS = {
    "list a checkpoint": (_LIST_ORIGINAL, _LIST_OURS),
    "import or --demo op": ("import tensorflow", _DEMO),
}


def main(argv: list[str] | None = None) -> int:
    """Print the least time of each; both sides include starting Python."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small", description=__doc__)
    parser.add_argument("--variables", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder) / "model.ckpt")
        _seconds(_WRITE, prefix, str(arguments.variables))
        for name, scripts in _SCRIPTS.items():
            original, ours = (
                min(_seconds(script, prefix) for _ in range(arguments.repeat)) for script in scripts
            )
            print(f"{name:20} {original:7.3f} s {ours:7.3f} s  ratio {original / ours:5.1f}")
    return 0


def _seconds(script: str, *arguments: str) -> float:
    began = time.monotonic()
    command = [sys.executable, "-W", "ignore", "-c", script, *arguments]
    subprocess.run(command, env=environment(), check=True, capture_output=True)
    return time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
