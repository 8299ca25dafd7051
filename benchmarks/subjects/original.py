"""The C++ tfprof that TensorFlow contains, called the way its Python API does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf
from google._upb import _message as upb
from tensorflow.python.profiler import model_analyzer

__all__ = ["Original"]

_MESSAGES = {
    "scope": tf.compat.v1.profiler.GraphNodeProto,
    "graph": tf.compat.v1.profiler.GraphNodeProto,
    "op": tf.compat.v1.profiler.MultiGraphNodeProto,
    "code": tf.compat.v1.profiler.MultiGraphNodeProto,
}
upb.SetAllowOversizeProtos(True)  # results are nested deeper than the parser's limit of 100


class Original:
    """The process-wide profiler of the original."""

    def __init__(self) -> None:
        """Nothing is loaded yet."""
        self._native: Any = model_analyzer.print_mdl

    def load(self, folder: Path) -> None:
        """Read the graph and the op log."""
        self._native.NewProfiler(
            (folder / "graph.pb").read_bytes(), (folder / "tfprof_log").read_bytes()
        )

    def add_step(self, path: Path, step: int) -> None:
        """Add a run; the graph is not added again, as on the command line."""
        self._native.AddStep(step, b"", path.read_bytes(), b"")

    def forget_views(self) -> None:
        """Each view is built at its first request, independent of the others."""

    def write(self, view: str, options: dict[str, Any], output: str) -> None:
        """Write a view; the result is made as well, it cannot be turned off."""
        self._profile(view, options, output)

    def message(self, view: str, options: dict[str, Any]) -> Any:
        """The result, parsed."""
        return _MESSAGES[view].FromString(self._profile(view, options, "none"))

    def serialize(self) -> bytes:
        """The profile as a ProfileProto."""
        data: bytes = self._native.SerializeToString()
        return data

    def advise(self) -> Any:
        """The advice of all checkers."""
        options = model_analyzer._build_advisor_options(model_analyzer.ALL_ADVICE)
        return self._native.Profile(b"advise", options.SerializeToString())

    def one_shot(self, folder: Path, view: str, options: dict[str, Any]) -> Any:
        """Files to the result of one view, in one call."""
        names = ("graph.pb", "run_meta_0", "tfprof_log")
        files = [(folder / name).read_bytes() for name in names]
        built = model_analyzer._build_options(options | {"output": "none"})
        data = self._native.PrintModelAnalysis(*files, view.encode(), built.SerializeToString())
        return _MESSAGES[view].FromString(data)

    def _profile(self, view: str, options: dict[str, Any], output: str) -> bytes:
        built = model_analyzer._build_options(options | {"output": output})
        data: bytes = self._native.Profile(view.encode(), built.SerializeToString())
        return data
