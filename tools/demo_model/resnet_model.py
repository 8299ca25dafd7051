"""A residual network of 32 layers for small pictures, with its training step.

Three stages of five units, two 3x3 convolutions in each; batch normalisation and activation come
before the convolution. Where a unit halves the picture and doubles the channels, its shortcut is
average-pooled and padded with zeros, so that it needs no parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow.compat.v1 as tf

UNITS = 5  # in each stage
STAGES = ((16, 1), (32, 2), (64, 2))  # channels, stride of the first unit


@dataclass(frozen=True)
class Settings:
    """What can be tuned."""

    classes: int = 10
    learning_rate: float = 0.02
    momentum: float = 0.9
    weight_decay: float = 0.0002
    leakiness: float = 0.1
    average_decay: float = 0.9


class ResNet:
    """The network over one batch: `logits`, `cost`, `train_op` and `global_step`."""

    cost: tf.Tensor
    logits: tf.Tensor
    train_op: tf.Operation
    global_step: tf.Variable

    def __init__(self, images: tf.Tensor, labels: tf.Tensor, settings: Settings) -> None:
        self._images = images
        self._labels = labels
        self._settings = settings
        self._average_updates: list[tf.Tensor] = []

    def build_graph(self) -> None:
        """Build everything that a training step runs."""
        self.global_step = tf.train.get_or_create_global_step()
        self._build_model()
        self._build_cost()
        self._build_train_op()

    def _build_model(self) -> None:
        with tf.variable_scope("init"):
            x = self._conv("init_conv", self._images, 16, kernel=3)
        for stage, (channels, stride) in enumerate(STAGES, start=1):
            for unit in range(UNITS):
                with tf.variable_scope(f"unit_{stage}_{unit}"):
                    first = unit == 0
                    x = self._residual(
                        x, channels, stride=stride if first else 1, shared=first and stage == 1
                    )
        with tf.variable_scope("unit_last"):
            x = self._batch_norm("final_bn", x)
            x = self._relu(x)
            x = self._global_average(x)
        with tf.variable_scope("pool_logit"):
            self.logits = self._fully_connected(x, self._settings.classes)

    def _build_cost(self) -> None:
        with tf.name_scope("costs"):
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self._labels, logits=self.logits, name="cross_entropy"
            )
            mean = tf.reduce_mean(cross_entropy, name="mean")
            decay = self._weight_decay()
        self.cost = tf.add(mean, decay, name="cost")

    def _build_train_op(self) -> None:
        settings = self._settings
        variables = tf.trainable_variables()
        gradients = tf.gradients(self.cost, variables)
        optimizer = tf.train.MomentumOptimizer(settings.learning_rate, settings.momentum)
        pairs = zip(gradients, variables, strict=True)
        step = optimizer.apply_gradients(pairs, self.global_step, name="train_step")
        self.train_op = tf.group(step, *self._average_updates, name="train")

    def _residual(self, x: tf.Tensor, channels: int, *, stride: int, shared: bool) -> tf.Tensor:
        """One unit; `shared`: the shortcut, too, starts after the first activation."""
        shortcut = x
        with tf.variable_scope("shared_activation" if shared else "residual_only_activation"):
            x = self._batch_norm("init_bn", x)
            x = self._relu(x)
        if shared:
            shortcut = x
        with tf.variable_scope("sub1"):
            x = self._conv("conv1", x, channels, kernel=3, stride=stride)
        with tf.variable_scope("sub2"):
            x = self._batch_norm("bn2", x)
            x = self._relu(x)
            x = self._conv("conv2", x, channels, kernel=3)
        with tf.variable_scope("sub_add"):
            return tf.add(self._shortcut(shortcut, channels, stride), x, name="add")

    def _shortcut(self, x: tf.Tensor, channels: int, stride: int) -> tf.Tensor:
        """The input of a unit, brought to the shape of its output."""
        missing = channels - int(x.shape[-1])
        if missing == 0:
            return x
        x = tf.nn.avg_pool2d(x, stride, stride, "VALID", name="pool")
        before, after = missing // 2, missing - missing // 2
        return tf.pad(x, [[0, 0], [0, 0], [0, 0], [before, after]], name="pad")

    def _conv(
        self, name: str, x: tf.Tensor, channels: int, *, kernel: int, stride: int = 1
    ) -> tf.Tensor:
        with tf.variable_scope(name):
            spread = (2.0 / (kernel * kernel * channels)) ** 0.5
            weights = tf.get_variable(
                "DW",
                [kernel, kernel, int(x.shape[-1]), channels],
                initializer=tf.random_normal_initializer(stddev=spread),
            )
            return tf.nn.conv2d(x, weights, stride, "SAME", name="Conv2D")

    def _batch_norm(self, name: str, x: tf.Tensor) -> tf.Tensor:
        """Normalise by the statistics of the batch, and keep a moving average of them."""
        with tf.variable_scope(name):
            shape = [int(x.shape[-1])]
            beta = tf.get_variable("beta", shape, initializer=tf.zeros_initializer())
            gamma = tf.get_variable("gamma", shape, initializer=tf.ones_initializer())
            y, mean, variance = tf.nn.fused_batch_norm(x, gamma, beta, epsilon=0.001)
            self._keep_average("moving_mean", mean, tf.zeros_initializer())
            self._keep_average("moving_variance", variance, tf.ones_initializer())
            return y

    def _keep_average(self, name: str, value: tf.Tensor, start: tf.Tensor) -> None:
        average = tf.get_variable(name, value.shape, initializer=start, trainable=False)
        with tf.name_scope(f"update_{name}"):
            change = (average - value) * (1.0 - self._settings.average_decay)
            self._average_updates.append(tf.assign_sub(average, change))

    def _relu(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.leaky_relu(x, alpha=self._settings.leakiness, name="leaky_relu")

    def _global_average(self, x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(x, [1, 2], name="global_average")

    def _fully_connected(self, x: tf.Tensor, outputs: int) -> tf.Tensor:
        weights = tf.get_variable(
            "DW", [int(x.shape[-1]), outputs], initializer=tf.glorot_uniform_initializer()
        )
        biases = tf.get_variable("biases", [outputs], initializer=tf.zeros_initializer())
        return tf.nn.xw_plus_b(x, weights, biases)

    def _weight_decay(self) -> tf.Tensor:
        """The sum of all squared weights, of convolutions and the last layer alike."""
        weights = [v for v in tf.trainable_variables() if v.op.name.endswith("/DW")]
        squares = [tf.nn.l2_loss(v, name="l2_loss") for v in weights]
        return tf.multiply(tf.add_n(squares), self._settings.weight_decay, name="decay")
