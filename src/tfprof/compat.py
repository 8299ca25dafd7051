"""The public name of `tfprof.tf_compat.install`."""

from tfprof.tf_compat.install import *  # noqa: F403
