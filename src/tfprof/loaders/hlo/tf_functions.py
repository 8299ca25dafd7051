"""The nodes of captured TensorFlow functions that the instructions of a program come from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from tfprof.definitions.limits import MAX_NAME_CANDIDATES
from tfprof.loaders.debug_info import DebugInfo, Frame
from tfprof.loaders.hlo.stack_table import debug_info_frames, shared_frames
from tfprof.protos.graph_pb2 import GraphDef, NodeDef

TAPE = "gradient_tape/"
_MODULE = re.compile(r"a_+(?=inference_.)")
_ATTRIBUTES = "__XlaMustCompile_"
_ROLES = {"body": "body/", "cond": "cond/", "then_branch": "then/", "else_branch": "else/"}
"""What the names of a function's nodes have after the name of the node that calls it."""


class TfFunctions:
    """The functions of a captured graph, and the stacks of their nodes."""

    def __init__(self, graph: GraphDef, info: DebugInfo | None) -> None:
        self._graph, self._info = graph, info
        self._functions = {item.signature.name: item for item in graph.library.function}
        self.frames = lru_cache(maxsize=None)(self._frames)
        # Many ops have one stack, and are in one scope.
        self._stack_frames = lru_cache(maxsize=None)(self._frames_of_stack)
        self._shared_frames = lru_cache(maxsize=None)(self._frames_of_scope)
        self._common_frames = lru_cache(maxsize=None)(self._frames_of_stacks)

    def function_of(self, module: str) -> str:
        """The function that a program was compiled from."""
        return self._by_module.get(parse_module(module) or module, "")

    @cached_property
    def _by_module(self) -> dict[str, str]:
        return {re.sub(r"\W", "_", f).lstrip("_"): f for f in reversed(self._functions)}

    def scope(self, function: str) -> str:
        """The scope of a function's nodes: the path of calls that leads to it."""
        path = []
        caller: str | None = function
        while caller is not None and caller in self._callers:
            caller, call = self._callers[caller]
            path.append(call)
        return "".join(reversed(path)).rstrip("/")

    @cached_property
    def _callers(self) -> dict[str, tuple[str | None, str]]:
        """Function -> the first function that calls it, None for the graph, and the call."""
        callers: dict[str, tuple[str | None, str]] = {}
        pending: list[tuple[str | None, Iterable[NodeDef]]] = [(None, self._graph.node)]
        for caller, nodes in pending:
            for node, role, callee in _calls(nodes):
                if callee in self._functions and callee not in callers:
                    callers[callee] = caller, f"{node.name}/{role}"
                    pending.append((callee, self._functions[callee].node_def))
        return callers

    def op_type(self, function: str, op_name: str) -> str:
        """The op type of a node, empty if there is none of this name."""
        key = self._find(function, op_name)
        return self._ops[key] if key else ""

    @cached_property
    def _ops(self) -> dict[tuple[str, str], str]:
        return {
            (name, node.name): node.op
            for name, function in self._functions.items()
            for node in function.node_def
        }

    @cached_property
    def _by_name(self) -> dict[str, tuple[str, str]]:
        return {node: (function, node) for function, node in reversed(self._ops)}

    def _find(self, function: str, node: str) -> tuple[str, str] | None:
        """A node of a function, else one of the same name in any function."""
        key = function, node
        return key if key in self._ops else self._by_name.get(node)

    def _frames(self, function: str, op_name: str) -> tuple[Frame, ...]:
        """The stack of the op; of an op of the backward pass that of its forward op."""
        if TAPE in op_name:
            frames = self._forward_frames(function, op_name)
            if frames:
                return frames
        for name in _scopes(op_name):
            key = self._find(function, name)
            if key is not None and (frames := self._stack(key)):
                return frames
        return self._shared_frames(function, op_name)

    def _forward_frames(self, function: str, op_name: str) -> tuple[Frame, ...]:
        """The stack of the node whose gradient an op computes, or what those of its scope share.

        In the gradient of a loop that is a node of the loop's body.
        """
        forward = _forward_name_in_loop(op_name) or op_name.partition(TAPE)[2]
        for scope in _scopes(forward):
            key = self._find(function, scope)
            if key is not None and (frames := self._stack(key)):
                return frames
            if frames := self._shared_frames(function, f"{scope}/"):
                return frames
        return ()

    def _stack(self, key: tuple[str, str]) -> tuple[Frame, ...]:
        index = self._stack_index(*key)
        return self._stack_frames(index) if index >= 0 else ()

    def _stack_index(self, function: str, node: str) -> int:
        return self._info.stack_index.get(f"{node}@{function}", -1) if self._info else -1

    def _frames_of_stack(self, index: int) -> tuple[Frame, ...]:
        return debug_info_frames(self._info, index) if self._info else ()

    def _frames_of_stacks(self, indices: frozenset[int]) -> tuple[Frame, ...]:
        return shared_frames(self._stack_frames(index) for index in sorted(indices))

    @cached_property
    def _sorted_names(self) -> dict[str, list[str]]:
        return {
            name: sorted(node.name for node in function.node_def if TAPE not in node.name)
            for name, function in self._functions.items()
        }

    def _frames_of_scope(self, function: str, scope: str) -> tuple[Frame, ...]:
        """The outer frames that all nodes of a scope share."""
        names = self._sorted_names.get(function)
        if not names:
            return ()
        first = bisect_left(names, scope)
        last = bisect_left(names, scope + "\U0010ffff")
        indices = {self._stack_index(function, name) for name in names[first:last]}
        return self._common_frames(frozenset(indices - {-1}))


def parse_module(name: str) -> str:
    """The function of a program `a_inference_step_12__.3`, empty for other programs.

    The program has the function's attributes in its name if it is called as such.
    """
    prefix = _MODULE.match(name)
    if prefix is None:
        return ""
    text, _, counter = name.rpartition(".")
    text = text if counter.isdecimal() else name
    function, attributes, _ = text[prefix.end() :].partition(_ATTRIBUTES)
    if attributes:
        return function
    return function.removesuffix("__") if function.endswith("__") else ""


def _calls(nodes: Iterable[NodeDef]) -> Iterator[tuple[NodeDef, str, str]]:
    """Nodes that call functions, the role and the function."""
    for node in nodes:
        for key, value in node.attr.items():
            if value.HasField("func"):
                yield node, _ROLES.get(key, ""), value.func.name


def _scopes(name: str) -> Iterator[str]:
    """A name and the scopes that it is in, the innermost first; not of absurdly many."""
    for _ in range(min(name.count("/") + 1, MAX_NAME_CANDIDATES)):
        yield name
        name = name.rpartition("/")[0]


def _forward_name_in_loop(name: str) -> str:
    """The node `x` of `…gradients/x_grad/…`, the last such; empty if there is none."""
    start = name.rfind("gradients/", 0, max(name.rfind("_grad/") - 1, 0))
    if start < 0:
        return ""
    start += len("gradients/")
    return name[start : name.find("_grad/", start + 1)]
