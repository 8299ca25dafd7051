"""Train steps: forward, gradients to the weights, Adam. No gradient goes to the data."""

from __future__ import annotations

from typing import Any

from benchmarks.truth.applications import application, resnet_step
from benchmarks.truth.case import Case
from benchmarks.truth.layers import block, sequential

__all__ = ["STEPS"]


def transformer(keras: Any) -> Any:
    """Four blocks of width 256 on 64 tokens, with 1000 words."""
    x = keras.Input((64,), dtype="int32")
    y = keras.layers.Embedding(1000, 256)(x)
    for _ in range(4):
        y = block(keras.layers, y, heads=8, width=256, inner=1024)
    return keras.Model(x, keras.layers.Dense(1000)(y))


STEPS = [
    Case(
        "train step: Dense model",
        sequential((64,), lambda k: k.Dense(256, activation="relu"), lambda k: k.Dense(20)),
        "2*2*64*256 + 3*2*256*20",
        "train",
    ),
    Case(
        "train step: LSTM",
        sequential((20, 16), lambda k: k.LSTM(32), lambda k: k.Dense(5)),
        "20*2*4*32*(2*16 + 3*32) + 3*2*32*5",
        "train",
    ),
    Case(
        "train step: two convolutions, normalised",
        sequential(
            (16, 16, 3),
            lambda k: k.Conv2D(8, 3, padding="same"),
            lambda k: k.BatchNormalization(),
            lambda k: k.ReLU(),
            lambda k: k.MaxPooling2D(),
            lambda k: k.Conv2D(4, 3, strides=2, padding="same"),
            lambda k: k.GlobalAveragePooling2D(),
        ),
        "2*2*16*16*8*9*3 + 3*2*4*4*4*9*8",
        "train",
    ),
    Case(
        "train step: depthwise",
        sequential(
            (8, 8, 4), lambda k: k.Conv2D(4, 1), lambda k: k.DepthwiseConv2D(3, padding="same")
        ),
        "2*2*8*8*4*4 + 3*2*8*8*4*9",
        "train",
    ),
    Case(
        "train step: 3-D convolutions",
        sequential((6, 6, 6, 2), lambda k: k.Conv3D(3, 3), lambda k: k.Conv3D(4, 3)),
        "2*2*4**3*3*27*2 + 3*2*2**3*4*27*3",
        "train",
    ),
    Case(
        "train step: transposed convolutions",
        sequential(
            (4, 4, 3),
            lambda k: k.Conv2DTranspose(4, 3, strides=2, padding="same"),
            lambda k: k.Conv2DTranspose(2, 3, strides=2, padding="same"),
        ),
        "2*2*4*4*3*9*4 + 3*2*8*8*4*9*2",
        "train",
    ),
    Case(
        "train step: 4-layer transformer",
        transformer,
        "3*4*(4*2*64*256*256 + 2*2*64*64*256 + 2*2*64*256*1024) + 3*2*64*256*1000",
        "train",
    ),
    Case("train step: ResNet50, 4 images", application("ResNet50"), resnet_step, "train", batch=4),
]
