"""`python -m benchmarks.truth`: every counter in a process of its own, then the page."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

from benchmarks.truth.page import PAGE, text, wrong
from benchmarks.truth.store import wanted

__all__ = ["main"]

_ROOT = Path(__file__).resolve().parent.parent.parent
_PACKAGES = ["keras", "torch==2.13.0", "fvcore", "jax", "jaxlib"]
_PEERS = {"torch_counters": "torch", "jax_counter": "jax"}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write, and fail where ours is not the truth."""
    options = _parser().parse_args(argv)
    folder: Path = options.folder
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    _worker(sys.executable, "original", folder, options.only)
    _worker(sys.executable, "ours", folder, options.only)
    python = _install(folder) if options.install else options.python
    for module, package in _PEERS.items():
        if python and _has(python, package):
            _worker(python, module, folder, options.only)
    page = text(folder)
    if not options.only:
        (_ROOT / PAGE).write_text(page)
    print(page)
    failures = wrong(folder, wanted(options.only))
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth", description=__doc__)
    kept = Path(tempfile.gettempdir()) / "tfprof-truth"
    parser.add_argument("--folder", type=Path, default=kept, help="keeps exports and findings")
    parser.add_argument("--fresh", action="store_true", help="forget what was found before")
    parser.add_argument("--only", default="", help="cases whose names contain this; no page")
    parser.add_argument("--python", help="a Python that has torch, fvcore, jax and keras")
    parser.add_argument("--install", action="store_true", help="make such a one in the folder")
    return parser


def _install(folder: Path) -> str:
    """A virtual environment of its own for the other counters, never the project's."""
    place = folder / "peers"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        for package in _PACKAGES:  # one by one: what does not install is left out
            subprocess.run([python, "-m", "pip", "install", "-q", package], check=False)
    return str(python)


def _has(python: str, package: str) -> bool:
    environment = os.environ | {"KERAS_BACKEND": package}  # else Keras asks for TensorFlow
    command = [python, "-c", f"import {package}, keras"]
    return subprocess.run(command, env=environment, capture_output=True).returncode == 0


def _worker(python: str, module: str, folder: Path, pattern: str) -> None:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(_ROOT), str(_ROOT / "src")]),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    command = [python, "-m", f"benchmarks.truth.{module}", str(folder), pattern]
    subprocess.run(command, env=environment, cwd=_ROOT, check=module in ("original", "ours"))


if __name__ == "__main__":
    sys.exit(main())
