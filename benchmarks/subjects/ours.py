"""Our tfprof, called the way its users do."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

import tfprof
from tfprof.api.advice import print_advice
from tfprof.api.profile import Profile
from tfprof.runtime.malloc import tune_malloc

__all__ = ["Ours"]

_USED = (
    *("advisor", "flops.batch_sizes", "flops.count_profile", "protos.xplane_pb2"),
    *("loaders.graph_def", "loaders.run_metadata"),
    *("outputs.text", "outputs.timeline.writer"),
    *("outputs.protobuf.profile_proto", "outputs.protobuf.result_proto"),
)


class Ours:
    """A profile that is loaded once and asked often."""

    def __init__(self, *, compat: bool) -> None:
        """Answer as the original does (`compat`), or right."""
        self._compat = compat
        self._load, self._one_shot = tfprof.load, tfprof.profile  # imported when first named
        # The original is all there once TensorFlow is imported; so is what ours imports when used.
        for name in _USED:
            import_module(f"tfprof.{name}")
        tune_malloc()  # as the command does in its own process
        pa.array([None])  # Arrow imports pandas with its first array, where that is installed
        self._profile = Profile()

    def load(self, folder: Path) -> None:
        """Read the graph and the op log."""
        self._profile = self._load(
            folder / "graph.pb", op_log=folder / "tfprof_log", compat=self._compat
        )

    def add_step(self, path: Path, step: int) -> None:
        """Add a run."""
        self._profile = self._profile.add_step(step, path, compat=self._compat)

    def forget_views(self) -> None:
        """Drop all that was worked out from the columns."""
        self._profile = self._profile.replace()

    def write(self, view: str, options: dict[str, Any], output: str) -> None:
        """Write a view."""
        self._profile.report(view, options, compat=self._compat).write(output)

    def message(self, view: str, options: dict[str, Any]) -> Any:
        """The result as a message."""
        return self._profile.report(view, options, compat=self._compat).proto()

    def serialize(self) -> bytes:
        """The profile as a ProfileProto."""
        return self._profile.serialize(compat=self._compat)

    def advise(self) -> Any:
        """The advice of all checkers."""
        return print_advice(self._profile, 0, compat=self._compat)

    def one_shot(self, folder: Path, view: str, options: dict[str, Any]) -> Any:
        """Files to the result of one view, in one call."""
        files = [folder / name for name in ("graph.pb", "run_meta_0", "tfprof_log")]
        options = options | {"output": "none"}
        return self._one_shot(*files, view, options, compat=self._compat)
