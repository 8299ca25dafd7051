"""Inputs that name nodes which a graph does not have, as in a truncated file."""

from __future__ import annotations

from tfprof.protos.graph_pb2 import GraphDef


def note_missing_inputs(graph: GraphDef) -> list[str]:
    """A note on the inputs of a graph's nodes that are no nodes of it."""
    names = {node.name for node in graph.node}
    missing = [
        (producer, node.name)
        for node in graph.node
        for text in node.input
        if (producer := text.removeprefix("^").partition(":")[0]) not in names
    ]
    return [describe_missing_inputs(len(missing), *missing[0])] if missing else []


def describe_missing_inputs(count: int, producer: str, consumer: str) -> str:
    """One line for the user, with the first input that is missing and the node that has it."""
    inputs = "1 input is" if count == 1 else f"{count:,} inputs are"
    where = f"'{producer}' of '{consumer}'"
    return f"{inputs} not in the graph, such as {where}; the file may be truncated"
