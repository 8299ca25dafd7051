"""Tensors through control flow: arguments of functions, results of branches, state of loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tfprof.flops.tensors import UNKNOWN, Tensor, dims_of, join_tensors, merge_dims
from tfprof.functions.library import FunctionBody
from tfprof.protos.graph_pb2 import AttrValue, DataType, NodeDef


def refine_arguments(body: FunctionBody, arguments: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Arguments with the types and shapes of the function's signature."""
    if body.function is None:
        return arguments
    refined = []
    for index, arg in enumerate(body.function.signature.input_arg):
        tensor = arguments[index] if index < len(arguments) else UNKNOWN
        attrs: Mapping[str, AttrValue] = (
            body.function.arg_attr[index].attr if index in body.function.arg_attr else {}
        )
        if "_output_shapes" in attrs and attrs["_output_shapes"].list.shape:
            shape = dims_of(attrs["_output_shapes"].list.shape[0])
            tensor = replace(tensor, shape=merge_dims(tensor.shape, shape)[0])
        if arg.handle_data and tensor.element is None:
            handle = arg.handle_data[0]
            element = Tensor(handle.dtype, dims_of(handle.shape))
            tensor = replace(tensor, element=element, dtype=DataType.DT_RESOURCE)
        refined.append(tensor if tensor.dtype else replace(tensor, dtype=int(arg.type)))
    return tuple(refined)


def constant_branch(node: NodeDef, inputs: tuple[Tensor, ...], count: int) -> int | None:
    """The index of the branch that runs, if the graph decides it; then comes before else."""
    if count < 2 or not inputs or inputs[0].value is None or len(inputs[0].value) != 1:
        return None
    (choice,) = inputs[0].value
    if not isinstance(choice, int):
        return None
    if node.op in ("Case", "StatelessCase"):
        return choice if 0 <= choice < count else count - 1
    return 0 if choice else 1


def switch_or_merge(node: NodeDef, inputs: tuple[Tensor, ...]) -> list[Tensor]:
    """The outputs of a Switch or a Merge."""
    if "Switch" in node.op:
        return [inputs[0], inputs[0]] if inputs else []
    distinct = {id(tensor): tensor for tensor in inputs}.values()
    known = [(tensor,) for tensor in distinct if tensor is not UNKNOWN]
    return [*merge_branches(known), Tensor(DataType.DT_INT32, ())]


def merge_branches(branches: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """What holds for the results of every branch: as many as each of them has."""
    results = list(branches[0]) if branches else []
    for branch in branches[1:]:
        results = [join_tensors(*pair) for pair in zip(results, branch, strict=False)]
    return results


def initial_state(
    node: NodeDef, inputs: tuple[Tensor, ...], invariant: frozenset[int]
) -> tuple[Tensor, ...]:
    """Loop state before the first iteration.

    Only invariants have values; the attribute `output_shapes` gives shapes that are not known.
    """
    shapes = node.attr["output_shapes"].list.shape if "output_shapes" in node.attr else ()
    state = []
    for index, tensor in enumerate(inputs):
        if index not in invariant:
            tensor = replace(tensor, value=None)
        if index < len(shapes) and tensor.shape is None:
            tensor = replace(tensor, shape=dims_of(shapes[index]))
        state.append(tensor)
    return tuple(state)


def widen_state(
    state: tuple[Tensor, ...],
    results: tuple[Tensor, ...],
    invariant: frozenset[int],
    *,
    give_up: bool,
) -> tuple[Tensor, ...]:
    """Loop state that also holds for the next iteration."""
    wider = []
    for index, tensor in enumerate(state):
        if index not in invariant:
            after = results[index] if index < len(results) else UNKNOWN
            both = join_tensors(tensor, replace(after, value=None))
            tensor = Tensor(tensor.dtype) if give_up and both != tensor else both
        wider.append(tensor)
    return tuple(wider)
