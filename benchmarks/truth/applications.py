"""Models of keras.applications, their truth from the shapes of their layers' kernels."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from benchmarks.truth.case import Case

__all__ = ["APPLICATIONS", "application", "layers_truth", "resnet_step"]

# Twelve that are used most, and three newer families.
NAMES = (
    "VGG16",
    "VGG19",
    "ResNet50",
    "ResNet101",
    "InceptionV3",
    "InceptionResNetV2",
    "Xception",
    "MobileNet",
    "MobileNetV2",
    "DenseNet121",
    "EfficientNetB0",
    "NASNetMobile",
    "MobileNetV3Large",
    "EfficientNetV2B0",
    "ConvNeXtTiny",
)


# Left to itself it takes images of any size.
_SIZES: dict[str, dict[str, Any]] = {"MobileNetV3Large": {"input_shape": (224, 224, 3)}}


def application(name: str) -> Callable[[Any], Any]:
    """A builder of one of keras.applications, with random weights."""
    options = _SIZES.get(name, {})
    return lambda keras: getattr(keras.applications, name)(weights=None, **options)


def layers_truth(model: Any) -> int:
    """2 · output size · kernel taps, over the layers that have a kernel."""
    return sum(2 * _macs(layer) for layer in model._flatten_layers())


def resnet_step(model: Any) -> int:
    """3 · forward - 2·112·112·64·7·7·3, as no gradient goes to the image."""
    return 3 * layers_truth(model) - 2 * 112 * 112 * 64 * 7 * 7 * 3


def _macs(layer: Any) -> int:
    kind = type(layer).__name__
    if kind == "SeparableConv2D":
        *pixels, channels = layer.output.shape[1:]
        *taps, inputs, multiplier = layer.depthwise_kernel.shape
        return int(prod(pixels) * inputs * multiplier * (prod(taps) + channels))
    summed = {"Conv2D": 3, "DepthwiseConv2D": 2, "Dense": 1}
    if kind in summed:
        return int(prod(layer.output.shape[1:]) * prod(layer.kernel.shape[: summed[kind]]))
    if getattr(layer, "kernel", None) is not None:
        raise ValueError(f"no formula for a layer of kind {kind}")
    return 0


APPLICATIONS = [
    *(Case(name, application(name), layers_truth) for name in NAMES),
    Case(
        "ResNet50, SavedModel serving_default",
        application("ResNet50"),
        layers_truth,
        given="loaded",
    ),
    Case(
        "ResNet50, batch None, run of 4 images",
        application("ResNet50"),
        layers_truth,
        batch=4,
        given="run",
    ),
]
