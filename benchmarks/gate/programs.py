"""Three training steps, each a chain of equal blocks: one block more is 5 % more work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

BLOCKS, MORE_BLOCKS = 20, 21
"""The blocks of a step, and of one that really does 5 % more."""

Step = Callable[[], Any]


def make_step(name: str, blocks: int = BLOCKS) -> Step:
    """A training step by the name that it has in `PROGRAMS`."""
    import tensorflow as tf

    # Ops of one thread, as docs/gate.md advises: ops that run beside others share their cores.
    if tf.config.threading.get_intra_op_parallelism_threads() != 1:
        tf.config.threading.set_inter_op_parallelism_threads(1)
        tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.random.set_seed(1)
    x, widths, block = PROGRAMS[name](tf)
    weights = [
        [tf.Variable(tf.random.normal(w, stddev=0.05), name="weights") for w in widths]
        for _ in range(blocks)
    ]
    flat = [variable for of_block in weights for variable in of_block]

    @tf.function
    def train_step() -> Any:
        y = x
        with tf.GradientTape() as tape:
            for i, of_block in enumerate(weights):
                with tf.name_scope(f"block_{i}"):
                    y = block(y, *of_block)
            loss = tf.reduce_mean(tf.square(y))
        for variable, gradient in zip(flat, tape.gradient(loss, flat), strict=True):
            variable.assign_sub(0.001 * gradient)
        return loss

    return train_step


def _convolutions(tf: Any) -> tuple[Any, list[list[int]], Step]:
    def block(x: Any, weights: Any) -> Any:
        return tf.nn.relu(tf.nn.conv2d(x, weights, 1, "SAME"))

    return tf.random.normal((8, 16, 16, 16)), [[3, 3, 16, 16]], block


def _attention(tf: Any) -> tuple[Any, list[list[int]], Step]:
    def block(x: Any, enter: Any, leave: Any) -> Any:
        query, key, value = tf.split(x @ enter, 3, axis=-1)
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 8)
        return x + (weights @ value) @ leave

    return tf.random.normal((4, 64, 64)), [[64, 192], [64, 64]], block


def _dense(tf: Any) -> tuple[Any, list[list[int]], Step]:
    def block(x: Any, weights: Any) -> Any:
        return tf.nn.relu(x @ weights)

    return tf.random.normal((64, 256)), [[256, 256]], block


PROGRAMS: dict[str, Callable[[Any], tuple[Any, list[list[int]], Any]]] = {
    "convolutions": _convolutions,
    "attention": _attention,
    "dense": _dense,
}
"""The input, the shapes of a block's weights, and the block itself."""
