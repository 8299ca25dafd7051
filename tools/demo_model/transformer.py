"""A small transformer that predicts the next character, trained with model.fit."""

import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

import tfprof

LENGTH, WIDTH, HEADS, BLOCKS, CHARACTERS, BATCH = 64, 128, 4, 2, 128, 32


class Attention(layers.Layer):
    """Each position looks at itself and those before it."""

    def __init__(self):
        super().__init__()
        self.enter, self.leave = layers.Dense(3 * WIDTH), layers.Dense(WIDTH)
        self.mask = np.triu(np.full((LENGTH, LENGTH), -1e9, "float32"), 1)

    def call(self, x):
        x = ops.reshape(self.enter(x), (-1, LENGTH, 3, HEADS, WIDTH // HEADS))
        query, key, value = ops.unstack(ops.transpose(x, (2, 0, 3, 1, 4)))
        scores = query @ ops.transpose(key, (0, 1, 3, 2)) * (WIDTH // HEADS) ** -0.5
        weights = ops.softmax(scores + self.mask)
        x = ops.transpose(weights @ value, (0, 2, 1, 3))
        return self.leave(ops.reshape(x, (-1, LENGTH, WIDTH)))


class Block(layers.Layer):
    """Attention and a feed-forward network."""

    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
        self.up, self.down = layers.Dense(4 * WIDTH, activation="gelu"), layers.Dense(WIDTH)

    def call(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(self.up(self.norm2(x)))


class Transformer(keras.Model):
    """Characters to the scores of the next ones."""

    def __init__(self):
        super().__init__()
        self.embed = layers.Embedding(CHARACTERS, WIDTH)
        self.position = layers.Embedding(LENGTH, WIDTH)
        self.blocks = [Block() for _ in range(BLOCKS)]
        self.scores = layers.Dense(CHARACTERS)

    def call(self, text):
        x = self.embed(text) + self.position(np.arange(LENGTH))
        for block in self.blocks:
            x = block(x)
        return self.scores(x)


def batches():
    """Random characters: the model has nothing to learn here."""
    text = np.random.default_rng(0).integers(0, CHARACTERS, (500, LENGTH + 1))
    data = tf.data.Dataset.from_tensor_slices(text).batch(BATCH, drop_remainder=True)
    return data.map(lambda lines: (lines[:, :-1], lines[:, 1:])).repeat().prefetch(2)


def main():
    model = Transformer()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    callback = tfprof.KerasCallback(sys.argv[1], steps=(10, 13))
    model.fit(batches(), steps_per_epoch=20, callbacks=[callback], verbose=0)


main()
