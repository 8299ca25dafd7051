"""The op log's messages under their names of 2017."""

from tfprof.protos.log_pb2 import OpLogEntry, OpLogProto

OpLog = OpLogProto

__all__ = ["OpLog", "OpLogEntry", "OpLogProto"]
