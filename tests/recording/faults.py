"""Faults while a program is captured: `python -m tests.recording.faults FOLDER`.

A process of its own runs them, and prints the losses, warnings and notes of each.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers
from tensorflow.python.eager import context

import tfprof
from tfprof.recording import eager_nodes

_X = np.linspace(0, 1, 128, dtype="float32").reshape(32, 4)


def _train(folder: Path | None) -> list[float]:
    """Fit a model of its own, captured if there is a folder."""
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((4,)), layers.Dense(8), layers.Dense(1)])
    model.compile("adam", "mse", jit_compile=False)
    callbacks = [tfprof.KerasCallback(folder, steps=(1, 3))] if folder else []
    history = model.fit(
        _X, _X[:, :1], batch_size=4, epochs=2, shuffle=False, verbose=0, callbacks=callbacks
    )
    losses: list[float] = history.history["loss"]
    return losses


@contextlib.contextmanager
def _running(folder: Path) -> Iterator[None]:
    """Another profiler runs already."""
    tf.profiler.experimental.start(f"{folder}_other")
    try:
        yield
    finally:
        tf.profiler.experimental.stop()


@contextlib.contextmanager
def _in_the_way(folder: Path) -> Iterator[None]:
    """A file has the name of the folder."""
    folder.write_text("in the way")
    yield


@contextlib.contextmanager
def _replaced(owner: Any, name: str) -> Iterator[Any]:
    """Something that the capture needs fails."""
    original = getattr(owner, name)

    def fail(*_arguments: Any) -> None:
        raise OSError("it fails")

    setattr(owner, name, fail)
    try:
        yield original
    finally:
        setattr(owner, name, original)


@contextlib.contextmanager
def _failing_stop(_folder: Path) -> Iterator[None]:
    """The profiler cannot be stopped."""
    with _replaced(tf.profiler.experimental, "stop") as stop:
        yield
    stop(save=False)


def _no_functions(_folder: Path) -> AbstractContextManager[Any]:
    """TensorFlow does not list its functions."""
    return _replaced(context.context(), "list_function_names")


@contextlib.contextmanager
def _file_sizes(limit: int) -> Iterator[None]:
    """Files cannot grow beyond a size, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextlib.contextmanager
def _full_after_trace(_folder: Path) -> Iterator[None]:
    """The trace is written, and then the disk is full."""
    with _replaced(tf.profiler.experimental, "stop") as stop, contextlib.ExitStack() as stack:

        def stop_and_fill() -> None:
            stop()
            stack.enter_context(_file_sizes(1000))

        tf.profiler.experimental.stop = stop_and_fill
        yield


TRAINING: dict[str, Callable[[Path], AbstractContextManager[Any]]] = {
    "nothing": lambda _folder: nullcontext(),
    "in the way": _in_the_way,
    "running": _running,
    "stop": _failing_stop,
    "functions": _no_functions,
    "full before the trace": lambda _folder: _file_sizes(1000),
    "full after the trace": _full_after_trace,
    "backend": lambda _folder: _replaced(keras.backend, "backend"),
    "eager ops": lambda _folder: _replaced(eager_nodes, "import_module"),
}


@tf.function
def _square(x: Any) -> Any:
    return x * x


def _exception(folder: Path) -> str:
    """The block raises: the caller gets that, and the folder is complete."""
    with contextlib.suppress(ZeroDivisionError), tfprof.capture(folder):
        _square(tf.constant([2.0]))
        raise ZeroDivisionError
    return "raised"


def _nested(folder: Path) -> str:
    """A capture in a capture: the outer one is complete."""
    with tfprof.capture(folder):
        _square(tf.constant([2.0]))
        with tfprof.capture(f"{folder}_inner"):
            _square(tf.constant([2.0]))
    return str(json.loads(Path(f"{folder}_inner", "capture.json").read_text())["notes"])


def _fork(folder: Path) -> str:
    """The child of a fork leaves the block, and does not touch the trace of its parent."""
    with tfprof.capture(folder):
        _square(tf.constant([2.0]))
        child = os.fork()
        if child:
            status = os.waitpid(child, 0)[1]
    if not child:
        os._exit(7)
    return str(os.waitstatus_to_exitcode(status))


def _gone(folder: Path) -> str:
    """A function is collected before the trace stops."""
    with tfprof.capture(folder):

        @tf.function
        def collected(x: Any) -> Any:
            return x + x

        collected(tf.constant([2.0]))
        del collected
        gc.collect()
    return ""


def _again(folder: Path) -> str:
    """A second capture that fails leaves the first one; one without functions has none."""
    with tfprof.capture(folder):
        _square(tf.constant([2.0]))
    before = (folder / "functions.pb").read_bytes()
    with _failing_stop(folder), tfprof.capture(folder):
        _square(tf.constant([2.0]))
    is_kept = (folder / "functions.pb").read_bytes() == before
    is_noted = json.loads((folder / "capture.json").read_text())["notes"] != []
    with _no_functions(folder), tfprof.capture(folder):
        _square(tf.constant([2.0]))
    return f"{is_kept} {is_noted} {(folder / 'functions.pb').exists()}"


class _Raise(keras.callbacks.Callback):  # type: ignore[misc]
    def __init__(self, error: type[BaseException]) -> None:
        super().__init__()
        self._error = error

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002 - Keras names them
        if batch == 3:
            raise self._error


def _fit(*callbacks: Any) -> None:
    model = keras.Sequential([keras.Input((4,)), layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    model.fit(_X, _X[:, :1], batch_size=4, verbose=0, callbacks=list(callbacks))


def _raising_fit(folder: Path, error: type[BaseException] = ZeroDivisionError) -> str:
    """`fit` raises in a capture: it is written when the next one starts, which is complete."""
    with contextlib.suppress(error):
        _fit(tfprof.KerasCallback(folder, steps=(2, 6)), _Raise(error))
    with tfprof.capture(f"{folder}_next"):
        _square(tf.constant([2.0]))
    return str(json.loads(Path(f"{folder}_next", "capture.json").read_text())["notes"])


def _interrupted_fit(folder: Path) -> str:
    return _raising_fit(folder, KeyboardInterrupt)


def _second_fit(folder: Path) -> str:
    """A callback captures each `fit` that it is given to, also after one that raised."""
    callback = tfprof.KerasCallback(folder, steps=(2, 6))
    with contextlib.suppress(ZeroDivisionError):
        _fit(callback, _Raise(ZeroDivisionError))
    written = []
    for _ in range(2):
        _fit(callback)
        written.append(max(file.stat().st_mtime_ns for file in folder.rglob("*.xplane.pb")))
    return str(written[0] < written[1])


BLOCKS: dict[str, Callable[[Path], str]] = {
    "exception": _exception,
    "nested": _nested,
    "fork": _fork,
    "gone": _gone,
    "again": _again,
    "raising fit": _raising_fit,
    "interrupted fit": _interrupted_fit,
    "second fit": _second_fit,
}


def _result(folder: Path, run: Callable[[], Any]) -> dict[str, Any]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = run()
    about = folder / "capture.json"
    return {
        "answer": answer,
        "warnings": [str(item.message) for item in caught if "tfprof" in str(item.message)],
        "notes": json.loads(about.read_text())["notes"] if about.is_file() else None,
    }


def main() -> None:
    root = Path(sys.argv[1])
    results = {"untraced": _result(root / "untraced", lambda: _train(None))}
    for number, (name, fault) in enumerate(TRAINING.items()):
        folder = root / str(number)
        with fault(folder):
            results[name] = _result(folder, lambda folder=folder: _train(folder))  # type: ignore[misc]
    for name, block in BLOCKS.items():
        folder = root / name
        results[name] = _result(folder, lambda block=block, folder=folder: block(folder))  # type: ignore[misc]
    print(json.dumps(results))
    with contextlib.suppress(ZeroDivisionError):
        _fit(tfprof.KerasCallback(root / "at exit", steps=(2, 6)), _Raise(ZeroDivisionError))


if __name__ == "__main__":
    main()
