"""Capture the steps of a running TensorFlow 2 program into a folder.

A failure never reaches the program: it is one warning, and the folder says what is missing.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tfprof.errors import OptionError
from tfprof.loaders.files import read_file
from tfprof.loaders.xplane.event_kinds import STEP_MARK
from tfprof.loaders.xplane.folders import ABOUT, DEBUG_INFO, FUNCTIONS, VARIABLES, find_traces
from tfprof.loaders.xplane.host_trace import HostTrace
from tfprof.loaders.xplane.op_events import EAGER, has_session_runs, root_functions
from tfprof.loaders.xplane.planes import Plane, Trace
from tfprof.recording.eager_nodes import EagerNodes, Frame
from tfprof.runtime.exceptions import is_error

LEVEL = 3
"""The level of the host's tracer that records every op."""

_SETTLE_SECONDS = 0.05
"""Events that are still open when the trace stops are lost."""

_PACKAGES = ("tensorflow", "keras", "tf_keras")
"""Packages whose versions are recorded."""

_INNER = (f"{Path(__file__).resolve().parent.parent}{os.sep}", contextlib.__file__)
"""Files whose lines tell a user nothing."""

_running: list[Capture] = []
"""The capture whose trace is running, if any: TensorFlow has one profiler for the process."""


class _Number:
    """A number that is no bool: TensorFlow 2.20 and 2.21 take a plain 3 for True, which is 1."""

    def __init__(self, value: int) -> None:
        self._value = value

    def __index__(self) -> int:
        return self._value


class Capture:
    """Traces what runs between `start` and `stop`, or in a `with` block, into a folder.

    with tfprof.capture("run1"):
        train_step(x)

    The folder has the trace, which TensorBoard opens too, and the graphs, stacks and variables of
    the functions that ran. `tfprof run1` opens it.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        first_step: int = 0,
        script: str = "",
        ends_with_fit: bool = False,
    ) -> None:
        # A program may change its working directory before the trace stops.
        self.folder = _check_folder(folder).absolute()
        self.first_step = first_step
        """The number of the first step that is traced."""
        self.notes: list[str] = []
        """What is missing in the folder, and why."""
        self._script = script
        self._steps: list[int] = []
        self._process = 0
        # Keras does not tell a callback that `fit` raises.
        self._ends_with_fit = ends_with_fit
        self._earlier: dict[Path, int] = {}
        self._has_warned = False
        self._eager_nodes = EagerNodes()

    def __enter__(self) -> Capture:  # noqa: PYI034 - typing.Self is not in Python 3.10
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    @property
    def is_running(self) -> bool:
        """Whether the trace is running; a process that was forked meanwhile has no trace."""
        return self._process == os.getpid()

    def start(self) -> None:
        """Start the trace."""
        if self.is_running:
            return
        self._steps = []
        stop_abandoned()
        with self._report_faults("the trace was not started"):
            import tensorflow as tf

            self.folder.mkdir(parents=True, exist_ok=True)
            self._earlier = self._traces()
            _check_keras_backend()
            options = tf.profiler.experimental.ProfilerOptions(
                host_tracer_level=_Number(LEVEL),
                python_tracer_level=_Number(0),
                device_tracer_level=_Number(1),
            )
            try:
                tf.profiler.experimental.start(os.fspath(self.folder), options)
            except tf.errors.AlreadyExistsError:
                raise RuntimeError(f"Another profiler is running: {_how_to_stop_it()}") from None
            self._process = os.getpid()
            _running[:] = [self]
        if not self.is_running:
            self._save_about()
            return
        self._eager_nodes = EagerNodes()
        with self._report_faults("ops that Python runs one by one have no stacks"):
            self._eager_nodes.install()

    def stop(self) -> None:
        """Stop the trace, and save what the program knows of the functions in it."""
        if not self.is_running:
            return
        self._process = 0
        _running.clear()
        self._eager_nodes.uninstall()
        with self._report_faults("the trace was not written"):
            import tensorflow as tf

            try:
                time.sleep(_SETTLE_SECONDS)
            finally:
                # Also after an interrupt: nobody else stops it.
                tf.profiler.experimental.stop()
        self.save_program()

    def mark_step(self, step: int) -> None:
        """Mark the start of a step, which runs of functions do not tell."""
        if self.is_running:
            with self._report_faults("steps are not marked"):
                import tensorflow as tf

                with tf.profiler.experimental.Trace(STEP_MARK, step_num=step, _r=1):
                    pass

    def save_program(self) -> None:
        """Save what the program knows of the functions in the trace, and what the folder has."""
        with self._report_faults("graphs and stacks were not saved"):
            planes = self._read_planes()
            self._steps, eager_ops = self._read_executions()
            self._save_functions(planes, eager_ops)
        self._save_about()

    def stop_if_abandoned(self) -> None:
        """Stop the trace of a `fit` that raised or was interrupted."""
        if self.is_running and self._ends_with_fit:
            self._report(
                "fit did not reach the last step of the capture, which has what ran until the "
                "next one or the end of the program"
            )
            self.stop()

    def _traces(self) -> dict[Path, int]:
        """The files of the newest trace in the folder, and when they were written."""
        files = find_traces(self.folder)
        return {file: file.stat().st_mtime_ns for file in files.traces} if files else {}

    def _read_planes(self) -> list[Plane]:
        """The planes of the trace. A file that is not complete is deleted: nothing can read it."""
        traces = self._traces()
        if traces == self._earlier:
            raise OSError("no trace was written")
        try:
            planes = [
                p for file in traces for p in Trace(memoryview(read_file(file, "the trace"))).planes
            ]
        except (DecodeError, ValueError):
            planes = []
        if not planes:
            for file in traces:
                file.unlink()
            raise OSError("the trace is not complete; is the disk full?")
        return planes

    def _read_executions(self) -> tuple[list[int], list[str]]:
        """The numbers of the steps in the trace, as they are when the folder is opened.

        And the nodes of the ops that Python ran one by one.
        """
        hosts = [HostTrace(file, task, is_alone=True) for task, file in enumerate(self._traces())]
        ops = [part.ops for host in hosts for part in host.device_traces(self.first_step)]
        steps = {step for part in ops for step in np.unique(part.step).tolist()}
        return sorted(steps), [name for part in ops for name in part.names_below(EAGER)]

    def _save_functions(self, planes: list[Plane], eager_ops: list[str]) -> None:
        # What an earlier capture left here does not belong to this trace.
        for name in (FUNCTIONS, DEBUG_INFO, VARIABLES):
            (self.folder / name).unlink(missing_ok=True)
        from tfprof.recording.captured_functions import capture_functions

        captured = capture_functions(
            [name for plane in planes for name in root_functions(plane)],
            has_sessions=any(map(has_session_runs, planes)),
            eager_stacks=_stacks_of(eager_ops, self._eager_nodes.stacks),
            script=self._script,
        )
        for name, message in (
            (FUNCTIONS, captured.graph),
            (DEBUG_INFO, captured.debug_info),
            (VARIABLES, captured.variables),
        ):
            data = message.SerializeToString(deterministic=True)
            if data:
                write_whole(self.folder / name, data)
        if captured.missing:
            listed = ", ".join(captured.missing[:3])
            more = f" and {len(captured.missing) - 3} more" if len(captured.missing) > 3 else ""
            self._report(f"functions that were gone when the trace stopped: {listed}{more}")

    def _save_about(self) -> None:
        """Say what is in the folder, unless it is only what an earlier capture left there."""
        with self._report_faults("the folder is not complete"):
            if self._earlier and self._traces() == self._earlier:
                return
            if not self.folder.is_dir():
                return
            versions = {"python": sys.version.split()[0]}
            for name in _PACKAGES:
                if name in sys.modules:
                    versions[name] = str(getattr(sys.modules[name], "__version__", ""))
            about: dict[str, Any] = {
                "steps": self._steps or [self.first_step],
                "notes": self.notes,
                "level": LEVEL,
                "versions": versions,
            }
            write_whole(self.folder / ABOUT, f"{json.dumps(about, indent=1)}\n".encode())

    @contextlib.contextmanager
    def _report_faults(self, what: str) -> Iterator[None]:
        """Keep errors from the program, and report them."""
        try:
            yield
        except BaseException as fault:
            if not is_error(fault):
                raise
            lines = str(fault).strip().splitlines() or [""]
            self._report(f"{what}: {type(fault).__name__}: {lines[0]}")

    def _report(self, problem: str) -> None:
        """Note a problem; warn of the first one."""
        self.notes.append(problem)
        if not self._has_warned:
            self._has_warned = True
            # A program may turn warnings into errors.
            with contextlib.suppress(Exception):
                warn_caller(f"tfprof.capture: {problem}")


def _stacks_of(eager_ops: list[str], stacks: Mapping[str, list[Frame]]) -> dict[str, list[Frame]]:
    """Node -> its stack; an op that another one runs has that of the other."""
    stack_of = {op: stacks.get(op.partition("/")[0]) for op in eager_ops}
    return {f"{EAGER}/{op}": stack for op, stack in stack_of.items() if stack}


def capture(folder: str | os.PathLike[str]) -> Capture:
    """Trace what runs in a `with` block into a folder, which `tfprof FOLDER` opens."""
    return Capture(folder)


def _check_folder(folder: Any) -> Path:
    """A folder's path; an OptionError if it has no name."""
    if not isinstance(folder, (str, os.PathLike)) or not os.fspath(folder):
        raise OptionError(f"folder={folder!r}: name a folder to write to, such as 'run1'")
    try:
        return Path(folder).expanduser()
    except RuntimeError:  # there is no such user
        return Path(folder)


def stop_abandoned() -> None:
    """Stop the trace of a `fit` that raised, and write what it has."""
    for running in [*_running]:
        running.stop_if_abandoned()


@atexit.register
def _stop_at_exit() -> None:
    stop_abandoned()
    for running in [*_running]:
        running.stop()


def _how_to_stop_it() -> str:
    """What to do with the profiler that is running."""
    if any(running.is_running for running in _running):
        return f"a capture into {_running[0].folder}, which must end before the next one starts"
    return (
        "call tf.profiler.experimental.stop() first, or give the TensorBoard callback "
        "profile_batch=0"
    )


def warn_caller(message: str) -> None:
    """Warn of the line that called tfprof, through however many functions of it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INNER):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RuntimeWarning, stacklevel=level)


def write_whole(file: Path, data: bytes) -> None:
    """Write a file that is complete, or not there."""
    part = file.with_name(f"{file.name}.part")
    try:
        part.write_bytes(data)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _check_keras_backend() -> None:
    """A RuntimeError if Keras does not run its models with TensorFlow."""
    backend = getattr(getattr(sys.modules.get("keras"), "backend", None), "backend", None)
    if backend is not None and backend() != "tensorflow":
        raise RuntimeError(
            f"Keras runs its models with {backend()} here, not with TensorFlow; of JAX tfprof "
            "reads what jax.profiler.trace writes"
        )
