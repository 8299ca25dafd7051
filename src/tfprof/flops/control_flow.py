"""What control flow does to what is known: arguments, branches joined, the state of loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tfprof.flops.tensors import UNKNOWN, Tensor, common, dims_of, merge_dims
from tfprof.functions.library import FunctionBody
from tfprof.protos.graph_pb2 import AttrValue, DataType, NodeDef


def annotated(body: FunctionBody, arguments: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Arguments with what the function's signature states about them."""
    if body.function is None:
        return arguments
    stated = []
    for index, arg in enumerate(body.function.signature.input_arg):
        tensor = arguments[index] if index < len(arguments) else UNKNOWN
        attrs: Mapping[str, AttrValue] = (
            body.function.arg_attr[index].attr if index in body.function.arg_attr else {}
        )
        if "_output_shapes" in attrs and attrs["_output_shapes"].list.shape:
            fact = dims_of(attrs["_output_shapes"].list.shape[0])
            tensor = replace(tensor, shape=merge_dims(tensor.shape, fact)[0])
        if arg.handle_data and tensor.element is None:
            held = arg.handle_data[0]
            element = Tensor(held.dtype, dims_of(held.shape))
            tensor = replace(tensor, element=element, dtype=DataType.DT_RESOURCE)
        stated.append(tensor if tensor.dtype else replace(tensor, dtype=int(arg.type)))
    return tuple(stated)


def branch_taken(node: NodeDef, inputs: tuple[Tensor, ...], count: int) -> int | None:
    """The branch that is taken, if the graph decides it; then comes before else."""
    if count < 2 or not inputs or inputs[0].value is None or len(inputs[0].value) != 1:
        return None
    (choice,) = inputs[0].value
    if not isinstance(choice, int):
        return None
    if node.op in ("Case", "StatelessCase"):
        return choice if 0 <= choice < count else count - 1
    return 0 if choice else 1


def old_control(node: NodeDef, inputs: tuple[Tensor, ...]) -> list[Tensor]:
    if "Switch" in node.op:
        return [inputs[0], inputs[0]] if inputs else []
    known = [tensor for tensor in inputs if tensor is not UNKNOWN]
    merged = joined([(tensor,) for tensor in known])
    return [*merged, Tensor(DataType.DT_INT32, ())]


def joined(branches: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """What holds whichever branch is taken."""
    if not branches:
        return []
    first, *others = branches
    result = []
    for index, tensor in enumerate(first):
        for other in others:
            tensor = common(tensor, other[index] if index < len(other) else UNKNOWN)
        result.append(tensor)
    return result


def loop_shapes(node: NodeDef, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Loop state with the shapes that the loop states for what is not known otherwise."""
    if "output_shapes" not in node.attr:
        return state
    stated = node.attr["output_shapes"].list.shape
    return tuple(
        replace(tensor, shape=merge_dims(tensor.shape, dims_of(stated[index]))[0])
        if index < len(stated) and tensor.shape is None
        else tensor
        for index, tensor in enumerate(state)
    )


def widened(
    state: tuple[Tensor, ...], results: tuple[Tensor, ...], fixed: frozenset[int], *, give_up: bool
) -> tuple[Tensor, ...]:
    """Loop state that also holds for the next iteration."""
    wider = []
    for index, tensor in enumerate(state):
        after = results[index] if index < len(results) else UNKNOWN
        if index in fixed:
            wider.append(tensor)
        else:
            both = common(tensor, replace(after, value=None))
            wider.append(Tensor(tensor.dtype) if give_up and both != tensor else both)
    return tuple(wider)
