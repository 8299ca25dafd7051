"""Calls of `run` on TensorFlow 1 sessions, and the class that defines it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RunCall:
    """One call of `session.run`, to make unchanged or traced."""

    run: Any
    session: Any
    fetches: Any
    feed_dict: Any
    options: Any
    run_metadata: Any

    def run_unchanged(self) -> Any:
        """Run with the caller's arguments."""
        return self._call(self.options, self.run_metadata)

    def run_traced(self, metadata: Any) -> Any:
        """Run with a full trace; the caller's options are left as they were."""
        kind = sys.modules["tensorflow"].compat.v1.RunOptions
        options = kind()
        if self.options is not None:
            options.CopyFrom(self.options)
        options.trace_level = kind.FULL_TRACE
        return self._call(options, metadata)

    def _call(self, options: Any, metadata: Any) -> Any:
        return self.run(self.session, self.fetches, self.feed_dict, options, metadata)

    def metadata(self) -> Any:
        """The caller's message to trace into, or a new one."""
        if self.run_metadata is not None:
            return self.run_metadata
        return sys.modules["tensorflow"].compat.v1.RunMetadata()

    def fetch_names(self) -> str:
        """The names of the fetches, sorted."""
        flat = sys.modules["tensorflow"].nest.flatten(self.fetches, expand_composites=True)
        return "-".join(sorted(str(getattr(item, "name", item)) for item in flat))


def base_session() -> Any:
    """The class whose `run` all sessions share."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None:
        raise RuntimeError("ProfileContext watches tf.compat.v1 sessions: import tensorflow first")
    for kind in tensorflow.compat.v1.Session.__mro__:
        if "run" in vars(kind):
            return kind
    raise RuntimeError("this TensorFlow has no session to watch")
