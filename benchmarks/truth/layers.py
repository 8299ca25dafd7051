"""Keras models of a few layers, which every backend of Keras can build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.truth.case import Case

__all__ = ["ATTENTION", "CONVOLUTIONS", "DENSE", "RECURRENT", "block", "sequential"]

Shape = tuple[int | None, ...]


def sequential(shape: Shape, *layers: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A builder of a chain of layers, each given as a function of `keras.layers`."""

    def build(keras: Any) -> Any:
        return keras.Sequential([keras.Input(shape), *(make(keras.layers) for make in layers)])

    return build


def attention(steps: int | None, width: int, layer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A builder of one layer of self-attention."""

    def build(keras: Any) -> Any:
        x = keras.Input((steps, width))
        return keras.Model(x, layer(keras.layers)(x, x))

    return build


def block(layers: Any, x: Any, *, heads: int, width: int, inner: int) -> Any:
    """A transformer block: attention and two dense layers, normalised after each."""
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(heads, width // heads)(x, x))
    y = layers.Dense(width)(layers.Dense(inner, activation="gelu")(x))
    return layers.LayerNormalization()(x + y)


def one_block(keras: Any) -> Any:
    x = keras.Input((64, 64))
    return keras.Model(x, block(keras.layers, x, heads=4, width=64, inner=256))


def shared(keras: Any) -> Any:
    layer = keras.layers.Dense(32)
    x = keras.Input((32,))
    return keras.Model(x, layer(layer(x)))


def nested(keras: Any) -> Any:
    inner = keras.Sequential([keras.Input((16,)), keras.layers.Dense(24), keras.layers.Dense(16)])
    x = keras.Input((16,))
    return keras.Model(x, keras.layers.Dense(3)(inner(x)))


def mixed(dtype: str) -> Callable[[Any], Any]:
    """A small network that computes in a half-precision type."""
    return sequential(
        (16, 16, 3),
        lambda k: k.Conv2D(8, 3, padding="same", dtype=dtype, activation="relu"),
        lambda k: k.BatchNormalization(dtype=dtype),
        lambda k: k.Flatten(dtype=dtype),
        lambda k: k.Dense(10, dtype=dtype),
    )


def embedded(keras: Any) -> Any:
    x = keras.Input((12,), dtype="int32")
    y = keras.layers.LSTM(32)(keras.layers.Embedding(1000, 16)(x))
    return keras.Model(x, keras.layers.Dense(2)(y))


DENSE = [
    Case(
        "Dense model, batch None",
        sequential(
            (64,),
            lambda k: k.Dense(256, activation="relu"),
            lambda k: k.Dense(20, activation="softmax"),
        ),
        "2*(64*256 + 256*20)",
    ),
    Case("one Dense layer used twice", shared, "2*2*32*32"),
    Case("model in a model", nested, "2*(16*24 + 24*16 + 16*3)"),
    Case(
        "Dense on 5 steps", sequential((5, 8), lambda k: k.TimeDistributed(k.Dense(7))), "2*5*8*7"
    ),
    Case(
        "EinsumDense",
        sequential((6, 8), lambda k: k.EinsumDense("btd,dhk->bthk", output_shape=(6, 3, 4))),
        "2*6*8*3*4",
    ),
    Case("mixed precision float16", mixed("mixed_float16"), "2*(16*16*8*3*3*3 + 16*16*8*10)"),
    Case("mixed precision bfloat16", mixed("mixed_bfloat16"), "2*(16*16*8*3*3*3 + 16*16*8*10)"),
]

RECURRENT = [
    Case("LSTM, T = 20", sequential((20, 64), lambda k: k.LSTM(128)), "20*2*4*128*(64 + 128)"),
    Case(
        "LSTM, T = 50, and Dense",
        sequential((50, 16), lambda k: k.LSTM(32), lambda k: k.Dense(10)),
        "50*2*4*32*(16 + 32) + 2*32*10",
    ),
    Case(
        "LSTM, steps None",
        sequential((None, 16), lambda k: k.LSTM(32)),
        "2*4*32*(16 + 32)",
        unknown=2,
    ),
    Case(
        "LSTM, unrolled",
        sequential((20, 16), lambda k: k.LSTM(32, unroll=True)),
        "20*2*4*32*(16 + 32)",
    ),
    Case(
        "LSTM, both ways",
        sequential((20, 16), lambda k: k.Bidirectional(k.LSTM(32))),
        "2*20*2*4*32*(16 + 32)",
    ),
    Case(
        "two LSTMs",
        sequential((20, 16), lambda k: k.LSTM(32, return_sequences=True), lambda k: k.LSTM(8)),
        "20*2*4*32*(16 + 32) + 20*2*4*8*(32 + 8)",
    ),
    Case("Embedding and LSTM", embedded, "12*2*4*32*(16 + 32) + 2*32*2"),
    Case("GRU", sequential((20, 16), lambda k: k.GRU(32)), "20*2*3*32*(16 + 32)"),
    Case(
        "GRU, reset before",
        sequential((20, 16), lambda k: k.GRU(32, reset_after=False)),
        "20*2*3*32*(16 + 32)",
    ),
    Case("SimpleRNN", sequential((20, 16), lambda k: k.SimpleRNN(32)), "20*2*32*(16 + 32)"),
    Case(
        "ConvLSTM2D",
        sequential((5, 8, 8, 3), lambda k: k.ConvLSTM2D(4, 3, padding="same")),
        "5*2*8*8*3*3*(3 + 4)*4*4",
    ),
]

ATTENTION = [
    Case(
        "MultiHeadAttention",
        attention(20, 64, lambda k: k.MultiHeadAttention(4, 64)),
        "4*2*20*64*256 + 2*2*20*20*256",
    ),
    Case(
        "GroupQueryAttention",
        attention(20, 64, lambda k: k.GroupQueryAttention(16, 4, 2)),
        "2*2*20*64*64 + 2*2*20*64*32 + 2*2*20*20*64",
    ),
    Case("attention block", one_block, "4*2*64*64*64 + 2*2*64*64*64 + 2*2*64*64*256"),
]

CONVOLUTIONS = [
    Case(
        "Conv1D, dilated",
        sequential((32, 4), lambda k: k.Conv1D(8, 3, dilation_rate=2)),
        "2*28*8*3*4",
    ),
    Case(
        "Conv2D, strided",
        sequential((17, 17, 3), lambda k: k.Conv2D(8, 5, strides=2)),
        "2*7*7*8*5*5*3",
    ),
    Case(
        "Conv2D, 4 groups",
        sequential((8, 8, 16), lambda k: k.Conv2D(8, 3, groups=4, padding="same")),
        "2*8*8*8*3*3*4",
    ),
    Case(
        "Conv3D",
        sequential((6, 8, 8, 3), lambda k: k.Conv3D(4, 3, padding="same")),
        "2*6*8*8*4*27*3",
    ),
    Case(
        "DepthwiseConv2D",
        sequential((16, 16, 8), lambda k: k.DepthwiseConv2D(3, depth_multiplier=2)),
        "2*14*14*16*3*3",
    ),
    Case(
        "SeparableConv2D",
        sequential((16, 16, 8), lambda k: k.SeparableConv2D(12, 3, padding="same")),
        "2*16*16*8*3*3 + 2*16*16*8*12",
    ),
    Case(
        "Conv2DTranspose",
        sequential((8, 8, 3), lambda k: k.Conv2DTranspose(4, 3, strides=2, padding="same")),
        "2*8*8*3*3*3*4",
    ),
    Case(
        "Conv3DTranspose",
        sequential((4, 4, 4, 3), lambda k: k.Conv3DTranspose(2, 3, strides=2, padding="same")),
        "2*4*4*4*3*27*2",
    ),
]
