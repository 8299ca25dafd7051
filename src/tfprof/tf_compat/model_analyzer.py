"""The original's functions and options under their names of 2017."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfprof.api import functions
from tfprof.api.functions import profile
from tfprof.api.profiler import Profiler
from tfprof.definitions.option_builder import ProfileOptionBuilder
from tfprof.loaders.messages import MessageLike

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "PRINT_PARAMS_ON_DEVICE",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "Profiler",
    "advise",
    "print_model_analysis",
    "profile",
]

ALL_ADVICE: dict[str, dict[str, Any]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}
"""The original's checkers, each without settings."""


def _with_keys_of_2017(options: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Options with the keys of that year."""
    later = ("min_occurrence", "step")
    kept = {name: value for name, value in options.items() if name not in later}
    return {**kept, "dump_to_file": "", **changes}


TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _with_keys_of_2017(
    ProfileOptionBuilder.trainable_variables_parameter()
)
FLOAT_OPS_OPTIONS = _with_keys_of_2017(ProfileOptionBuilder.float_operation())
PRINT_PARAMS_ON_DEVICE = _with_keys_of_2017(
    ProfileOptionBuilder().build(),
    max_depth=1,
    account_type_regexes=[".*ps.*task:0.*"],
    select=["device", "params"],
)
PRINT_ALL_TIMING_MEMORY = _with_keys_of_2017(
    ProfileOptionBuilder().build(),
    max_depth=10000,
    min_bytes=1,
    min_micros=1,
    account_displayed_op_only=True,
    select=["micros", "bytes"],
)


def print_model_analysis(
    graph: Any = None,
    run_meta: MessageLike = None,
    op_log: MessageLike = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Mapping[str, Any] = TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    *,
    cmd: str | None = None,
    options: Mapping[str, Any] | None = None,
    compat: bool = False,
) -> Any:
    """Profile a model once, as `tfprof.profile` does; both spellings of the arguments work."""
    return profile(
        graph,
        run_meta,
        op_log,
        tfprof_cmd if cmd is None else cmd,
        tfprof_options if options is None else options,
        compat=compat,
    )


def advise(
    graph: Any = None,
    run_meta: MessageLike = None,
    tfprof_options: Mapping[str, Mapping[str, Any]] | int | None = 0,
    *,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    compat: bool = False,
) -> Any:
    """Check a model for known problems, as `tfprof.advise` does."""
    chosen = tfprof_options if options is None else options
    return functions.advise(graph, run_meta, chosen, compat=compat)
