"""Which op types call functions, with which inputs, and how the callee's nodes are named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from tfprof.protos.graph_pb2 import FunctionDef, NodeDef

Kind = Literal["call", "branch", "body", "cond"]


@dataclass(frozen=True, slots=True)
class Call:
    """One function that a node calls.

    At run time the callee's node `n` is called `<caller>/<role>/n`, or `<caller>/n` if there is no
    role. TensorFlow inserts a counter after the role (`while/body/_31/n`), which the graph does not
    know; here the name has none. Argument i of the function is input `first_input + i` of the node.
    """

    function: str
    kind: Kind
    role: str = ""
    first_input: int = 0

    def prefix(self, caller: str) -> str:
        """The prefix of the callee's node names."""
        return f"{caller}/{self.role}/" if self.role else f"{caller}/"

    def prefix_length(self, caller: str) -> int:
        """The length of the prefix, which takes no time to know."""
        return len(caller) + len(self.prefix(""))


LOOPS = frozenset({"While", "StatelessWhile", "_While"})

# Op type -> (attribute, kind, role, first input that is an argument)
_Row = tuple[str, Kind, str, int]
_ONE: tuple[_Row, ...] = (("f", "call", "", 0),)
_TWO_BRANCHES: tuple[_Row, ...] = (
    ("then_branch", "branch", "then", 1),
    ("else_branch", "branch", "else", 1),
)
_LOOP: tuple[_Row, ...] = (("cond", "cond", "cond", 0), ("body", "body", "body", 0))
_FUNCTION_ATTRS: Mapping[str, tuple[_Row, ...]] = {
    "PartitionedCall": _ONE,
    "StatefulPartitionedCall": _ONE,
    "TPUPartitionedCall": _ONE,
    "SymbolicGradient": _ONE,
    "RemoteCall": (("f", "call", "", 1),),
    "XlaLaunch": (("function", "call", "", 0),),
    **dict.fromkeys(("If", "StatelessIf", "_If"), _TWO_BRANCHES),
    **dict.fromkeys(LOOPS, _LOOP),
}
_CASES = {"Case", "StatelessCase"}
CALLERS = frozenset({*_FUNCTION_ATTRS, *_CASES})
"""The op types that run functions which an attribute names."""


def is_call(node: NodeDef, functions: Mapping[str, FunctionDef]) -> bool:
    """Whether a node runs functions of the library."""
    return node.op in CALLERS or node.op in functions


def list_calls(
    node: NodeDef, functions: Mapping[str, FunctionDef], gradients: Mapping[str, str] | None = None
) -> Iterator[Call]:
    """The functions that a node calls, in the order of its attributes."""
    if node.op in functions:
        yield Call(node.op, "call")
    elif node.op in _CASES:
        for index, function in enumerate(node.attr["branches"].list.func):
            yield Call(function.name, "branch", f"branch{index}", 1)
    elif node.op == "SymbolicGradient":
        # The gradient of f is another function; without one TensorFlow derives it at run time.
        name = node.attr["f"].func.name
        yield Call((gradients or {}).get(name, f"gradient of {name}"), "call")
    else:
        for attribute, kind, role, first_input in _FUNCTION_ATTRS.get(node.op, ()):
            yield Call(node.attr[attribute].func.name, kind, role, first_input)
