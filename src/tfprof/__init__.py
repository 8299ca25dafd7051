"""tfprof tells where a TensorFlow model's parameters, float operations, time and memory go.

    sources ─load▶ Profile ─view▶ View ─report▶ Report ─write▶ text · file · timeline · pprof ·
     (files,        (columns,     (a tree or    (accounted,    message · table
      live graph)    immutable)    list of ids)  filtered, sorted)
                                                               Profile ─advise▶ Advice

Imports point only to the left. The Python API, the command line and the shell stand on top and hold
no analysis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfprof.api import load, profile
    from tfprof.errors import LoadError, OptionError, OutputError, TfprofError
    from tfprof.options import Options
    from tfprof.profiles.profile import Profile
    from tfprof.report import Report

__version__ = "0.1.0"

# Where each public name lives: it is imported when it is first used, so that `tfprof --version`
# does not wait for NumPy and Arrow.
_HOME = {
    "LoadError": "tfprof.errors",
    "OptionError": "tfprof.errors",
    "Options": "tfprof.options",
    "OutputError": "tfprof.errors",
    "Profile": "tfprof.profiles.profile",
    "Report": "tfprof.report",
    "TfprofError": "tfprof.errors",
    "load": "tfprof.api",
    "profile": "tfprof.api",
}

__all__ = [
    "LoadError",
    "OptionError",
    "Options",
    "OutputError",
    "Profile",
    "Report",
    "TfprofError",
    "__version__",
    "load",
    "profile",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tfprof' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
