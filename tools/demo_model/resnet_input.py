"""The input of the demo: striped pictures made on the fly and handed over through a queue.

The direction of the stripes tells the class, so that there is something to learn without any data
to download.
"""

from __future__ import annotations

import math

import tensorflow.compat.v1 as tf

CLASSES = 10
SIZE = 32
SHUFFLED = 512  # examples that stay in the queue so that batches are well mixed


def batches(batch_size: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Images and labels of one batch, taken from a queue that one thread keeps filled."""
    with tf.name_scope("input"):
        label = tf.random_uniform([], maxval=CLASSES, dtype=tf.int32, name="label")
        image = _augment(_stripes(label))
    queue = tf.RandomShuffleQueue(
        capacity=SHUFFLED + 2 * batch_size,
        min_after_dequeue=SHUFFLED,
        dtypes=[tf.float32, tf.int32],
        shapes=[[SIZE, SIZE, 3], []],
    )
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([image, label])]))
    images, labels = queue.dequeue_many(batch_size)
    return images, labels


def _stripes(label: tf.Tensor) -> tf.Tensor:
    """A noisy picture of coloured stripes in the direction that belongs to the label."""
    with tf.name_scope("stripes"):
        across = tf.linspace(-1.0, 1.0, SIZE + 8)
        angle = tf.cast(label, tf.float32) * (math.pi / CLASSES)
        phase = tf.random_uniform([], maxval=2 * math.pi)
        along = tf.cos(angle) * across[tf.newaxis, :] + tf.sin(angle) * across[:, tf.newaxis]
        colour = tf.random_uniform([3], minval=0.5)
        noise = tf.random_normal([SIZE + 8, SIZE + 8, 3], stddev=0.3)
        return tf.sin(9.0 * along + phase)[:, :, tf.newaxis] * colour + noise


def _augment(image: tf.Tensor) -> tf.Tensor:
    """A random piece of the picture, with mean 0 and variance 1."""
    with tf.name_scope("augment"):
        piece = tf.random_crop(image, [SIZE, SIZE, 3])
        bright = tf.image.random_brightness(piece, max_delta=0.4)
        return tf.image.per_image_standardization(bright)
