"""The public name of `tfprof.tf_compat.tfprof_logger`."""

from tfprof.tf_compat.tfprof_logger import write_op_log

__all__ = ["write_op_log"]
