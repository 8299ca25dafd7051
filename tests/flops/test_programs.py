"""Random programs: an answer with symbols, bound, equals the answer for the sizes themselves."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tfprof.flops.model_cost import cost


def steps(tf: Any) -> dict[str, Callable[[Any, int], Any]]:
    """Things to do with a tensor of two to four axes; the number varies them."""

    def matmul(x: Any, n: int) -> Any:
        shape = tf.shape(x)
        flat = tf.reshape(x, [-1, shape[-1]]) @ tf.ones([shape[-1], n])
        return tf.reshape(flat, tf.concat([shape[:-1], [n]], 0))

    def merge(x: Any, _: int) -> Any:
        shape = tf.shape(x)
        if x.shape.rank > 2:
            return tf.reshape(x, tf.concat([[-1], shape[2:]], 0))
        return tf.reshape(x, [-1, 1, shape[1]])

    def loop(x: Any, n: int) -> Any:
        for _ in tf.range(n):
            x = tf.tanh(x) * 2.0
        return x

    def image(function: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
        return lambda x, _: function(x) if x.shape.rank == 4 else x

    rest = lambda x, *first: [*first, *[1] * (x.shape.rank - len(first))]  # noqa: E731
    return {
        "matmul": matmul,
        "merge": merge,
        "loop": loop,
        "flatten": lambda x, _: tf.reshape(x, [tf.shape(x)[0], -1]),
        "concat": lambda x, n: tf.concat([x, x[:, :n]], 1),
        "skip": lambda x, n: x[:, ::n],
        "drop": lambda x, _: x[:, 1:],
        "pad": lambda x, n: tf.pad(x, [[0, 0], [1, n]] + [[0, 0]] * (x.shape.rank - 2)),
        "transpose": lambda x, _: tf.transpose(x, [1, 0, *range(2, x.shape.rank)]),
        "sum": lambda x, _: tf.reduce_sum(x, axis=-1, keepdims=True),
        "cond": lambda x, _: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(x), lambda: x),
        "tile": lambda x, n: tf.tile(x, rest(x, 1, n)),
        "stack": lambda x, _: tf.stack([x, x], 1) if x.shape.rank < 4 else x,
        "gather": lambda x, _: tf.gather(x, tf.range(tf.shape(x)[1]) // 2, axis=1),
        "split": lambda x, _: tf.add_n(tf.split(tf.concat([x, x], 1), 2, 1)),
        "centre": lambda x, _: x - tf.reduce_mean(x, 0, keepdims=True),
        "square": lambda x, _: tf.matmul(x, x, transpose_b=True),
        "fill": lambda x, _: x + tf.fill(tf.shape(x), 1.0),
        "repeat": lambda x, n: tf.repeat(x, n, axis=0),
        "spread": lambda x, _: tf.broadcast_to(tf.reduce_sum(x, 0, keepdims=True), tf.shape(x)),
        "conv": image(lambda x: tf.nn.conv2d(x, tf.ones([2, 2, tf.shape(x)[-1], 4]), 2, "SAME")),
        "pool": image(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME")),
    }


def program(tf: Any, rng: random.Random, *, gradient: bool) -> Callable[[Any], Any]:
    table = steps(tf)
    chosen = [(rng.choice(list(table)), rng.randint(2, 4)) for _ in range(rng.randint(4, 9))]

    def run(x: Any) -> Any:
        for name, number in chosen:
            x = table[name](x, number)
        return x

    def differentiated(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        return tape.gradient(y, x)

    return differentiated if gradient else run


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_symbols_and_sizes_agree(tf: Any, seed: int, gradient: bool) -> None:
    rng = random.Random(seed)
    sizes = [rng.randint(2, 5) for _ in range(rng.randint(2, 4))]
    unknown = rng.randint(1, 2)
    spec = tf.TensorSpec([None] * unknown + sizes[unknown:], name="x")
    function = tf.function(program(tf, rng, gradient=gradient)).get_concrete_function(spec)

    symbolic = cost(function)
    assert symbolic.ledger.complete, symbolic.ledger.summary()
    values = {"B": sizes[0], "T": sizes[1]}
    bound = symbolic.bind(**{name: values[name] for name in symbolic.symbols})
    sized = cost(function, run_shapes={"x": [tuple(sizes)]})
    assert bound.float_ops == sized.float_ops
    assert bound.macs == sized.macs

    # The same without any shape stated in the graph.
    bare = cost(
        function.graph.as_graph_def(add_shapes=False),
        outputs=[tensor.op.name for tensor in function.graph.outputs],
        run_shapes={"x": [tuple(sizes)]},
    )
    assert bare.macs == sized.macs
    assert bare.float_ops == sized.float_ops
