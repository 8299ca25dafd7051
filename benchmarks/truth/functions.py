"""Functions that only TensorFlow has: nested, compiled, with loops and branches, with gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.truth.case import Case

__all__ = ["CONTROL", "EINSUMS", "GRADIENTS", "concrete", "loop_with_gradient", "with_gradient"]

Shape = tuple[int | None, ...]
Build = Callable[[Any], Any]


def concrete(tf: Any, function: Callable[..., Any], *shapes: Shape) -> Any:
    """A traced function."""
    specs = [tf.TensorSpec(shape) for shape in shapes]
    return tf.function(function).get_concrete_function(*specs)


def with_gradient(tf: Any, function: Callable[..., Any], *shapes: Shape) -> Any:
    """A traced function and its gradient to every argument."""

    def both(*tensors: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = function(*tensors)
        return result, tape.gradient(result, tensors)

    return concrete(tf, both, *shapes)


def nested(**options: Any) -> Build:
    """A function that calls another."""

    def build(tf: Any) -> Any:
        first, second = tf.zeros((64, 256)), tf.zeros((256, 20))
        inner = tf.function(lambda x: tf.nn.relu(x @ first) @ second, **options)
        return concrete(tf, lambda x: inner(x), (1, 64))

    return build


def called_thrice(tf: Any) -> Any:
    inner = tf.function(lambda x: x @ x)
    middle = tf.function(lambda x: inner(inner(x)))
    return concrete(tf, lambda x: middle(inner(x)), (8, 8))


def while_loop(tf: Any) -> Any:
    def model(x: Any, w: Any) -> Any:
        i = tf.constant(0)
        while i < 10:
            x, i = x @ w, i + 1
        return x

    return concrete(tf, model, (8, 32), (32, 32))


def counted_down(tf: Any) -> Any:
    def model(x: Any) -> Any:
        for _ in tf.range(11, 0, -2):
            x = x @ x
        return x

    return concrete(tf, model, (8, 8))


def branches(tf: Any) -> Any:
    def model(x: Any, w: Any) -> Any:
        if tf.reduce_sum(x) > 0:  # noqa: SIM108  autograph makes a cond of it
            y = x @ w
        else:
            y = x
        return y

    return concrete(tf, model, (8, 32), (32, 32))


def switch(tf: Any) -> Any:
    def model(x: Any) -> Any:
        chosen = tf.cast(tf.reduce_sum(x), tf.int32)
        return tf.switch_case(chosen, [lambda: x, lambda: x @ x, lambda: x @ x @ x])

    return concrete(tf, model, (8, 8))


def loop_with_gradient(tf: Any) -> Any:
    """A loop of six iterations, forward and back."""

    def model(x: Any, w: Any) -> Any:
        for _ in tf.range(6):
            x = tf.tanh(x @ w)
        return x

    return with_gradient(tf, model, (5, 8), (8, 8))


def over_a_tensor(tf: Any) -> Any:
    def model(x: Any, rows: Any) -> Any:
        for row in rows:
            x = x @ row
        return x

    return concrete(tf, model, (16, 16), (None, 16, 16))


def nested_loops(tf: Any) -> Any:
    def model(x: Any) -> Any:
        for _ in tf.range(3):
            for _ in tf.range(4):
                x = x @ x
        return x

    return concrete(tf, model, (8, 8))


def mapped(tf: Any) -> Any:
    return concrete(tf, lambda x: tf.map_fn(lambda row: row @ row, x), (7, 8, 8))


def scanned(tf: Any) -> Any:
    return concrete(tf, lambda x: tf.scan(lambda a, row: a @ row, x), (7, 8, 8))


def recomputed(tf: Any) -> Any:
    layer = tf.recompute_grad(lambda x, w: tf.tanh(x @ w))
    return with_gradient(tf, layer, (5, 8), (8, 6))


def jacobian(tf: Any) -> Any:
    def model(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x @ w)
        return tape.jacobian(y, x, experimental_use_pfor=False)

    return concrete(tf, model, (1, 8), (8, 6))


def einsum(equation: str, *shapes: Shape, gradient: bool = False) -> Build:
    """An einsum of placeholders."""
    trace = with_gradient if gradient else concrete
    return lambda tf: trace(tf, lambda *operands: tf.einsum(equation, *operands), *shapes)


def gradient(function: Callable[[Any, Any, Any], Any], *shapes: Shape) -> Build:
    """A function of `tf` and two tensors, with its gradients."""
    return lambda tf: with_gradient(tf, lambda x, w: function(tf, x, w), *shapes)


def _case(name: str, build: Build, truth: str, unknown: int = 0) -> Case:
    return Case(name, build, truth, "function", unknown)


CONTROL = [
    _case("nested function", nested(), "2*(64*256 + 256*20)"),
    _case("call of a jit_compile=True function", nested(jit_compile=True), "2*(64*256 + 256*20)"),
    _case("function called three times", called_thrice, "3*2*8**3"),
    _case("while, 10 times", while_loop, "10*2*8*32*32"),
    _case("for, counted down by 2", counted_down, "6*2*8**3"),
    _case("for over a tensor, size None", over_a_tensor, "2*16**3", 1),
    _case("loop in a loop", nested_loops, "3*4*2*8**3"),
    _case("loop with gradient", loop_with_gradient, "3*6*2*5*8*8"),
    _case("map_fn", mapped, "7*2*8**3"),
    _case("scan", scanned, "6*2*8**3"),
    _case("cond, the most expensive branch", branches, "2*8*32*32"),
    _case("switch_case, the most expensive branch", switch, "2*2*8**3"),
    _case("recompute_grad", recomputed, "4*2*5*8*6"),
    _case("jacobian by a loop", jacobian, "2*8*6 + 6*2*8*6"),
]

GRADIENTS = [
    _case(
        "depthwise with gradients",
        gradient(
            lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"),
            (1, 8, 8, 4),
            (3, 3, 4, 4),
        ),
        "3*2*8*8*4*4*3*3",
    ),
    _case(
        "conv3d with gradients",
        gradient(
            lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"),
            (1, 8, 8, 8, 4),
            (3, 3, 3, 4, 4),
        ),
        "3*2*8**3*4*27*4",
    ),
    _case(
        "conv3d, strided, with gradients",
        gradient(
            lambda tf, x, w: tf.nn.conv3d(x, w, [1, 2, 2, 2, 1], "VALID"),
            (2, 9, 9, 9, 3),
            (3, 3, 3, 3, 4),
        ),
        "3*2*2*4**3*4*27*3",
    ),
    _case(
        "transposed convolution with gradients",
        gradient(
            lambda tf, x, w: tf.nn.conv2d_transpose(x, w, (1, 16, 16, 4), 2),
            (1, 8, 8, 3),
            (3, 3, 4, 3),
        ),
        "3*2*8*8*3*9*4",
    ),
    _case(
        "strided convolution that does not divide, with gradients",
        gradient(lambda tf, x, w: tf.nn.conv2d(x, w, 2, "VALID"), (1, 8, 8, 3), (3, 3, 3, 4)),
        "3*2*3*3*4*27",
    ),
    _case(
        "channels-first convolution with gradients",
        gradient(
            lambda tf, x, w: tf.nn.conv2d(x, w, 1, "SAME", data_format="NCHW"),
            (1, 3, 8, 8),
            (3, 3, 3, 4),
        ),
        "3*2*8*8*4*27",
    ),
    _case(
        "batched matmul, transposed, with gradients",
        gradient(
            lambda tf, x, y: tf.matmul(x, y, adjoint_a=True, transpose_b=True), (3, 8, 5), (3, 7, 8)
        ),
        "3*2*3*5*8*7",
    ),
]

EINSUMS = [
    _case("einsum ij,jk->ik", einsum("ij,jk->ik", (5, 8), (8, 7)), "2*5*8*7"),
    _case(
        "einsum btd,dhk->bthk with gradients",
        einsum("btd,dhk->bthk", (2, 5, 8), (8, 3, 4), gradient=True),
        "3*2*2*5*8*3*4",
    ),
    _case(
        "einsum bthk,bshk->bhts",
        einsum("bthk,bshk->bhts", (None, 6, 3, 4), (None, 9, 3, 4)),
        "2*6*3*4*9",
        1,
    ),
    _case(
        "einsum ...ij,...jk->...ik", einsum("...ij,...jk->...ik", (4, 3, 5), (5, 6)), "2*4*3*5*6"
    ),
    _case(
        "einsum ij,jk,kl->il",
        einsum("ij,jk,kl->il", (2, 8), (8, 4), (4, 16)),  # left to right is its greedy path
        "2*2*8*4 + 2*2*4*16",
    ),
    _case("einsum bij,bjk->k", einsum("bij,bjk->k", (3, 4, 5), (3, 5, 6)), "2*3*5*6"),
    _case(  # forward only multiplies: nothing is summed, so it is element-wise
        "einsum bi,bj->bij with gradients",
        einsum("bi,bj->bij", (3, 4), (3, 5), gradient=True),
        "2*2*3*4*5",
    ),
]
