"""The public name of `tfprof.tf_compat.model_analyzer`."""

from tfprof.tf_compat.model_analyzer import *  # noqa: F403 - all its public names
