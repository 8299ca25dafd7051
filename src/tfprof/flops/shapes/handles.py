"""Tensors behind handles: variables, tensor lists, optimizer slots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tfprof.flops.shapes.inference_context import InferenceContext, plus, times
from tfprof.flops.tensors import UNKNOWN, Dim, Dims, Tensor, common, dims_of, refine
from tfprof.protos.graph_pb2 import DataType

TensorRule = Callable[[InferenceContext], list[Tensor]]
"""What is known about a node's outputs."""


def _type(site: InferenceContext, name: str) -> int:
    return site.attrs[name].type if name in site.attrs else 0


def _variable_handle(site: InferenceContext) -> list[Tensor]:
    shape = dims_of(site.attrs["shape"].shape) if "shape" in site.attrs else None
    return [Tensor(DataType.DT_RESOURCE, (), element=Tensor(_type(site, "dtype"), shape))]


def _read(site: InferenceContext) -> list[Tensor]:
    held = site.inputs[0].element or UNKNOWN
    return [replace(held, dtype=_type(site, "dtype") or held.dtype)]


def _gather(site: InferenceContext) -> list[Tensor]:
    held, indices = site.inputs[0].element or UNKNOWN, site.shape(1)
    dtype = _type(site, "dtype") or held.dtype
    if held.shape is None or indices is None:
        return [Tensor(dtype)]
    batch = site.number("batch_dims")
    return [Tensor(dtype, (*held.shape[:batch], *indices[batch:], *held.shape[batch + 1 :]))]


def _gather_nd(site: InferenceContext) -> list[Tensor]:
    held, indices = site.inputs[0].element or UNKNOWN, site.shape(1)
    dtype = _type(site, "dtype") or held.dtype
    if held.shape is None or not indices or not isinstance(indices[-1], int):
        return [Tensor(dtype)]
    return [Tensor(dtype, (*indices[:-1], *held.shape[indices[-1] :]))]


def _list(element: Tensor, length: Dim, *, filled: int = 2) -> Tensor:
    return Tensor(DataType.DT_VARIANT, (), element=element, length=length, filled=filled)


def _element(site: InferenceContext, index: int, shape_input: int | None = None) -> Tensor:
    """An element of the list at an input, as the list and the node's own input describe it."""
    held = site.inputs[index].element or UNKNOWN
    known = replace(held, dtype=_type(site, "element_dtype"))
    if shape_input is None:
        return known
    return refine(known, Tensor(shape=_element_shape(site, shape_input)))


def _element_shape(site: InferenceContext, index: int) -> Dims | None:
    given = site.inputs[index]
    if given.value is None or given.shape == ():  # the scalar -1 says: any shape
        return None
    return tuple(None if size == -1 else size for size in given.value)


def _first(value: tuple[Dim, ...] | None) -> Dim:
    return value[0] if value else None


def _reserve(site: InferenceContext) -> list[Tensor]:
    element = Tensor(_type(site, "element_dtype"), _element_shape(site, 0))
    return [_list(element, _first(site.inputs[1].value), filled=0)]


def _empty(site: InferenceContext) -> list[Tensor]:
    element = Tensor(_type(site, "element_dtype"), _element_shape(site, 0))
    return [_list(element, 0, filled=0)]


def _from_tensor(site: InferenceContext) -> list[Tensor]:
    shape = site.shape(0)
    if shape is None:
        return [_list(Tensor(_type(site, "element_dtype")), None)]
    return [_list(Tensor(_type(site, "element_dtype"), shape[1:]), shape[0])]


def _put(site: InferenceContext, item: int) -> Tensor:
    """An element of the list at input 0 after another one was put into it."""
    held, added = _element(site, 0), site.inputs[item]
    if not site.inputs[0].filled:
        return replace(refine(held, added), value=added.value)
    return common(held, replace(added, dtype=held.dtype))


def _set_item(site: InferenceContext) -> list[Tensor]:
    # Elements that were not set are zeros: their value is not that of the others.
    held, filled = replace(_put(site, 2), value=None), min(2, site.inputs[0].filled + 1)
    return [_list(held, site.inputs[0].length, filled=filled)]


def _sum(site: InferenceContext) -> list[Tensor]:
    """AddN, of lists: element by element."""
    first = site.inputs[0]
    if first.element is None:
        return []
    held, length = first.element, first.length
    for other in site.inputs[1:]:
        held = refine(held, other.element or UNKNOWN)
        length = other.length if length is None else length
    return [_list(replace(held, value=None), length)]


def _get_item(site: InferenceContext) -> list[Tensor]:
    return [_element(site, 0, 2)]


def _stack(site: InferenceContext) -> list[Tensor]:
    element = _element(site, 0, 1)
    if element.shape is None:
        return [Tensor(element.dtype)]
    given = site.number("num_elements", -1)
    length = given if given >= 0 else site.inputs[0].length
    return [Tensor(element.dtype, (length, *element.shape))]


def _gather_list(site: InferenceContext) -> list[Tensor]:
    element, indices = _element(site, 0, 2), site.shape(1)
    if element.shape is None or indices is None:
        return [Tensor(element.dtype)]
    return [Tensor(element.dtype, (*indices, *element.shape))]


def _concat_list(site: InferenceContext) -> list[Tensor]:
    element = _element(site, 0)
    lengths = Tensor(DataType.DT_INT64, (site.inputs[0].length,))
    if not element.shape:
        return [Tensor(element.dtype), lengths]
    rows = times(site.inputs[0].length, element.shape[0])
    return [Tensor(element.dtype, (rows, *element.shape[1:])), lengths]


def _push(site: InferenceContext) -> list[Tensor]:
    return [_list(_put(site, 1), plus(site.inputs[0].length, 1))]


def _pop(site: InferenceContext) -> list[Tensor]:
    return [_list(_element(site, 0), plus(site.inputs[0].length, -1)), _element(site, 0, 1)]


def _scatter(site: InferenceContext) -> list[Tensor]:
    shape = site.shape(0)
    element = Tensor(_type(site, "element_dtype"), None if shape is None else shape[1:])
    return [_list(element, _first(site.inputs[3].value) if len(site.inputs) > 3 else None)]


def _length(site: InferenceContext) -> list[Tensor]:
    length = site.inputs[0].length
    return [Tensor(DataType.DT_INT32, (), None if length is None else (length,))]


def _list_shape(site: InferenceContext) -> list[Tensor]:
    held = site.inputs[0].element
    if held is None or held.shape is None:
        return [Tensor(_type(site, "shape_type"))]
    return [Tensor(_type(site, "shape_type"), (len(held.shape),), held.shape)]


def _array(site: InferenceContext) -> list[Tensor]:
    """TensorArrayV3: a handle, and a flow that stands for what is in the array."""
    shape = dims_of(site.attrs["element_shape"].shape) if "element_shape" in site.attrs else None
    # An empty shape is what an unset attribute looks like.
    element = Tensor(_type(site, "dtype"), shape or None)
    handle = Tensor(DataType.DT_RESOURCE, (2,))
    return [handle, _flow(element, _first(site.inputs[0].value), filled=0)]


def _flow(element: Tensor, length: Dim, *, filled: int = 2) -> Tensor:
    return Tensor(DataType.DT_FLOAT, (), element=element, length=length, filled=filled)


def _array_write(site: InferenceContext) -> list[Tensor]:
    flow, added = site.inputs[3], site.inputs[2]
    held = flow.element or UNKNOWN
    put = common(held, added) if flow.filled else refine(held, added)
    return [_flow(replace(put, value=None), flow.length)]


def _array_scatter(site: InferenceContext) -> list[Tensor]:
    shape = site.shape(2)
    element = Tensor(_type(site, "T"), None if shape is None else shape[1:])
    return [_flow(element, site.inputs[3].length)]


def _array_read(site: InferenceContext) -> list[Tensor]:
    held = site.inputs[2].element or UNKNOWN
    return [Tensor(_type(site, "dtype"), held.shape)]


def _array_gather(site: InferenceContext) -> list[Tensor]:
    held, indices = site.inputs[2].element or UNKNOWN, site.shape(1)
    if held.shape is None or not indices:
        return [Tensor(_type(site, "dtype"))]
    return [Tensor(_type(site, "dtype"), (indices[0], *held.shape))]


def _array_size(site: InferenceContext) -> list[Tensor]:
    length = site.inputs[1].length
    return [Tensor(DataType.DT_INT32, (), None if length is None else (length,))]


def _array_gradient(site: InferenceContext) -> list[Tensor]:
    """Gradients have the shapes of what they are gradients of."""
    flow = site.inputs[1]
    return [Tensor(DataType.DT_RESOURCE, (2,)), replace(flow, filled=0)]


def _optional(site: InferenceContext) -> list[Tensor]:
    """A value that a branch may or may not give, for the gradient of the branches."""
    held = site.inputs[0] if len(site.inputs) == 1 else UNKNOWN
    return [Tensor(DataType.DT_VARIANT, (), element=held, filled=2 if site.inputs else 0)]


def _optional_value(site: InferenceContext) -> list[Tensor]:
    return [site.inputs[0].element or UNKNOWN]


RULES: dict[str, TensorRule] = {
    "AddN": _sum,
    "OptionalFromValue": _optional,
    "OptionalNone": _optional,
    "OptionalGetValue": _optional_value,
    "TensorArrayV3": _array,
    "TensorArrayWriteV3": _array_write,
    "TensorArrayScatterV3": _array_scatter,
    "TensorArrayReadV3": _array_read,
    "TensorArrayGatherV3": _array_gather,
    "TensorArraySizeV3": _array_size,
    "TensorArrayGradV3": _array_gradient,
    "VarHandleOp": _variable_handle,
    "ReadVariableOp": _read,
    "ResourceGather": _gather,
    "ResourceGatherNd": _gather_nd,
    "TensorListReserve": _reserve,
    "EmptyTensorList": _empty,
    "TensorListFromTensor": _from_tensor,
    "TensorListSetItem": _set_item,
    "TensorListGetItem": _get_item,
    "TensorListStack": _stack,
    "TensorListGather": _gather_list,
    "TensorListConcat": _concat_list,
    "TensorListConcatV2": _concat_list,
    "TensorListPushBack": _push,
    "TensorListPopBack": _pop,
    "TensorListScatter": _scatter,
    "TensorListScatterV2": _scatter,
    "TensorListLength": _length,
    "TensorListElementShape": _list_shape,
    "TensorListResize": lambda site: [replace(site.inputs[0], length=_first(site.inputs[1].value))],
}
"""Op types whose outputs carry more than a shape."""
