"""The public name of `tfprof.definitions.option_builder`."""

from tfprof.definitions.option_builder import *  # noqa: F403
