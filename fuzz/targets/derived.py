"""What is derived from one value: names of nodes, devices and tensors, sizes, kinds of files.

Each takes microseconds, so that many more inputs are tried than of whole files. Readers and
analyses rest on them, and small inputs that take minutes begin here.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from fuzz import samples, seeds
from fuzz.ask import dice_of
from fuzz.mutate import mutate_bytes, mutate_tokens
from fuzz.targets import Target
from tfprof.definitions.quirks import ORIGINAL, REPAIRED
from tfprof.flops.atoms import ceil_div, extreme, floor_div
from tfprof.flops.limit_tensors import limit_tensors
from tfprof.flops.optimizer_slots import with_slots
from tfprof.flops.polynomial import Count, bind, exact, lower_bound, pretty, symbol, symbols
from tfprof.flops.tensors import Tensor
from tfprof.flops.variables import Variable
from tfprof.loaders.hlo.op_names import is_named_leaf, parse_argument, parse_op_name
from tfprof.loaders.message_kinds import is_message, message_kind, possible_kinds
from tfprof.loaders.other_formats import find_other_format
from tfprof.loaders.pbtxt.escapes import unescape
from tfprof.profiles.devices import device_kind, device_rules
from tfprof.profiles.gradients import forward_names
from tfprof.profiles.user_code import rank_file
from tfprof.resolve.runtime_names import find_origin, strip_counters

__all__ = ["TARGETS"]

_NAMES = (
    "a/while/body/_31/x__cf__3\n_arg_x_0_0\nFunc/a/input/_4",
    "ArithmeticOptimizer/AddOpsRewrite_Leaf_0_add\nb-folded-0\nConstantFolding/div_recip",
    "jit(step)/transpose(jvp(layer))/dot_general\nparams[0]['w'].mu\npmap(f)/while/body",
    "/job:a/replica:0/task:1/device:GPU:0/stream:all\n/host:CPU\n/cpu:0\nTPU:3/memcpy",
    "dense/kernel\ndense/kernel/Adam_1\nadam/dense_kernel_velocity\ntraining/Adam/Variable",
    "gradients/a/b_grad/MatMul\ngradient_tape/a/b/MatMul_1\ngradients_1/x_grad/tuple",
    "/usr/lib/python3.11/x.py\n/site-packages/keras/src/trainer.py\nC:\\a\\b.py\nnone",
)
_PROGRAMS = (b"BT2*+/", b"BB*B*B*T+9/", b"BTMBTm-", b"3^B^T^", b"BTUV+++^^", b"B7c8*T-", b"B1-2/1+")
_OPERATIONS: dict[int, Callable[[Count, Count], Count]] = {
    ord("+"): operator.add,
    ord("-"): operator.sub,
    ord("*"): operator.mul,
    ord("/"): floor_div,
    ord("c"): ceil_div,
    ord("M"): lambda a, b: extreme(a, b, largest=True),
    ord("m"): lambda a, b: extreme(a, b, largest=False),
    ord("%"): lambda a, b: a - floor_div(a, b) * b,
}


def _names(data: bytes) -> None:
    names = data.decode(errors="replace").split("\n")
    known = set(names[::2])
    for name in names:
        find_origin(name, known.__contains__, known.__contains__)
        strip_counters(name)
        parse_op_name.__wrapped__(name)
        parse_argument(name)
        is_named_leaf(name)
        device_kind(name)
        rank_file(name)
    dice = dice_of(data)
    with_slots(Variable(name, (3,), trainable=dice.random() < 0.5) for name in names)
    quirks = dice.choice((REPAIRED, ORIGINAL))
    forward_names(pa.array(names), quirks)
    device_rules(tuple(names), quirks)


def _sizes(data: bytes) -> None:
    """A program of a stack machine: letters are symbols, digits numbers, the rest operations."""
    stack: list[Count] = [1]
    for code in data[:400]:
        operation = _OPERATIONS.get(code)
        if operation is not None and len(stack) > 1:
            right, left = stack.pop(), stack.pop()
            stack.append(_limit(operation(left, right)))
        elif code == ord("^"):
            stack.append(_limit(stack[-1] * stack[-1]))
        elif code == ord("b"):
            stack.append(bind(stack.pop(), {"B": len(stack)}) if len(stack) > 1 else 2)
        else:
            stack.append(code - 48 if code < 65 else symbol(chr(code)))
    result = stack[-1]
    pretty(result)
    exact(result)
    lower_bound(result)
    bind(result, dict.fromkeys(symbols(result), 3))
    _use_as_number(result, stack[-2] if len(stack) > 1 else 7)


def _use_as_number(size: Count, other: Count) -> None:
    """What users do with counts; a TypeError says which symbol has no value."""
    f"{size:,} {size:>9} {size!r} {size:.2f}"
    for use in (
        *(lambda: size / 3, lambda: size / 2.5, lambda: size > other, lambda: size <= 3),
        *(lambda: size**3, lambda: int(size), lambda: round(size / 7, 2), lambda: -size),
        *(lambda: size % 5, lambda: size // 3, lambda: size / other, lambda: 2 / size),
    ):
        with contextlib.suppress(TypeError, ZeroDivisionError, OverflowError):
            use()


def _limit(size: Count) -> Count:
    """As the interpreter limits sizes and values."""
    tensor = limit_tensors([Tensor(9, (), (size,))])[0]
    value = tensor.value[0] if tensor.value else None
    return 1 if value is None else value


def _kinds(data: bytes) -> None:
    head = data[:4096]
    message_kind(head)
    possible_kinds(head)
    is_message(head)
    find_other_format(Path("input"), head)


def _escapes(data: bytes) -> None:
    try:
        unescape(data)
    except ValueError:
        return


def _heads() -> list[bytes]:
    whole = [*seeds.graphs()[:6], *seeds.runs()[:4], *seeds.logs()[:4], *samples.traces()[:1]]
    texts = [*seeds.graphs_as_text()[:4], b'{"traceEvents": []}', b"PK\x03\x04", b"\x89HDF\r\n"]
    return [data[:600] for data in whole + texts]


TARGETS = [
    Target(
        "names", _names, lambda: [text.encode() for text in _NAMES], mutate_tokens, is_part=True
    ),
    Target("sizes", _sizes, lambda: list(_PROGRAMS), mutate_bytes, is_part=True),
    Target(
        "escapes",
        _escapes,
        lambda: [rb"a\n\x41\101\u00e9", rb"\\\\\\", rb"\'\""],
        mutate_bytes,
        is_part=True,
    ),
    Target("kinds_of_files", _kinds, _heads, mutate_bytes, is_part=True),
]
