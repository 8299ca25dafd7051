"""The op log's writer under its name of 2017."""

from tfprof.api.functions import write_op_log

__all__ = ["write_op_log"]
