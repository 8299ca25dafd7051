"""A Keras callback that captures some steps of `fit`, for Keras 3 and tf_keras."""

from __future__ import annotations

import operator
import os
import sys
import warnings
from typing import Any

from tfprof.errors import OptionError
from tfprof.recording.capture import Capture, stop_abandoned

_FIRST, _LAST = 2, 5


class _FitCapture:
    """Counts the steps of all epochs, and captures those from `first` up to `last`.

    It has no `on_train_batch_end`: with one, Keras waits for the metrics of every step.
    """

    def __init__(self, folder: str | os.PathLike[str], first: int, last: int) -> None:
        super().__init__()
        # tf_keras converts the metrics of every step unless a callback says this.
        self._supports_tf_logs = True
        self._first, self._last = first, last
        self._folder = folder
        self._capture = Capture(folder, ends_with_fit=True)
        self._steps_before_epoch = self._steps = 0
        self._is_started = False

    def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002 - Keras names them
        """Capture each `fit` that the callback is given to, and count its steps from 0."""
        stop_abandoned()
        self._capture = Capture(self._folder, ends_with_fit=True)
        self._steps_before_epoch = self._steps = 0
        self._is_started = False

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002 - Keras names them
        """Remember how many steps earlier epochs had."""
        self._steps_before_epoch = self._steps

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002 - Keras names them
        """Start the capture before its first step, and stop it after its last one."""
        step = self._steps_before_epoch + batch
        self._steps = step + 1
        if self._is_started:
            self._stop_after(step)
        elif step >= self._first:
            self._is_started = True
            self._capture.first_step = step
            self._capture.start()
        if self._needs_marks:
            self._capture.mark_step(step)

    def on_test_begin(self, logs: Any = None) -> None:  # noqa: ARG002 - Keras names them
        """Stop a capture that has its last step before `fit` validates."""
        self._end_epoch()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002 - Keras names them
        """Stop a capture that has its last step."""
        self._end_epoch()

    def on_train_end(self, logs: Any = None) -> None:  # noqa: ARG002 - Keras names them
        """Stop a capture that has not reached its last step."""
        self._capture.stop()
        if not self._is_started:
            warnings.warn(
                f"tfprof.KerasCallback: nothing was captured, since training had {self._steps} "
                f"steps; give steps=(0, {min(max(self._steps, 1), 3)})",
                RuntimeWarning,
                stacklevel=2,
            )

    @property
    def _needs_marks(self) -> bool:
        """Whether steps are no runs of a function, or the program numbers them anew each epoch."""
        model = getattr(self, "model", None)
        tf_keras = sys.modules.get("tf_keras")
        is_tf_keras = tf_keras is not None and isinstance(model, tf_keras.Model)
        return is_tf_keras or bool(getattr(model, "run_eagerly", False))

    def _end_epoch(self) -> None:
        # One call may run several steps, of which only the first is announced.
        in_epoch = (getattr(self, "params", None) or {}).get("steps")
        if isinstance(in_epoch, int) and self._steps > self._steps_before_epoch:
            self._steps = max(self._steps, self._steps_before_epoch + in_epoch)
        self._stop_after(self._steps)

    def _stop_after(self, steps: int) -> None:
        """Stop the capture if so many steps have run that it has its last one."""
        if self._is_started and steps >= self._last:
            self._capture.stop()


def KerasCallback(  # noqa: N802 - users expect the name of a class
    folder: str | os.PathLike[str], steps: tuple[int, int] = (_FIRST, _LAST)
) -> Any:
    """A callback for `model.fit` that captures some steps into a folder.

    `steps` are the first step and the one after the last, counted from 0 over all epochs.
    """
    return _callback_class()(folder, *_check_steps(steps))


def _check_steps(steps: Any) -> tuple[int, int]:
    """The first step and the one after the last, as integers."""
    try:
        first, last = map(operator.index, steps)
        is_range = 0 <= first < last and not any(isinstance(step, bool) for step in steps)
    except (TypeError, ValueError):
        is_range = False
    if not is_range:
        raise OptionError(
            f"KerasCallback: steps={steps!r} is no range; give the first step and the one after "
            f"the last, such as steps=({_FIRST}, {_LAST})"
        )
    return first, last


def _callback_class() -> type:
    """A class of all Keras packages that are imported, Keras 3 by default."""
    bases = [
        module.callbacks.Callback
        for name in ("keras", "tf_keras")
        if (module := sys.modules.get(name)) is not None
    ]
    if not bases:
        import keras

        bases = [keras.callbacks.Callback]

    class TfprofCallback(_FitCapture, *dict.fromkeys(bases)):  # type: ignore[misc]
        """Captures some steps of `fit`."""

        # tf_keras sets the model, of Keras 3 it is a read-only property.
        model: Any = None

        def set_model(self, model: Any) -> None:
            """Keep the model that is trained."""
            self.model = model

    return TfprofCallback
