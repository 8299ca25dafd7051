"""JAX programs to trace. `python -m tests.loaders.hlo.programs FOLDER` traces them all.

Each is a training step that runs a few times, in a process of its own, as a user's would.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.loaders.hlo.truth import BATCH, BLOCKS, LENGTH, MEMORY_PARTS, STEPS, VOCABULARY, WIDTH

_RANDOM = np.random.default_rng(0)


def train(loss_fn: Callable[..., Any]) -> Any:
    """A step of gradient descent."""

    @jax.jit
    def train_step(params: Any, *batch: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_fn)(params, *batch)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return train_step


def normal(*shape: int) -> Any:
    return 0.1 * _RANDOM.standard_normal(shape, "float32")


def mlp() -> Any:
    params = [{"w": normal(a, b), "b": normal(b)} for a, b in ((64, 256), (256, 256), (256, 8))]

    def loss_fn(params: Any, x: Any, y: Any) -> Any:
        for number, layer in enumerate(params):
            with jax.named_scope(f"layer{number}"):
                x = jnp.tanh(x @ layer["w"] + layer["b"])
        return jnp.mean((x - y) ** 2)

    return train(loss_fn), params, normal(128, 64), normal(128, 8)


def convolve(x: Any, kernel: Any, stride: int = 1, groups: int = 1) -> Any:
    return jax.lax.conv_general_dilated(
        x,
        kernel,
        (stride, stride),
        "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def cnn() -> Any:
    params = {"first": normal(3, 3, 3, 16), "second": normal(3, 3, 16, 32), "out": normal(32, 10)}

    def loss_fn(params: Any, x: Any, y: Any) -> Any:
        with jax.named_scope("convolutions"):
            x = jax.nn.relu(convolve(x, params["first"]))
            x = jax.nn.relu(convolve(x, params["second"], stride=2))
        x = x.mean((1, 2)) @ params["out"]
        return jnp.mean((x - y) ** 2)

    return train(loss_fn), params, normal(8, 16, 16, 3), normal(8, 10)


def depthwise() -> Any:
    params = {"depth": normal(3, 3, 1, 16), "point": normal(1, 1, 16, 32)}

    def loss_fn(params: Any, x: Any) -> Any:
        x = convolve(jnp.tanh(convolve(x, params["depth"], groups=16)), params["point"])
        return jnp.mean(x**2)

    return train(loss_fn), params, normal(8, 16, 16, 16)


def lstm() -> Any:
    params = {"w": normal(24 + 32, 4 * 32), "b": normal(4 * 32)}

    def loss_fn(params: Any, x: Any) -> Any:
        def cell(state: Any, x: Any) -> Any:
            h, c = state
            gates = jnp.concatenate([x, h], 1) @ params["w"] + params["b"]
            i, f, g, o = jnp.split(gates, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        state = jnp.zeros((16, 32)), jnp.zeros((16, 32))
        _, h = jax.lax.scan(cell, state, x)
        return jnp.mean(h**2)

    return train(loss_fn), params, normal(20, 16, 24)


def block(params: Any, x: Any) -> Any:
    with jax.named_scope("attention"):
        q, k, v = (x @ params[name] for name in ("q", "k", "v"))
        scores = jax.nn.softmax(jnp.einsum("bsd,btd->bst", q, k) / 4.0)
        x = x + jnp.einsum("bst,btd->bsd", scores, v) @ params["o"]
    with jax.named_scope("mlp"):
        return x + jax.nn.gelu(x @ params["up"]) @ params["down"]


def block_params(*leading: int) -> Any:
    square = {name: normal(*leading, WIDTH, WIDTH) for name in "qkvo"}
    up, down = normal(*leading, WIDTH, 4 * WIDTH), normal(*leading, 4 * WIDTH, WIDTH)
    return {**square, "up": up, "down": down}


def language_loss(params: Any, x: Any, targets: Any) -> Any:
    logits = jax.nn.log_softmax(x @ params["out"])
    return -jnp.take_along_axis(logits, targets[..., None], -1).mean()


def tokens() -> Any:
    return _RANDOM.integers(0, VOCABULARY, (BATCH, LENGTH), "int32")


def transformer() -> Any:
    params = {"embed": normal(VOCABULARY, WIDTH), "out": normal(WIDTH, VOCABULARY)}
    params["blocks"] = [block_params() for _ in range(BLOCKS)]

    def loss_fn(params: Any, x: Any) -> Any:
        hidden = params["embed"][x]
        for number, layer in enumerate(params["blocks"]):
            with jax.named_scope(f"block{number}"):
                hidden = block(layer, hidden)
        return language_loss(params, hidden, x)

    return train(loss_fn), params, tokens()


def scanned_transformer(layer: Any = block) -> Any:
    params = {"embed": normal(VOCABULARY, WIDTH), "out": normal(WIDTH, VOCABULARY)}
    params["blocks"] = block_params(BLOCKS)

    def loss_fn(params: Any, x: Any) -> Any:
        hidden = params["embed"][x]
        hidden, _ = jax.lax.scan(lambda h, p: (layer(p, h), None), hidden, params["blocks"])
        return language_loss(params, hidden, x)

    return train(loss_fn), params, tokens()


def remat_transformer() -> Any:
    return scanned_transformer(jax.checkpoint(block))


PROGRAMS: dict[str, Callable[[], Any]] = {
    program.__name__: program
    for program in (
        *(mlp, cnn, depthwise, lstm, transformer, scanned_transformer, remat_transformer),
    )
}


def main() -> None:
    root = Path(sys.argv[1])
    for name in sys.argv[2:] or PROGRAMS:
        step, params, *batch = PROGRAMS[name]()
        step(params, *batch)[0].block_until_ready()
        lowered = step.lower(params, *batch)
        before = lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
        (root / f"{name}.hlo.pb").write_bytes(before)
        memory = lowered.compile().memory_analysis()
        sizes = {part: getattr(memory, f"{part}_size_in_bytes") for part in MEMORY_PARTS}
        (root / f"{name}.memory.json").write_text(json.dumps(sizes))
        with jax.profiler.trace(root / name):
            for _ in range(STEPS):
                loss, params = step(params, *batch)
            jax.block_until_ready((loss, params))


if __name__ == "__main__":
    main()
