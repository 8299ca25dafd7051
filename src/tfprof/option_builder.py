"""The public name of `tfprof.tf_compat.option_builder`."""

from tfprof.tf_compat.option_builder import ProfileOptionBuilder

__all__ = ["ProfileOptionBuilder"]
