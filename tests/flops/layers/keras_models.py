"""Keras models of every kind of structure, for the comparison with `model.summary()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers as L  # noqa: N812  as the Keras guides do
from keras import ops

Build = Callable[[], Any]
MODELS: dict[str, Build] = {}
"""Small models, by name."""
APPLICATIONS: dict[str, Build] = {}
"""One model of each family in `keras.applications`, as small as the family allows."""

NOT_SAVED = {"augmentation"}
"""Models that `tf.saved_model.save` refuses."""
AUGMENTED = {"augmentation"}
"""Models that augment their inputs unless they are told not to train, which an export is not."""
NOT_LOADED = {"lambdas"}
"""Models whose `.keras` file Keras does not load without being told that it is safe."""

register = keras.saving.register_keras_serializable(package="tfprof")


def _model(build: Build) -> Build:
    MODELS[build.__name__] = build
    return build


def _called(model: Any, *shapes: tuple[int, ...]) -> Any:
    """A subclassed model after its first call."""
    arrays = [np.zeros(shape, "float32") for shape in shapes]
    model(arrays if len(arrays) > 1 else arrays[0])
    return model


@_model
def mnist() -> Any:
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            L.Conv2D(32, 3, activation="relu"),
            L.MaxPooling2D(2),
            L.Conv2D(64, 3, activation="relu"),
            L.MaxPooling2D(2),
            L.Flatten(),
            L.Dropout(0.5),
            L.Dense(10, activation="softmax"),
        ]
    )


@_model
def perceptron() -> Any:
    """Built at its first call."""
    model = keras.Sequential([L.Dense(16, activation="relu"), L.Dense(16), L.ReLU(), L.Dense(1)])
    return _called(model, (2, 8))


@_model
def numbered_names() -> Any:
    """Names that look like the suffixes that TensorFlow appends."""
    names = ("block_1", "block", "block_1_1", "block_2", "block_3", "block_1_2")
    layers = [L.Dense(4, name=name) for name in names]
    free = [L.ReLU(name="free_2"), L.ReLU(name="free"), L.ReLU(name="free_1")]
    return keras.Sequential([keras.Input((4,)), *layers, *free])


@_model
def same_names() -> Any:
    """Two models whose layers have the same names."""

    def tower(name: str) -> Any:
        layers = [L.Dense(4, name="first"), L.Dense(4, name="second")]
        return keras.Sequential([keras.Input((4,)), *layers], name=name)

    return keras.Sequential([keras.Input((4,)), tower("left"), tower("right")])


@_model
def fixed_batch() -> Any:
    return keras.Sequential([keras.Input(batch_shape=(4, 8)), L.Dense(3), L.Softmax()])


@_model
def fitted() -> Any:
    model = keras.Sequential([keras.Input((6,)), L.Dense(4), L.BatchNormalization(), L.Dense(2)])
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.zeros((4, 6)), np.zeros((4, 2)), verbose=0)
    return model


@_model
def residual() -> Any:
    inputs = keras.Input((16, 16, 3))
    x = L.Conv2D(8, 3, padding="same", activation="relu")(inputs)
    for _ in range(2):
        shortcut = x
        x = L.Conv2D(8, 3, padding="same", use_bias=False)(x)
        x = L.BatchNormalization()(x)
        x = L.Activation("relu")(x)
        x = L.Conv2D(8, 3, padding="same")(x)
        x = L.Add()([x, shortcut])
    x = L.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, L.Dense(5)(x), name="residual_net")


@_model
def operators() -> Any:
    """Operations that are no layers."""
    inputs = keras.Input((8, 4))
    x = L.Dense(4)(inputs)
    y = ops.relu(x) + inputs * 2.0
    y = y[:, 1:] - ops.mean(x, axis=1, keepdims=True)
    z = ops.einsum("bij,bkj->bik", y, y)
    w = ops.einsum("bij,bkj->bik", z, z)
    return keras.Model(inputs, L.Flatten()(w))


@_model
def composed_operators() -> Any:
    """Operations of several nodes, and of sizes that are not known."""
    inputs, other = keras.Input((None, 6)), keras.Input((None, 6))
    x = L.Dense(6)(inputs)
    x = ops.concatenate([x, -other, inputs**2], axis=1)
    x = ops.softmax(x @ ops.transpose(x, (0, 2, 1)) / 3.0)
    x = ops.gelu(ops.expand_dims(x, -1))
    x = ops.sum(ops.where(x > 0.5, x, 0.0), axis=(1, 2))
    return keras.Model([inputs, other], L.Dense(1)(ops.reshape(x, (-1, 1, 1))))


@_model
def inception() -> Any:
    inputs = keras.Input((8, 8, 4))
    a = L.Conv2D(4, 1, name="one")(inputs)
    b = L.Conv2D(4, 3, padding="same", name="three")(L.Conv2D(2, 1, name="reduce")(inputs))
    c = L.AveragePooling2D(3, strides=1, padding="same")(inputs)
    x = L.Concatenate()([a, b, c])
    x = L.SeparableConv2D(6, 3)(x)
    x = L.DepthwiseConv2D(3)(x)
    return keras.Model(inputs, L.GlobalMaxPooling2D()(x))


@_model
def dropout_in_a_branch() -> Any:
    """Branches that run later than a graph without the dropouts says."""
    inputs = keras.Input((6,))
    deep = inputs
    for _ in range(3):
        deep = L.Dropout(0.1)(L.ReLU()(L.Dense(4)(deep)))
    wide = L.ReLU()(L.Rescaling(2.0)(L.Rescaling(3.0)(inputs)))
    unit = L.Softmax()(L.UnitNormalization()(inputs))
    return keras.Model(inputs, L.Dense(1)(L.Concatenate()([wide, deep, unit])))


@_model
def two_inputs_two_outputs() -> Any:
    image, text = keras.Input((8, 8, 1), name="image"), keras.Input((5,), name="text")
    a = L.Flatten()(L.Conv2D(2, 3)(image))
    b = L.Dense(6, activation="tanh")(text)
    x = L.Concatenate()([a, b])
    outputs = [L.Dense(3, name="kind")(x), L.Dense(1, name="price")(L.Dense(4)(x))]
    return keras.Model([image, text], outputs)


@_model
def dict_inputs() -> Any:
    inputs = {"b": keras.Input((3,), name="b"), "a": keras.Input((4,), name="a")}
    x = L.Concatenate()([L.Dense(2)(inputs["a"]), L.Dense(2)(inputs["b"])])
    return keras.Model(inputs, {"score": L.Dense(1)(x), "code": L.Dense(5)(x)})


@_model
def siamese() -> Any:
    left, right = keras.Input((6,)), keras.Input((6,))
    shared, once = L.Dense(4, activation="relu"), L.Dense(4)
    x = L.Subtract()([shared(left), shared(right)])
    return keras.Model([left, right], L.Dense(1)(once(x)))


@_model
def thrice() -> Any:
    inputs = keras.Input((4,))
    shared, other = L.Dense(4), L.Dense(4)
    return keras.Model(inputs, shared(other(shared(other(shared(inputs))))))


@_model
def nested_functional() -> Any:
    inner_input = keras.Input((16, 16, 3))
    x = L.Conv2D(4, 3, name="stem")(inner_input)
    x = L.BatchNormalization()(x)
    backbone = keras.Model(inner_input, L.ReLU()(x), name="backbone")
    inputs = keras.Input((16, 16, 3))
    x = L.Rescaling(1 / 255)(inputs)
    x = backbone(x)
    x = L.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, L.Dense(2)(x))


@_model
def nested_sequential() -> Any:
    head = keras.Sequential(
        [L.Dense(8, activation="relu"), L.Dropout(0.1), L.Dense(2)], name="head"
    )
    return keras.Sequential(
        [keras.Input((4, 4, 1)), L.Conv2D(3, 2), L.Flatten(), head, L.Softmax()]
    )


@_model
def nested_twice() -> Any:
    innermost = keras.Sequential([keras.Input((6,)), L.Dense(6), L.LayerNormalization()])
    middle_input = keras.Input((6,))
    middle = keras.Model(middle_input, L.Dense(3)(innermost(middle_input)), name="middle")
    inputs = keras.Input((6,))
    return keras.Model(inputs, L.Dense(1)(middle(inputs)))


@_model
def nested_shared() -> Any:
    """A tower that is called twice."""
    tower = keras.Sequential([keras.Input((5,)), L.Dense(4, activation="relu"), L.Dense(3)])
    left, right = keras.Input((5,)), keras.Input((5,))
    x = L.Concatenate()([tower(left), tower(right)])
    return keras.Model([left, right], L.Dense(1)(x))


@_model
def nested_outputs() -> Any:
    inner_input = keras.Input((6,))
    a = L.Dense(4, name="a")(inner_input)
    inner = keras.Model(inner_input, [a, L.Dense(2, name="b")(a)], name="inner")
    inputs = keras.Input((6,))
    a, b = inner(inputs)
    return keras.Model(inputs, L.Concatenate()([a, L.Dense(3)(b)]))


@_model
def lstm() -> Any:
    return keras.Sequential([keras.Input((20, 6)), L.LSTM(8), L.Dense(3)])


@_model
def stacked_gru() -> Any:
    layers = [L.GRU(8, return_sequences=True), L.GRU(6, return_sequences=True), L.GRU(4)]
    return keras.Sequential([keras.Input((None, 5)), *layers, L.Dense(2)])


@_model
def stacked_lstm() -> Any:
    inputs = keras.Input((12,), dtype="int32")
    x = L.Embedding(50, 8)(inputs)
    x = L.LSTM(8, return_sequences=True)(x)
    x = L.Dropout(0.2)(x)
    x = L.LSTM(8)(x)
    return keras.Model(inputs, L.Dense(1, activation="sigmoid")(x))


@_model
def masked_rnn() -> Any:
    inputs = keras.Input((None,), dtype="int32")
    x = L.Embedding(30, 4, mask_zero=True)(inputs)
    x = L.SimpleRNN(6, return_sequences=True)(x)
    return keras.Model(inputs, L.Dense(2)(L.GRU(3)(x)))


@_model
def masked_sequence() -> Any:
    layers = [L.Embedding(30, 4, mask_zero=True), L.Bidirectional(L.LSTM(3)), L.Dense(1)]
    return keras.Sequential([keras.Input((None,), dtype="int32"), *layers])


@_model
def named_sequence() -> Any:
    """A sequential model whose name does not say that it is one."""
    layers = [L.Embedding(30, 4, mask_zero=True), L.LSTM(3), L.Dropout(0.5), L.Dense(1)]
    return keras.Sequential([keras.Input((None,), dtype="int32"), *layers], name="sentiment")


@_model
def masking() -> Any:
    """Masks that pass several layers."""
    layers = [L.Masking(), L.GRU(4, return_sequences=True), L.Dense(3), L.GRU(2)]
    return keras.Sequential([keras.Input((8, 3)), *layers], name="stack_1")


@_model
def named_masked_rnn() -> Any:
    """A functional model with masks that no sequential model can be."""
    inputs = keras.Input((6,), dtype="int32")
    x = L.Embedding(30, 4, mask_zero=True)(inputs)
    x = L.Concatenate()([L.LSTM(3)(x), L.GRU(2)(x)])
    return keras.Model(inputs, L.Dense(1)(x), name="two_readers")


@_model
def bidirectional() -> Any:
    layers = [L.Bidirectional(L.LSTM(4, return_sequences=True)), L.Bidirectional(L.GRU(3))]
    return keras.Sequential([keras.Input((10, 5)), *layers, L.Dense(2)])


@_model
def unrolled_rnn() -> Any:
    return keras.Sequential([keras.Input((3, 4)), L.LSTM(5, unroll=True), L.Dense(1)])


@_model
def encoder_decoder() -> Any:
    source, target = keras.Input((None, 7)), keras.Input((None, 9))
    _, *states = L.LSTM(6, return_state=True)(source)
    x, _, _ = L.LSTM(6, return_sequences=True, return_state=True)(target, initial_state=states)
    return keras.Model([source, target], L.Dense(9, activation="softmax")(x))


@_model
def conv_lstm() -> Any:
    return keras.Sequential(
        [keras.Input((4, 8, 8, 2)), L.ConvLSTM2D(3, 3), L.Flatten(), L.Dense(1)]
    )


@_model
def time_distributed() -> Any:
    inputs = keras.Input((5, 8, 8, 1))
    x = L.TimeDistributed(L.Conv2D(2, 3))(inputs)
    x = L.TimeDistributed(L.Flatten())(x)
    return keras.Model(inputs, L.GRU(3)(x))


@_model
def time_distributed_model() -> Any:
    """A model in a wrapper: `summary()` does not list its layers."""
    cnn = keras.Sequential(
        [keras.Input((8, 8, 1)), L.Conv2D(2, 3), L.BatchNormalization(), L.GlobalMaxPooling2D()]
    )
    inputs = keras.Input((3, 8, 8, 1))
    return keras.Model(inputs, L.GRU(3)(L.TimeDistributed(cnn)(inputs)))


@_model
def custom_cells() -> Any:
    cells = [L.LSTMCell(5), L.GRUCell(4)]
    return keras.Sequential([keras.Input((6, 3)), L.RNN(cells), L.Dense(1)])


def _block(x: Any, width: int) -> Any:
    y = L.MultiHeadAttention(2, width // 2)(x, x)
    x = L.LayerNormalization()(L.Add()([x, L.Dropout(0.1)(y)]))
    y = L.Dense(width)(L.Dense(2 * width, activation="gelu")(x))
    return L.LayerNormalization()(L.Add()([x, y]))


@_model
def transformer() -> Any:
    inputs = keras.Input((12,), dtype="int32")
    x = L.Embedding(40, 8)(inputs)
    for _ in range(2):
        x = _block(x, 8)
    return keras.Model(inputs, L.Dense(3)(L.GlobalAveragePooling1D()(x)))


@register
class Patches(L.Layer):
    """Image to flat patches."""

    def call(self, images: Any) -> Any:
        patches = ops.image.extract_patches(images, 4)
        shape = ops.shape(patches)
        return ops.reshape(patches, (shape[0], 16, 48))


@register
class PatchEncoder(L.Layer):
    """Projection plus position embedding."""

    def __init__(self, count: int, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.count, self.width = count, width
        self.projection = L.Dense(width)
        self.position = L.Embedding(count, width)

    def call(self, patch: Any) -> Any:
        return self.projection(patch) + self.position(ops.arange(self.count)[None])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "count": self.count, "width": self.width}


@_model
def vision_transformer() -> Any:
    inputs = keras.Input((16, 16, 3))
    x = PatchEncoder(16, 8)(Patches()(inputs))
    for _ in range(2):
        y = L.LayerNormalization(epsilon=1e-6)(x)
        x = L.Add()([L.MultiHeadAttention(2, 8, dropout=0.1)(y, y), x])
        y = L.LayerNormalization(epsilon=1e-6)(x)
        y = L.Dropout(0.1)(L.Dense(16, activation=keras.activations.gelu)(y))
        x = L.Add()([L.Dropout(0.1)(L.Dense(8)(y)), x])
    x = L.Flatten()(L.LayerNormalization(epsilon=1e-6)(x))
    return keras.Model(inputs, L.Dense(4)(L.Dropout(0.5)(x)))


@register
class TransformerBlock(L.Layer):
    """A layer of layers."""

    def __init__(self, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.width = width
        self.attention = L.MultiHeadAttention(2, width)
        self.feed_forward = keras.Sequential(
            [L.Dense(2 * width, activation="relu"), L.Dense(width)]
        )
        self.norms = [L.LayerNormalization(), L.LayerNormalization()]

    def call(self, x: Any) -> Any:
        x = self.norms[0](x + self.attention(x, x))
        return self.norms[1](x + self.feed_forward(x))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "width": self.width}


@_model
def custom_blocks() -> Any:
    inputs = keras.Input((6, 8))
    x = TransformerBlock(8)(TransformerBlock(8)(inputs))
    return keras.Model(inputs, L.Dense(1)(x))


@_model
def attention() -> Any:
    query, value = keras.Input((4, 8)), keras.Input((6, 8))
    x = L.Attention()([query, value])
    y = L.AdditiveAttention()([query, value])
    z, _ = L.MultiHeadAttention(2, 4)(query, value, return_attention_scores=True)
    w = L.GroupQueryAttention(4, 4, 2)(query, value)
    return keras.Model([query, value], L.Concatenate()([x, y, z, w]))


@_model
def normalisation() -> Any:
    inputs = keras.Input((8, 8, 4))
    x = L.BatchNormalization()(inputs)
    x = L.LayerNormalization()(x)
    x = L.GroupNormalization(2)(x)
    x = L.UnitNormalization()(x)
    x = L.RMSNormalization()(x)
    x = L.SpectralNormalization(L.Conv2D(3, 2))(x)
    return keras.Model(inputs, L.Flatten()(x))


@_model
def activations() -> Any:
    layers = [L.LeakyReLU(), L.PReLU(), L.ELU(), L.Activation("gelu"), L.Softmax(), L.ReLU(6.0)]
    return keras.Sequential([keras.Input((6, 4)), *layers, L.Activation("swish")])


@_model
def merges() -> Any:
    a, b = keras.Input((4, 3)), keras.Input((4, 3))
    kinds = (L.Add, L.Multiply, L.Average, L.Maximum, L.Minimum, L.Subtract)
    x = L.Concatenate()([kind()([a, b]) for kind in kinds])
    return keras.Model([a, b], L.Dot(axes=2)([x, L.Dense(18)(a)]))


@_model
def shapes() -> Any:
    inputs = keras.Input((12, 4))
    x = L.Reshape((3, 4, 4))(inputs)
    x = L.Permute((3, 1, 2))(x)
    x = L.ZeroPadding2D(1)(x)
    x = L.Cropping2D(((1, 0), (0, 1)))(x)
    x = L.UpSampling2D(2)(x)
    x = L.Conv2DTranspose(2, 3, strides=2)(x)
    x = L.Resizing(6, 6)(x)
    x = L.RepeatVector(3)(L.Flatten()(x))
    return keras.Model(inputs, x)


@_model
def lambdas() -> Any:
    return keras.Sequential([keras.Input((4,)), L.Lambda(lambda t: t * 2), L.Dense(2)])


@_model
def volumes() -> Any:
    layers = [
        L.Conv3D(2, 2),
        L.MaxPooling3D(2),
        L.Conv3DTranspose(3, 2),
        L.GlobalAveragePooling3D(),
    ]
    return keras.Sequential([keras.Input((6, 6, 6, 1)), *layers])


@_model
def signals() -> Any:
    layers = [L.Conv1D(4, 3, padding="causal"), L.MaxPooling1D(2), L.DepthwiseConv1D(3)]
    more = [L.SeparableConv1D(6, 3), L.Conv1DTranspose(2, 3), L.AveragePooling1D(2)]
    return keras.Sequential([keras.Input((32, 2)), *layers, *more, L.GlobalMaxPooling1D()])


@_model
def preprocessing() -> Any:
    """Numbers and words that are looked up."""
    numbers, words = keras.Input((3,)), keras.Input((1,), dtype="string")
    normalization = L.Normalization()
    normalization.adapt(np.arange(12.0).reshape(4, 3))
    lookup = L.StringLookup(vocabulary=["a", "b", "c"])
    x = L.Embedding(5, 2)(lookup(words))
    x = L.Concatenate()(
        [normalization(numbers), L.Flatten()(x), L.Discretization([1.0, 2.0])(numbers)]
    )
    return keras.Model([numbers, words], L.Dense(1)(x))


@_model
def text() -> Any:
    vectorize = L.TextVectorization(20, output_sequence_length=6, vocabulary=["one", "two"])
    inputs = keras.Input((), dtype="string")
    x = L.Embedding(20, 4)(vectorize(inputs))
    return keras.Model(inputs, L.Dense(1)(L.GlobalAveragePooling1D()(x)))


@_model
def augmentation() -> Any:
    """Layers for training only."""
    augment = keras.Sequential(
        [L.RandomFlip(), L.RandomRotation(0.1), L.RandomZoom(0.1)], name="augment"
    )
    inputs = keras.Input((16, 16, 3))
    x = L.Rescaling(2.0, offset=-1)(augment(inputs))
    x = L.GaussianNoise(0.1)(L.Conv2D(4, 3)(x))
    x = L.SpatialDropout2D(0.2)(x)
    return keras.Model(inputs, L.CenterCrop(8, 8)(x))


@_model
def mixed_precision() -> Any:
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        inputs = keras.Input((12, 12, 3))
        x = L.Conv2D(8, 3, activation="relu")(inputs)
        x = L.BatchNormalization()(x)
        x = L.GlobalAveragePooling2D()(x)
        return keras.Model(inputs, L.Dense(3, dtype="float32")(L.Dense(4)(x)))
    finally:
        keras.mixed_precision.set_global_policy("float32")


@_model
def frozen_backbone() -> Any:
    backbone = keras.Sequential([keras.Input((8, 8, 3)), L.Conv2D(4, 3), L.BatchNormalization()])
    backbone.trainable = False
    inputs = keras.Input((8, 8, 3))
    x = L.GlobalAveragePooling2D()(backbone(inputs, training=False))
    return keras.Model(inputs, L.Dense(2)(x))


@_model
def frozen_layer() -> Any:
    model = keras.Sequential([keras.Input((4,)), L.Dense(3), L.Dense(2)])
    model.layers[0].trainable = False
    return model


@register
class Net(keras.Model):
    """Layers in another order than they are called, with arithmetic between them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.head = L.Dense(3)
        self.conv = L.Conv2D(4, 3, activation="relu")
        self.pool = L.MaxPooling2D(2)
        self.flatten = L.Flatten()
        self.unused = L.Dropout(0.5)

    def call(self, x: Any, training: bool = False) -> Any:
        x = self.unused(self.flatten(self.pool(self.conv(x))), training=training)
        return self.head(x) * 2.0 + 1.0


@_model
def subclassed() -> Any:
    return _called(Net(), (2, 8, 8, 1))


@_model
def subclassed_fitted() -> Any:
    model = Net()
    model.compile("sgd", "mse")
    model.fit(np.zeros((2, 8, 8, 1)), np.zeros((2, 3)), verbose=0)
    return model


@register
class Decorated(keras.Model):
    """Its call is a function of TensorFlow."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.first = L.Dense(4, activation="relu")
        self.second = L.Dense(2)

    @tf.function
    def call(self, x: Any) -> Any:
        return self.second(self.first(x)) + 1.0


@_model
def subclassed_decorated() -> Any:
    return _called(Decorated(), (2, 3))


@register
class Autoencoder(keras.Model):
    """A model of models."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.encoder = keras.Sequential([L.Dense(8, activation="relu"), L.Dense(4)])
        self.decoder = keras.Sequential([L.Dense(8, activation="relu"), L.Dense(16)])

    def call(self, x: Any) -> Any:
        return self.decoder(self.encoder(x))


@_model
def subclassed_nested() -> Any:
    return _called(Autoencoder(), (3, 16))


@register
class Pair(keras.Model):
    """Two inputs, a list of layers, a weight of its own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.blocks = [L.Dense(4) for _ in range(3)]
        self.scale = self.add_weight(shape=(4,), name="scale")
        self.shared = L.Dense(4)

    def call(self, inputs: Any) -> Any:
        a, b = inputs
        for block in self.blocks:
            a = block(a)
        return self.shared(a) * self.scale + self.shared(b)


@_model
def subclassed_pair() -> Any:
    return _called(Pair(), (2, 3), (2, 4))


@register
class Recurrent(keras.Model):
    """Recurrent layers in a subclass."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.embedding = L.Embedding(20, 4)
        self.gru = L.GRU(5, return_sequences=True)
        self.lstm = L.LSTM(3)

    def call(self, x: Any) -> Any:
        return self.lstm(self.gru(self.embedding(x)))


@_model
def subclassed_recurrent() -> Any:
    return _called(Recurrent(), (2, 7))


def _application(family: str, size: int, **settings: Any) -> None:
    def build() -> Any:
        shape = (size, size, 3)
        return getattr(keras.applications, family)(weights=None, input_shape=shape, **settings)

    APPLICATIONS[family] = build


_application("ConvNeXtTiny", 32, classes=10)
_application("DenseNet121", 32, classes=10)
_application("EfficientNetB0", 32, classes=10)
_application("EfficientNetV2B0", 32, classes=10)
_application("InceptionResNetV2", 75, classes=10)
_application("InceptionV3", 75, classes=10)
_application("MobileNet", 32, classes=10)
_application("MobileNetV2", 32, classes=10)
_application("MobileNetV3Small", 32, classes=10)
_application("NASNetMobile", 32, classes=10)
_application("ResNet50", 32, classes=10)
_application("ResNet50V2", 32, classes=10)
_application("VGG16", 32, classes=10)
_application("VGG19", 32, classes=10)
_application("Xception", 71, classes=10)


def _backbone_and_head() -> Any:
    backbone = keras.applications.MobileNetV2(
        weights=None, include_top=False, input_shape=(32, 32, 3), alpha=0.35
    )
    backbone.trainable = False
    inputs = keras.Input((32, 32, 3))
    x = L.GlobalAveragePooling2D()(backbone(inputs, training=False))
    return keras.Model(inputs, L.Dense(5)(L.Dropout(0.2)(x)))


APPLICATIONS["backbone_and_head"] = _backbone_and_head
