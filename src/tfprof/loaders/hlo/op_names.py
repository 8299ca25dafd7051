"""The names that frameworks give to ops, in the metadata of instructions.

JAX names an op by its scopes and transformations, `jit(step)/transpose(jvp(layer))/dot_general`;
TensorFlow by its node, `model/layer/MatMul`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

BACKWARD, RECOMPUTATION = "backward", "rematted_computation"
"""The scope of ops that compute gradients, and what JAX calls one that is computed again."""

NO_NAMES = ("", "XLA_Args")
"""Op names that say nothing."""

_TRANSFORMATION = re.compile(r"(jit|pjit|jvp|transpose|vmap|pmap|checkpoint|remat)\(")
_CALLS = frozenset({"closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"})
"""Parts of JAX's names that are no scopes of the user."""

_PATH_KEY = re.compile(r"\[['\"]?(.*?)['\"]?\]|\.(\w+)", re.DOTALL)
_ATTRIBUTE = re.compile(r"\.(\w+)")


@dataclass(frozen=True, slots=True)
class OpName:
    """The scopes of an op, the op itself last, and what it is for."""

    path: tuple[str, ...]
    is_backward: bool = False
    is_recomputation: bool = False
    is_differentiated: bool = False


@lru_cache(maxsize=65536)
def parse_op_name(text: str) -> OpName:
    """The scopes of an op name without the transformations; of several names the first."""
    scopes: list[str] = []
    transformations: set[str] = set()
    for number, part in enumerate(_split(text.partition(";")[0])):
        name, applied = _unwrap(part)
        transformations |= applied
        # The outermost function is the program itself.
        if number == 0 and "jit" in applied:
            continue
        scopes += [scope for scope in _split(name) if scope and scope not in _CALLS]
    return OpName(
        tuple(scopes),
        "transpose" in transformations,
        RECOMPUTATION in scopes,
        "jvp" in transformations,
    )


def _unwrap(part: str) -> tuple[str, set[str]]:
    applied: set[str] = set()
    start, end = 0, len(part)
    while start < end and part[end - 1] == ")":
        match = _TRANSFORMATION.match(part, start, end - 1)
        if match is None:
            break
        applied.add(match[1])
        start, end = match.end(), end - 1
    return part[start:end], applied


def _split(text: str) -> list[str]:
    """The parts between slashes that are not in parentheses."""
    if "(" not in text:
        return text.split("/")
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "/" and depth <= 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def parse_argument(text: str) -> tuple[str, ...]:
    """The path of an argument's leaf: `params[0]['w']` is params, 0, w."""
    head = re.match(r"[^\[.]*", text)
    first = head[0] if head else ""
    # No key begins after the last bracket that closes one.
    closed = max(text.rfind("]") + 1, len(first))
    keys = [key or name for key, name in _PATH_KEY.findall(text[len(first) : closed])]
    keys += _ATTRIBUTE.findall(text[closed:])
    return tuple(key.replace("/", "_") for key in (first, *keys) if key)


def is_named_leaf(text: str) -> bool:
    """Whether an argument's leaf has a name of its own, such as `params['w']` or `state.mu`."""
    return bool(re.search(r"\[['\"]|\.\w", text))
