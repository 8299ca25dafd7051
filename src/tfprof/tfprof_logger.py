"""The public name of `tfprof.tf_compat.tfprof_logger`."""

from tfprof.tf_compat.tfprof_logger import *  # noqa: F403
