"""The ops that Python runs one by one, with their stacks, while a trace is running.

The trace has only the types of such ops. Here each gets a name by its type and its stack, such as
`MatMul_1`, and the trace an event of that name around it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import CodeType, FrameType
from typing import Any

from tfprof.loaders.xplane.event_kinds import EAGER_NODE_PREFIX

Frame = tuple[str, int, str]
"""File, line and function."""

_WRAPPER, _CONSTANTS = "tensorflow.python.pywrap_tfe", "tensorflow.python.framework.constant_op"
_CALLS: tuple[tuple[str, str, Callable[[Sequence[Any]], str | bytes]], ...] = (
    (_WRAPPER, "TFE_Py_FastPathExecute", lambda arguments: arguments[1]),
    (_WRAPPER, "TFE_Py_Execute", lambda arguments: arguments[2]),
    (_CONSTANTS, "convert_to_eager_tensor", lambda _: "_EagerConst"),
)
"""The functions through which Python runs ops, and the op type by their arguments."""
_FUNCTION_PREFIX = "__"


class EagerNodes:
    """Names the ops that Python runs between `install` and `uninstall`."""

    def __init__(self) -> None:
        self._names: dict[tuple[Any, ...], str] = {}
        self._stacks: dict[str, list[tuple[CodeType, int]]] = {}
        self._counts: Counter[str] = Counter()
        self._replaced: list[tuple[Any, str, Any]] = []

    @property
    def stacks(self) -> Mapping[str, list[Frame]]:
        """The stack of each node, outermost frame first."""
        return {
            node: [(code.co_filename, line, code.co_name) for code, line in stack]
            for node, stack in self._stacks.items()
        }

    def install(self) -> None:
        """Name all ops from now on."""
        from tensorflow.python.profiler.internal import _pywrap_traceme

        for module, name, op_type in _CALLS:
            owner = import_module(module)
            original = getattr(owner, name)
            setattr(owner, name, self._wrap(original, op_type, _pywrap_traceme.TraceMe))
            self._replaced.append((owner, name, original))

    def uninstall(self) -> None:
        """Leave ops alone again."""
        while self._replaced:
            owner, name, original = self._replaced.pop()
            setattr(owner, name, original)

    def _wrap(
        self,
        original: Callable[..., Any],
        op_type: Callable[[Sequence[Any]], str | bytes],
        mark: Any,
    ) -> Callable[..., Any]:
        def execute(*arguments: Any, **keywords: Any) -> Any:
            try:
                op = _text(op_type(arguments))
                is_op = not op.startswith(_FUNCTION_PREFIX)
                event = mark(self._event(op, sys._getframe(1))) if is_op else None
            except Exception:  # the program must not notice
                event = None
            try:
                return original(*arguments, **keywords)
            finally:
                if event is not None:
                    event.Stop()

        return execute

    def _event(self, op: str, frame: FrameType | None) -> str:
        """The event of an op that a frame runs."""
        innermost, key = frame, list[Any]([op])
        while frame is not None:
            # Codes compare by content, which takes longer.
            key += id(frame.f_code), frame.f_lasti
            frame = frame.f_back
        event = self._names.get(tuple(key))
        if event is None:
            event = self._names[tuple(key)] = f"{EAGER_NODE_PREFIX}{self._add(op, innermost)}"
        return event

    def _add(self, op: str, frame: FrameType | None) -> str:
        """The node of an op type and a stack; calls of one line are one node."""
        stack: list[tuple[CodeType, int]] = []
        while frame is not None:
            stack.append((frame.f_code, frame.f_lineno))
            frame = frame.f_back
        stack.reverse()
        key = op, *((id(code), line) for code, line in stack)
        if key not in self._names:
            self._counts[op] += 1
            # The name without a number is that of ops that are not called from Python.
            node = self._names[key] = f"{op}_{self._counts[op]}"
            self._stacks[node] = stack
        return self._names[key]


def _text(op: str | bytes) -> str:
    """The type of an op, which is bytes if an argument is no tensor, such as a Keras variable."""
    return op.decode() if isinstance(op, bytes) else op
