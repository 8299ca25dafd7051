"""The attributes of made-up nodes, serialized once for each op and kind of layer."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.model import OUTPUTS
from benchmarks.wire import nested, text
from tfprof.protos import graph_pb2

__all__ = ["attributes", "bytes_of", "shape_of"]

_CHANNELS = (16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048)
_BATCH = 32
_FLOAT = 1
_CONVOLUTIONS = ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")


def _dims(kind: int) -> list[int]:
    side = 64 >> kind % 4
    return [_BATCH, side, side, _CHANNELS[kind]]


def _weights(kind: int) -> list[int]:
    return [3, 3, _CHANNELS[kind], _CHANNELS[kind]]


def _shape(dims: list[int]) -> graph_pb2.TensorShapeProto:
    return graph_pb2.TensorShapeProto(
        dim=[graph_pb2.TensorShapeProto.Dim(size=size) for size in dims]
    )


@cache
def shape_of(kind: int) -> bytes:
    """The serialized output shape of a kind of layer."""
    data: bytes = _shape(_dims(kind)).SerializeToString()
    return data


@cache
def bytes_of(kind: int) -> int:
    """How many bytes a tensor of a kind of layer takes."""
    size = 4
    for dim in _dims(kind):
        size *= dim
    return size


@cache
def attributes(op: str, kind: int) -> bytes:
    """All `attr` fields of a NodeDef."""
    values = _values(op, kind)
    value = graph_pb2.AttrValue
    return b"".join(
        nested(5, text(1, key) + nested(2, value(**values[key]).SerializeToString()))
        for key in sorted(values)
    )


def _values(op: str, kind: int) -> dict[str, dict[str, Any]]:
    variable = op in ("VariableV2", "Const", "Placeholder")
    dims = _weights(kind) if variable else _dims(kind)
    shapes = [_shape(dims)] * OUTPUTS.get(op, 1)
    values: dict[str, dict[str, Any]] = {
        "_output_shapes": {"list": graph_pb2.AttrValue.ListValue(shape=shapes)},
        "dtype" if variable else "T": {"type": _FLOAT},
    }
    if op == "VariableV2":
        values |= {"shape": {"shape": _shape(dims)}, "container": {"s": b""}}
        values |= {"shared_name": {"s": b""}}
    elif op == "Const":
        tensor = graph_pb2.TensorProto(
            dtype=_FLOAT, tensor_shape=_shape([]), float_val=[0.5 + kind]
        )
        values |= {"value": {"tensor": tensor}}
    elif op == "Placeholder":
        values |= {"shape": {"shape": _shape([-1, *dims[1:]])}}
    elif op in _CONVOLUTIONS:
        ones = {"list": graph_pb2.AttrValue.ListValue(i=[1, 1, 1, 1])}
        values |= {"strides": ones, "dilations": ones, "padding": {"s": b"SAME"}}
        values |= {"data_format": {"s": b"NHWC"}, "use_cudnn_on_gpu": {"b": True}}
    elif op.startswith("FusedBatchNorm"):
        values |= {"epsilon": {"f": 0.001}, "data_format": {"s": b"NHWC"}}
        values |= {"U": {"type": _FLOAT}, "is_training": {"b": True}}
    else:
        values |= {"_class": {"list": graph_pb2.AttrValue.ListValue(s=[b"loc:@weights_%d" % kind])}}
    return values
