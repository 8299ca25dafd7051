"""Text models: the batch size survives the ops that split, look up and pad strings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfprof
from tfprof.flops.polynomial import Count, symbol

B, T = symbol("B"), symbol("T")
WORDS = ["the cat sat on the mat", "a dog barked"]


def vectorized(tf: Any, shape: tuple[int, ...], **options: Any) -> tuple[Any, Any]:
    """The input and output of a layer that knows some words."""
    layer = tf.keras.layers.TextVectorization(max_tokens=12, **options)
    layer.adapt(WORDS)
    text = tf.keras.Input(shape, dtype="string", name="text")
    return text, layer(text)


def embedded(tf: Any, length: int | None, shape: tuple[int, ...]) -> Any:
    layers = tf.keras.layers
    text, ids = vectorized(tf, shape, output_sequence_length=length)
    x = layers.Dense(3, use_bias=False)(layers.Embedding(12, 4)(ids))
    return tf.keras.Model(text, layers.GlobalMaxPooling1D()(x))


def counted(tf: Any, mode: str, **options: Any) -> Any:
    text, counts = vectorized(tf, (1,), output_mode=mode, **options)
    return tf.keras.Model(text, tf.keras.layers.Dense(3, use_bias=False)(counts))


def attention(tf: Any) -> Any:
    layers = tf.keras.layers
    text, ids = vectorized(tf, ())
    x = layers.Embedding(12, 4)(ids)
    return tf.keras.Model(text, layers.Dot(axes=2)([x, x]))


def characters(tf: Any) -> Any:
    layers = tf.keras.layers
    text, ids = vectorized(tf, (), split="character", output_sequence_length=7)
    return tf.keras.Model(text, layers.Dense(3, use_bias=False)(layers.Embedding(12, 4)(ids)))


DENSE = 2 * 4 * 3
CASES: dict[str, tuple[Any, Count]] = {
    "padded": (lambda tf: embedded(tf, 6, (1,)), 6 * DENSE * B),
    "padded texts": (lambda tf: embedded(tf, 6, ()), 6 * DENSE * B),
    "longest": (lambda tf: embedded(tf, None, ()), DENSE * B * T),
    "attention": (attention, 2 * 4 * B * T * T),
    "multi_hot": (lambda tf: counted(tf, "multi_hot"), 2 * 9 * 3 * B),
    "count": (lambda tf: counted(tf, "count"), 2 * 9 * 3 * B),
    "tf_idf": (lambda tf: counted(tf, "tf_idf", ngrams=2), 2 * 12 * 3 * B),
    "characters": (characters, 7 * DENSE * B),
}


@pytest.mark.parametrize("case", CASES)
def test_text_models_keep_the_batch(tf: Any, case: str, tmp_path: Path) -> None:
    build, expected = CASES[case]
    model = build(tf)
    model.export(tmp_path, verbose=False)
    for source in (tmp_path, model):
        cost = tfprof.cost(source)
        assert cost.contraction_float_ops == expected
        assert cost.ledger.complete, cost.ledger.summary()
        assert "batch size" in cost.symbols.values()
