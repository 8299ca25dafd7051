"""Calls of `run` on TensorFlow 1 sessions, and the class they all go through."""

from __future__ import annotations

import sys
from typing import Any


class RunCall:
    """One call of `run`, to make as it is or traced."""

    __slots__ = ("_arguments", "_options", "_run", "_session", "_theirs")

    def __init__(
        self, run: Any, session: Any, fetches: Any, feeds: Any, options: Any, metadata: Any
    ) -> None:
        self._run = run
        self._session = session
        self._arguments = (fetches, feeds)
        self._options = options
        self._theirs = metadata

    @property
    def graph(self) -> Any:
        """The session's graph."""
        return self._session.graph

    def plain(self) -> Any:
        """The run as it was asked for."""
        return self._run(self._session, *self._arguments, self._options, self._theirs)

    def metadata(self) -> Any:
        """The caller's message to trace into, or one of our own."""
        if self._theirs is not None:
            return self._theirs
        return sys.modules["tensorflow"].compat.v1.RunMetadata()

    def traced(self, metadata: Any) -> Any:
        """The run with a full trace; the caller's options are left as they were."""
        kind = sys.modules["tensorflow"].compat.v1.RunOptions
        options = kind()
        if self._options is not None:
            options.CopyFrom(self._options)
        options.trace_level = kind.FULL_TRACE
        return self._run(self._session, *self._arguments, options, metadata)

    def fetch_names(self) -> str:
        """The names of what is fetched, sorted."""
        flat = sys.modules["tensorflow"].nest.flatten(self._arguments[0], expand_composites=True)
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
