"""The public name of `tfprof.tf_compat.model_analyzer`."""

from tfprof.tf_compat.model_analyzer import (
    ALL_ADVICE,
    FLOAT_OPS_OPTIONS,
    PRINT_ALL_TIMING_MEMORY,
    PRINT_PARAMS_ON_DEVICE,
    TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    Profiler,
    advise,
    print_model_analysis,
    profile,
)

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
