"""`tf.compat.v1.profiler` answered by tfprof, so that existing programs need no edit."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["install", "uninstall"]

# Where TensorFlow keeps the names: public modules by attribute, and the modules behind them.
_PUBLIC = (
    "compat.v1.profiler",
    "profiler",
    "contrib.tfprof",
    "contrib.tfprof.model_analyzer",
    "contrib.tfprof.tfprof_logger",
)
_INTERNAL = ("model_analyzer", "option_builder", "tfprof_logger")
_MISSING = object()
_replaced: list[tuple[Any, str, Any]] = []


def install(*, compat: bool = False) -> None:
    """Make TensorFlow's profiler functions and classes ours, until `uninstall`.

    With `compat` they answer like the original. TensorFlow must be imported already, or importable.
    """
    uninstall()
    names = _names(compat)
    for module in _modules():
        known = [name for name in names if hasattr(module, name)]
        if not known:
            continue
        if "Profiler" in known:
            known.append("ProfileContext")
        for name in known:
            _replaced.append((module, name, getattr(module, name, _MISSING)))
            setattr(module, name, names[name])


def uninstall() -> None:
    """Give TensorFlow its own functions and classes back."""
    while _replaced:
        module, name, old = _replaced.pop()
        if old is _MISSING:
            delattr(module, name)
        else:
            setattr(module, name, old)


def _names(compat: bool) -> dict[str, Any]:
    from tfprof.api import functions, profiler
    from tfprof.definitions.option_builder import ProfileOptionBuilder
    from tfprof.tf_compat import model_analyzer, profile_context

    class Profiler(profiler.Profiler):
        """tfprof's profiler with the `compat` of `install`."""

        def __init__(self, graph: Any = None, op_log: Any = None) -> None:
            super().__init__(graph, op_log, compat=compat)

    class ProfileContext(profile_context.ProfileContext):
        """tfprof's context with the `compat` of `install`."""

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **{"compat": compat, **named})

    calls: dict[str, Callable[..., Any]] = {
        "profile": functions.profile,
        "advise": functions.advise,
        "write_op_log": functions.write_op_log,
        "print_model_analysis": model_analyzer.print_model_analysis,
    }
    return {
        **{name: functools.partial(call, compat=compat) for name, call in calls.items()},
        "Profiler": Profiler,
        "ProfileContext": ProfileContext,
        "ProfileOptionBuilder": ProfileOptionBuilder,
    }


def _modules() -> Iterator[Any]:
    import tensorflow

    for path in _PUBLIC:
        module = tensorflow
        for part in path.split("."):
            module = getattr(module, part, None)
        if module is not None:
            yield module
    for name in _INTERNAL:
        module = sys.modules.get(f"tensorflow.python.profiler.{name}")
        if module is not None:
            yield module
