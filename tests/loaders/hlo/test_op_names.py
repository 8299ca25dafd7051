"""Names of ops: scopes without transformations, and paths of arguments."""

from __future__ import annotations

import pytest

from tfprof.loaders.hlo.op_names import is_named_leaf, parse_argument, parse_op_name


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("jit(step)/dot_general", "dot_general"),
        ("jit(step)/jvp(block0)/mlp/dot_general", "block0/mlp/dot_general"),
        ("jit(step)/transpose(jvp(block0))/mlp/mul", "block0/mlp/mul"),
        ("jit(step)/jvp()/while/body/closed_call/tanh", "while/body/tanh"),
        ("jit(step)/jvp(jit(relu))/max", "relu/max"),
        ("jit(step)/vmap(jvp(a/b))/add", "a/b/add"),
        ("jit(step)/transpose(jvp())/mul;jit(step)/transpose(jvp())/add", "mul"),
        ("jit(step)/user(x)/add", "user(x)/add"),
        ("reduce_sum", "reduce_sum"),
        ("", ""),
    ],
)
def test_scopes(text: str, path: str) -> None:
    assert "/".join(parse_op_name(text).path) == path


def test_directions() -> None:
    forward, backward = "jit(f)/jvp(a)/add", "jit(f)/transpose(jvp(a))/add"
    assert parse_op_name(forward).is_differentiated
    assert not parse_op_name(forward).is_backward
    assert parse_op_name(backward).is_backward
    again = "jit(f)/transpose(jvp(checkpoint))/rematted_computation/add"
    assert parse_op_name(again).is_recomputation
    assert not parse_op_name(backward).is_recomputation


def test_arguments() -> None:
    assert parse_argument("params['blocks'][0]['qkv']['b']") == (
        *("params", "blocks", "0", "qkv", "b"),
    )
    assert parse_argument("state.mu['w']") == ("state", "mu", "w")
    assert parse_argument("x") == ("x",)
    assert is_named_leaf("state.mu[0]")
    assert is_named_leaf('params["w"]')
    assert not is_named_leaf("batch[0]")
