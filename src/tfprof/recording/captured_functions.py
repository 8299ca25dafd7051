"""The functions that a trace shows, from the program that ran them: graph, stacks, variables.

TensorFlow keeps the definitions and stacks of functions in its eager context. It is asked right
after the trace, since a function that is collected is gone.
"""

from __future__ import annotations

import gc
import itertools
import linecache
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tfprof.definitions.options import TRAINABLE_TYPE
from tfprof.loaders.xplane.op_events import root_name
from tfprof.protos.graph_pb2 import FunctionDef, GraphDebugInfo, GraphDef, NodeDef
from tfprof.protos.log_pb2 import OpLogProto

_CALL = "StatefulPartitionedCall"
_KERAS = re.compile(r".*[/\\](tf_)?keras[/\\]src[/\\].*[/\\](trainer|training)\.py")
_KERAS_METHODS = frozenset(
    ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
)
_PACKAGE = f"{Path(__file__).resolve().parent.parent}{os.sep}"


@dataclass(slots=True)
class CapturedFunctions:
    """A graph that calls each root, with all functions in its library, and what belongs to it."""

    graph: GraphDef = field(default_factory=GraphDef)
    debug_info: GraphDebugInfo = field(default_factory=GraphDebugInfo)
    variables: OpLogProto = field(default_factory=OpLogProto)
    missing: list[str] = field(default_factory=list)
    """Functions that ran and are gone."""


def capture_functions(
    roots: Iterable[str],
    *,
    has_sessions: bool,
    eager_stacks: Mapping[str, Iterable[tuple[str, int, str]]],
    script: str = "",
) -> CapturedFunctions:
    """All that the running program knows of the functions that Python called.

    With `has_sessions` also of the graph of the session that is open. `eager_stacks` are those of
    the nodes that are no part of a function. Stacks begin in `script`.
    """
    roots = list(roots)
    from tensorflow.python.eager import context

    captured = CapturedFunctions()
    info = _DebugInfo(captured.debug_info, script)
    if has_sessions:
        _add_session_graph(captured, info)
    source = _Definitions(context.context())
    shared_frames: dict[str, tuple[int, ...]] = {}
    for name in source.with_callees(roots):
        definition = source.definition(name)
        if definition is None:
            captured.missing.append(name)
            continue
        captured.graph.library.function.append(definition)
        shared_frames[name] = info.add_function(name, source.stacks(name))
    missing = set(captured.missing)
    known = [name for name in dict.fromkeys(roots) if name not in missing]
    names = {root: info.keras_method(shared_frames[root]) or root_name(root) for root in known}
    for root, call in _add_calls(captured, names).items():
        info.add(f"{call}@", shared_frames[root])
    for node, stack in eager_stacks.items():
        info.add(f"{node}@", tuple(info.frame(*frame) for frame in stack))
    return captured


class _Definitions:
    """Functions in the eager context of TensorFlow."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._names = {_text(name) for name in context.list_function_names()}
        self._known: dict[str, FunctionDef] = {}

    def definition(self, name: str) -> FunctionDef | None:
        if name not in self._names:
            return None
        if name not in self._known:
            data = self._context.get_function_def(name).SerializeToString()
            self._known[name] = FunctionDef.FromString(data)
        return self._known[name]

    def stacks(self, name: str) -> Any:
        """The GraphDebugInfo of a function, or nothing."""
        try:
            return self._context.get_graph_debug_info(name)
        except Exception:  # TensorFlow raises its own errors for functions without stacks
            return None

    def with_callees(self, roots: Iterable[str]) -> Iterator[str]:
        """Functions and all that they call, each once."""
        pending = list(dict.fromkeys(roots))[::-1]
        reached = set(pending)
        while pending:
            name = pending.pop()
            yield name
            definition = self.definition(name)
            for callee in _callees(definition) if definition else ():
                if callee not in reached and callee in self._names:
                    reached.add(callee)
                    pending.append(callee)


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _callees(definition: FunctionDef) -> Iterator[str]:
    for node in definition.node_def:
        yield node.op
        for value in node.attr.values():
            if value.HasField("func"):
                yield value.func.name
            for function in value.list.func:
                yield function.name


class _DebugInfo:
    """Collects the stacks of nodes as `<node>@<function>`, with the text of their lines."""

    def __init__(self, message: GraphDebugInfo, script: str) -> None:
        self._message, self._script = message, script
        self._files: dict[str, int] = {}
        self._frames: dict[tuple[str, int, str], int] = {}
        self._traces: dict[tuple[int, ...], int] = {}

    def frame(self, file: str, line: int, function: str) -> int:
        """The number of a frame."""
        key = file, line, function
        if key not in self._frames:
            number = self._frames[key] = len(self._frames) + 1
            if file not in self._files:
                self._files[file] = len(self._files)
                self._message.files.append(file)
            frame = self._message.frames_by_id[number]
            frame.file_index, frame.line, frame.func = self._files[file], line, function
            frame.code = linecache.getline(file, line).strip()
        return self._frames[key]

    def keras_method(self, frames: tuple[int, ...]) -> str:
        """The method of a Keras model that the innermost of some frames is in, "" for none."""
        for number in reversed(frames):
            frame = self._message.frames_by_id[number]
            if frame.func in _KERAS_METHODS and _KERAS.fullmatch(
                self._message.files[frame.file_index]
            ):
                return str(frame.func)
        return ""

    def add(self, node: str, frames: tuple[int, ...]) -> None:
        """Add the stack of a node, outermost frame first, without the frames of tfprof itself."""
        files = [self._message.files[self._message.frames_by_id[n].file_index] for n in frames]
        first = files.index(self._script) if self._script in files else 0
        kept = zip(frames[first:], files[first:], strict=True)
        frames = tuple(number for number, file in kept if not file.startswith(_PACKAGE))
        if frames not in self._traces:
            number = self._traces[frames] = len(self._traces) + 1
            self._message.traces_by_id[number].frame_id.extend(frames)
        self._message.name_to_trace_id[node] = self._traces[frames]

    def add_function(self, function: str, source: Any) -> tuple[int, ...]:
        """Add the stacks of a function's nodes; returns the frames that all of them share."""
        if source is None:
            return ()
        frames = {
            key: self.frame(source.files[frame.file_index], frame.line, frame.func)
            for key, frame in source.frames_by_id.items()
        }
        traces = {
            key: tuple(frames[number] for number in trace.frame_id)
            for key, trace in source.traces_by_id.items()
        }
        for node, key in source.name_to_trace_id.items():
            self.add(f"{node.partition('@')[0]}@{function}", traces[key])
        levels = zip(*traces.values(), strict=False)
        shared = itertools.takewhile(lambda level: len(set(level)) == 1, levels)
        return tuple(level[0] for level in shared)


def _add_session_graph(captured: CapturedFunctions, info: _DebugInfo) -> None:
    """Add the graph of a session, and the stacks of its nodes."""
    from tensorflow.python.client.session import BaseSession

    graphs = [item.graph for item in gc.get_objects() if issubclass(type(item), BaseSession)]
    if not graphs:
        captured.missing.append("the graph of the session")
        return
    graph = max(graphs, key=lambda graph: graph.version)
    captured.graph.MergeFromString(graph.as_graph_def(add_shapes=True).SerializeToString())
    for variable in graph.get_collection("trainable_variables"):
        captured.variables.log_entries.add(name=variable.op.name, types=[TRAINABLE_TYPE])
    for operation in graph.get_operations():
        frames = [
            info.frame(file, line, function) for file, line, function, _ in operation.traceback
        ]
        info.add(f"{operation.name}@", tuple(frames))


def _add_calls(captured: CapturedFunctions, names: Mapping[str, str]) -> dict[str, str]:
    """Add a call of each root, and the variables that it reads; root -> the node that calls it.

    `names` are names for the calls, to which a number is added where one is taken.
    """
    if not names:
        return {}
    live, variables = _live_objects(set(names))
    used_names = {node.name.partition("/")[0] for node in captured.graph.node}
    used_names |= {_text(variable.name).partition(":")[0] for variable in variables.values()}
    definitions = {item.signature.name: item for item in captured.graph.library.function}
    nodes = {node.name for node in captured.graph.node}
    added: dict[int, str] = {}
    calls: dict[str, str] = {}
    for root, base in names.items():
        name = _unique(base, used_names)
        call = NodeDef(name=name, op=_CALL)
        call.attr["f"].func.name = root
        concrete = live.get(root)
        captures = list(concrete.captured_inputs) if concrete is not None else []
        signature = definitions[root].signature.input_arg
        for position, argument in enumerate(signature):
            index = position - (len(signature) - len(captures))
            handle = captures[index] if index >= 0 else None
            variable = variables.get(id(handle))
            if variable is None:
                node = captured.graph.node.add(op="Placeholder")
                node.name = f"{name}_args/{argument.name}"
                nodes.add(node.name)
                node.attr["dtype"].type = argument.type
                _set_shape(node, concrete, position)
            elif id(variable) not in added:
                added[id(variable)] = _add_variable(captured, variable, nodes)
            call.input.append(node.name if variable is None else added[id(variable)])
        captured.graph.node.append(call)
        nodes.add(name)
        calls[root] = name
    return calls


def _unique(base: str, used: set[str]) -> str:
    """A name that is not in use yet, and is from now on."""
    name, number = base, 0
    while name in used:
        number += 1
        name = f"{base}_{number}"
    used.add(name)
    return name


def _set_shape(node: NodeDef, concrete: Any, position: int) -> None:
    inputs = concrete.inputs if concrete is not None else ()
    if position < len(inputs) and inputs[position].shape.rank is not None:
        shape = node.attr["shape"].shape
        for size in inputs[position].shape.as_list():
            shape.dim.add(size=-1 if size is None else size)


def _live_objects(functions: set[str]) -> tuple[Mapping[str, Any], Mapping[int, Any]]:
    """The functions of these names that are alive, and variables by the id of their handle."""
    from tensorflow.python.eager.polymorphic_function.concrete_function import ConcreteFunction
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

    live_functions: dict[str, Any] = {}
    variables: dict[int, Any] = {}
    for item in gc.get_objects():
        # Some objects fail when they are asked for their class.
        kind = type(item)
        if issubclass(kind, ConcreteFunction):
            name = _text(item.name)
            if name in functions:
                live_functions[name] = item
        elif issubclass(kind, BaseResourceVariable):
            variables[id(item.handle)] = item
    return live_functions, variables


def _add_variable(captured: CapturedFunctions, variable: Any, nodes: set[str]) -> str:
    """Add the node of a variable under a name that is not one of `nodes` yet."""
    name = _unique(_text(variable.name).partition(":")[0], nodes)
    node = captured.graph.node.add(name=name, op="VarHandleOp")
    node.attr["dtype"].type = variable.dtype.base_dtype.as_datatype_enum
    node.attr["shared_name"].s = name.encode()
    shape = node.attr["shape"].shape
    if variable.shape.rank is None:
        shape.unknown_rank = True
    else:
        for size in variable.shape.as_list():
            shape.dim.add(size=-1 if size is None else size)
    if variable.trainable:
        captured.variables.log_entries.add(name=name, types=[TRAINABLE_TYPE])
    return name
