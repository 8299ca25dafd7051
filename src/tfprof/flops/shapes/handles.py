"""Tensors behind handles: variables, tensor lists, optimizer slots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tfprof.flops.shapes.inference_context import InferenceContext, each, plus, times
from tfprof.flops.tensors import UNKNOWN, Dim, Dims, Tensor, dims_of, join_tensors, refine
from tfprof.protos.graph_pb2 import DataType

TensorRule = Callable[[InferenceContext], list[Tensor]]
"""What is known about a node's outputs."""


def _type(c: InferenceContext, name: str) -> int:
    return c.attrs[name].type if name in c.attrs else 0


def _variable_handle(c: InferenceContext) -> list[Tensor]:
    shape = dims_of(c.attrs["shape"].shape) if "shape" in c.attrs else None
    return [Tensor(DataType.DT_RESOURCE, (), element=Tensor(_type(c, "dtype"), shape))]


def _read(c: InferenceContext) -> list[Tensor]:
    element = c.element(0)
    return [replace(element, dtype=_type(c, "dtype") or element.dtype)]


def _gather(c: InferenceContext) -> list[Tensor]:
    element, indices = c.element(0), c.shape(1)
    dtype = _type(c, "dtype") or element.dtype
    if element.shape is None or indices is None:
        return [Tensor(dtype)]
    batch = c.number("batch_dims")
    return [Tensor(dtype, (*element.shape[:batch], *indices[batch:], *element.shape[batch + 1 :]))]


def _gather_nd(c: InferenceContext) -> list[Tensor]:
    element, indices = c.element(0), c.shape(1)
    dtype = _type(c, "dtype") or element.dtype
    if element.shape is None or not indices or not isinstance(indices[-1], int):
        return [Tensor(dtype)]
    return [Tensor(dtype, (*indices[:-1], *element.shape[indices[-1] :]))]


def _list(element: Tensor, length: Dim, *, filled: int = 2) -> Tensor:
    return Tensor(DataType.DT_VARIANT, (), element=element, length=length, filled=filled)


def _list_element(c: InferenceContext, shape_input: int | None = None) -> Tensor:
    """An element of the list at input 0, as the list and the shape at another input describe it."""
    known = replace(c.element(0), dtype=_type(c, "element_dtype"))
    if shape_input is None:
        return known
    return refine(known, Tensor(shape=_element_shape(c, shape_input)))


def _element_shape(c: InferenceContext, index: int) -> Dims | None:
    tensor = c.inputs[index]
    if tensor.value is None or tensor.shape == ():  # the scalar -1 means any shape
        return None
    return tuple(None if size == -1 else size for size in tensor.value)


def _first(value: tuple[Dim, ...] | None) -> Dim:
    return value[0] if value else None


def _reserve(c: InferenceContext) -> list[Tensor]:
    element = Tensor(_type(c, "element_dtype"), _element_shape(c, 0))
    return [_list(element, _first(c.inputs[1].value), filled=0)]


def _empty(c: InferenceContext) -> list[Tensor]:
    element = Tensor(_type(c, "element_dtype"), _element_shape(c, 0))
    return [_list(element, 0, filled=0)]


def _from_tensor(c: InferenceContext) -> list[Tensor]:
    shape = c.shape(0)
    if shape is None:
        return [_list(Tensor(_type(c, "element_dtype")), None)]
    return [_list(Tensor(_type(c, "element_dtype"), shape[1:]), shape[0])]


def _element_after(c: InferenceContext, item: int) -> Tensor:
    """An element of the list at input 0 after another one was put into it."""
    element, added = _list_element(c), c.inputs[item]
    if not c.inputs[0].filled:
        return replace(refine(element, added), value=added.value)
    return join_tensors(element, replace(added, dtype=element.dtype))


def _set_item(c: InferenceContext) -> list[Tensor]:
    # Elements that were not set are zeros: their value is not that of the others.
    element, filled = replace(_element_after(c, 2), value=None), min(2, c.inputs[0].filled + 1)
    return [_list(element, c.inputs[0].length, filled=filled)]


def _sum(c: InferenceContext) -> list[Tensor]:
    """AddN, of lists: element by element."""
    first = c.inputs[0]
    if first.element is None:
        return []
    element, length = first.element, first.length
    for other in {id(tensor): tensor for tensor in c.inputs[1:]}.values():
        element = refine(element, other.element or UNKNOWN)
        length = other.length if length is None else length
    return [_list(replace(element, value=None), length)]


def _stack(c: InferenceContext) -> list[Tensor]:
    element = _list_element(c, 1)
    if element.shape is None:
        return [Tensor(element.dtype)]
    count = c.number("num_elements", -1)
    length = count if count >= 0 else c.inputs[0].length
    return [Tensor(element.dtype, (length, *element.shape))]


def _gather_list(c: InferenceContext) -> list[Tensor]:
    element, indices = _list_element(c, 2), c.shape(1)
    if element.shape is None or indices is None:
        return [Tensor(element.dtype)]
    return [Tensor(element.dtype, (*indices, *element.shape))]


def _concat_list(c: InferenceContext) -> list[Tensor]:
    element = _list_element(c)
    lengths = Tensor(DataType.DT_INT64, (c.inputs[0].length,))
    if not element.shape:
        return [Tensor(element.dtype), lengths]
    rows = times(c.inputs[0].length, element.shape[0])
    return [Tensor(element.dtype, (rows, *element.shape[1:])), lengths]


def _pop(c: InferenceContext) -> list[Tensor]:
    return [_list(_list_element(c), plus(c.inputs[0].length, -1)), _list_element(c, 1)]


def _scatter(c: InferenceContext) -> list[Tensor]:
    shape = c.shape(0)
    element = Tensor(_type(c, "element_dtype"), None if shape is None else shape[1:])
    return [_list(element, _first(c.inputs[3].value) if len(c.inputs) > 3 else None)]


def _length(index: int) -> TensorRule:
    def rule(c: InferenceContext) -> list[Tensor]:
        length = c.inputs[index].length
        return [Tensor(DataType.DT_INT32, (), None if length is None else (length,))]

    return rule


def _list_shape(c: InferenceContext) -> list[Tensor]:
    dtype, shape = _type(c, "shape_type"), c.element(0).shape
    return [Tensor(dtype) if shape is None else Tensor(dtype, (len(shape),), shape)]


def _array(c: InferenceContext) -> list[Tensor]:
    """TensorArrayV3: a handle, and a flow that stands for what is in the array."""
    shape = dims_of(c.attrs["element_shape"].shape) if "element_shape" in c.attrs else None
    # An empty shape is what an unset attribute looks like.
    element = Tensor(_type(c, "dtype"), shape or None)
    handle = Tensor(DataType.DT_RESOURCE, (2,))
    return [handle, _flow(element, _first(c.inputs[0].value), filled=0)]


def _flow(element: Tensor, length: Dim, *, filled: int = 2) -> Tensor:
    return Tensor(DataType.DT_FLOAT, (), element=element, length=length, filled=filled)


def _array_write(c: InferenceContext) -> list[Tensor]:
    flow, added = c.inputs[3], c.inputs[2]
    element = flow.element or UNKNOWN
    widened = join_tensors(element, added) if flow.filled else refine(element, added)
    return [_flow(replace(widened, value=None), flow.length)]


def _array_scatter(c: InferenceContext) -> list[Tensor]:
    shape = c.shape(2)
    element = Tensor(_type(c, "T"), None if shape is None else shape[1:])
    return [_flow(element, c.inputs[3].length)]


def _array_gather(c: InferenceContext) -> list[Tensor]:
    element, indices = c.element(2), c.shape(1)
    if element.shape is None or not indices:
        return [Tensor(_type(c, "dtype"))]
    return [Tensor(_type(c, "dtype"), (indices[0], *element.shape))]


def _array_gradient(c: InferenceContext) -> list[Tensor]:
    """Gradients have the shapes of what they are gradients of."""
    return [Tensor(DataType.DT_RESOURCE, (2,)), replace(c.inputs[1], filled=0)]


def _optional(c: InferenceContext) -> list[Tensor]:
    """A value that a branch may or may not give, for the gradient of the branches."""
    element = c.inputs[0] if len(c.inputs) == 1 else UNKNOWN
    return [Tensor(DataType.DT_VARIANT, (), element=element, filled=2 if c.inputs else 0)]


RULES: dict[str, TensorRule] = {
    "AddN": _sum,
    **each("OptionalFromValue OptionalNone", _optional),
    "OptionalGetValue": lambda c: [c.element(0)],
    "TensorArrayV3": _array,
    "TensorArrayWriteV3": _array_write,
    "TensorArrayScatterV3": _array_scatter,
    "TensorArrayReadV3": lambda c: [Tensor(_type(c, "dtype"), c.element(2).shape)],
    "TensorArrayGatherV3": _array_gather,
    "TensorArraySizeV3": _length(1),
    "TensorArrayGradV3": _array_gradient,
    "VarHandleOp": _variable_handle,
    "ReadVariableOp": _read,
    "ResourceGather": _gather,
    "ResourceGatherNd": _gather_nd,
    "TensorListReserve": _reserve,
    "EmptyTensorList": _empty,
    "TensorListFromTensor": _from_tensor,
    "TensorListSetItem": _set_item,
    "TensorListGetItem": lambda c: [_list_element(c, 2)],
    "TensorListStack": _stack,
    "TensorListGather": _gather_list,
    **each("TensorListConcat TensorListConcatV2", _concat_list),
    "TensorListPushBack": lambda c: [_list(_element_after(c, 1), plus(c.inputs[0].length, 1))],
    "TensorListPopBack": _pop,
    **each("TensorListScatter TensorListScatterV2", _scatter),
    "TensorListLength": _length(0),
    "TensorListElementShape": _list_shape,
    "TensorListResize": lambda c: [replace(c.inputs[0], length=_first(c.inputs[1].value))],
}
"""Op types whose outputs carry more than a shape."""
