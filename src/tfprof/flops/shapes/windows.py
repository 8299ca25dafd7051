"""Shapes of convolutions, pooling, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    divide,
    divide_up,
    each,
    plus,
    shape_of,
    sizes_from,
    times,
)
from tfprof.flops.tensors import Dim, Dims


class Layout:
    """Which axes of a tensor are channel and space; the batch is axis 0."""

    def __init__(self, text: str, rank: int) -> None:
        first = "C" in text and text.index("C") == 1 and len(text) > 2
        self.channel = 1 if first else rank - 1
        self.space = tuple(range(2, rank)) if first else tuple(range(1, rank - 1))

    def shape(self, batch: Dim, channel: Dim, space: tuple[Dim, ...]) -> Dims:
        """A shape in this layout."""
        return (batch, channel, *space) if self.channel == 1 else (batch, *space, channel)


def layout(c: InferenceContext, rank: int) -> Layout:
    """The layout a node declares."""
    text = c.text("data_format", "N" + "DHW"[5 - rank :] + "C")
    if text.endswith("_VECT_C"):
        raise IndeterminateError
    return Layout(text, rank)


def _window_count(c: InferenceContext, axis: int, size: Dim, kernel: Dim) -> Dim:
    """The number of positions of a window along one axis of the input."""
    strides, dilations = c.ints("strides"), c.ints("dilations") or c.ints("rates")
    stride = strides[axis]
    dilation = dilations[axis] if dilations else 1
    reach = plus(times(plus(kernel, -1), dilation), 1)
    padding = c.text("padding")
    if padding == "SAME":
        return divide_up(size, stride)
    if padding == "EXPLICIT":
        before, after = c.ints("explicit_paddings")[2 * axis : 2 * axis + 2]
        size = plus(size, before + after)
    return divide_up(plus(size, times(reach, -1), 1), stride)


def _window_counts(
    c: InferenceContext, image: Dims, kernel: Dims, axes: Sequence[int]
) -> tuple[Dim, ...]:
    return tuple(_window_count(c, axis, image[axis], kernel[i]) for i, axis in enumerate(axes))


def _convolution(c: InferenceContext) -> list[Dims | None]:
    if c.text("filter_format", "HWIO") != "HWIO":
        raise IndeterminateError
    image, kernel = c.dims(0), c.dims(1)
    axes = layout(c, len(image))
    space = _window_counts(c, image, kernel, axes.space)
    return [axes.shape(image[0], kernel[-1], space)]


def _depthwise(c: InferenceContext) -> list[Dims | None]:
    image, kernel = c.dims(0, 4), c.dims(1, 4)
    axes = layout(c, 4)
    space = _window_counts(c, image, kernel, axes.space)
    return [axes.shape(image[0], times(kernel[2], kernel[3]), space)]


def _dilation(c: InferenceContext) -> list[Dims | None]:
    image, kernel = c.dims(0, 4), c.dims(1, 3)
    space = _window_counts(c, image, kernel, (1, 2))
    return [(image[0], *space, image[3])]


def _pool(c: InferenceContext) -> list[Dims | None]:
    image, sizes = c.dims(0), c.ints("ksize")
    if len(sizes) != len(image):
        raise IndeterminateError
    return [tuple(_window_count(c, a, image[a], sizes[a]) for a in range(len(image)))]


def _pool_v2(c: InferenceContext) -> list[Dims | None]:
    """Window and strides are inputs."""
    image, sizes, strides = c.dims(0), c.ints_in(1), c.ints_in(2)
    same = c.text("padding") == "SAME"
    return [
        tuple(
            divide_up(size, step) if same else divide_up(plus(size, 1 - kernel), step)
            for size, kernel, step in zip(image, sizes, strides, strict=True)
        )
    ]


def _same_padding_conv(c: InferenceContext) -> list[Dims | None]:
    """Conv, of any number of dimensions, whose attributes name only the spatial axes' layout."""
    image, kernel = c.dims(0), c.dims(1)
    first = c.text("data_format") == "CHANNELS_FIRST"
    axes = range(2, len(image)) if first else range(1, len(image) - 1)
    if c.number("batch_dims", 1) != 1:
        raise IndeterminateError
    space = _window_counts(c, image, kernel, axes)
    channel = kernel[-1]
    return [(image[0], channel, *space) if first else (image[0], *space, channel)]


def _patches(c: InferenceContext) -> list[Dims | None]:
    """ExtractImagePatches."""
    image, sizes = c.dims(0, 4), c.ints("ksizes")
    strides, rates = c.ints("strides"), c.ints("rates")
    space = []
    for axis in (1, 2):
        reach = (sizes[axis] - 1) * rates[axis] + 1
        size = image[axis] if c.text("padding") == "SAME" else plus(image[axis], 1 - reach)
        space.append(divide_up(size, strides[axis]))
    return [(image[0], *space, times(image[3], sizes[1] * sizes[2]))]


def _depth_to_space(c: InferenceContext) -> list[Dims | None]:
    dims, block = c.dims(0, 4), c.number("block_size")
    axes = layout(c, 4)
    space = tuple(times(dims[axis], block) for axis in axes.space)
    return [axes.shape(dims[0], divide(dims[axes.channel], block * block), space)]


def _space_to_depth(c: InferenceContext) -> list[Dims | None]:
    dims, block = c.dims(0, 4), c.number("block_size")
    axes = layout(c, 4)
    space = tuple(divide(dims[axis], block) for axis in axes.space)
    return [axes.shape(dims[0], times(dims[axes.channel], block * block), space)]


def _to_batch(c: InferenceContext) -> list[Dims | None]:
    dims, blocks, pads = c.dims(0), c.ints_in(1), c.ints_in(2)
    space = [
        divide(plus(dims[1 + i], pads[2 * i] + pads[2 * i + 1]), block)
        for i, block in enumerate(blocks)
    ]
    return [(times(dims[0], *blocks), *space, *dims[1 + len(blocks) :])]


def _from_batch(c: InferenceContext) -> list[Dims | None]:
    dims, blocks, crops = c.dims(0), c.ints_in(1), c.ints_in(2)
    space = [
        plus(times(dims[1 + i], block), -crops[2 * i] - crops[2 * i + 1])
        for i, block in enumerate(blocks)
    ]
    return [(divide(dims[0], times(*blocks)), *space, *dims[1 + len(blocks) :])]


def _resize(size: int) -> ShapeRule:
    """An image of another height and width, which are the input of index `size`."""

    def rule(c: InferenceContext) -> list[Dims | None]:
        dims, (height, width) = c.dims(0, 4), c.sizes_in(size)
        return [(dims[0], height, width, dims[3])]

    return rule


RULES: dict[str, ShapeRule] = {
    **each("Conv2D Conv3D _FusedConv2D _FusedConv3D", _convolution),
    "Conv": _same_padding_conv,
    **each("DepthwiseConv2dNative _FusedDepthwiseConv2dNative", _depthwise),
    **each(
        "Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput",
        sizes_from(0),
    ),
    **each(
        "Conv2DBackpropFilter Conv3DBackpropFilterV2 DepthwiseConv2dNativeBackpropFilter",
        sizes_from(1),
    ),
    **each("Conv3DBackpropInput Conv2DBackpropInputV2", shape_of(0)),
    **each("Conv3DBackpropFilter Conv2DBackpropFilterV2", shape_of(1)),
    "Dilation2D": _dilation,
    "Dilation2DBackpropInput": shape_of(0),
    "Dilation2DBackpropFilter": shape_of(1),
    **each("AvgPool MaxPool AvgPool3D MaxPool3D", _pool),
    "MaxPoolWithArgmax": lambda c: [*_pool(c), *_pool(c)],
    "MaxPoolV2": _pool_v2,
    **each("AvgPoolGrad AvgPool3DGrad", sizes_from(0)),
    **each("MaxPoolGrad MaxPoolGradV2 MaxPool3DGrad MaxPoolGradWithArgmax", shape_of(0)),
    **each("MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGradGrad", shape_of(1)),
    "ExtractImagePatches": _patches,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "SpaceToBatchND": _to_batch,
    "BatchToSpaceND": _from_batch,
    **each(
        "ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea ScaleAndTranslate"
        " ResizeNearestNeighborGrad",
        _resize(1),
    ),
    **each("ResizeBilinearGrad ResizeBicubicGrad", shape_of(1)),
    "ResizeNearestNeighborGrad": lambda c: [(c.dims(0, 4)[0], *c.sizes_in(1), c.dims(0, 4)[3])],
    "CropAndResize": lambda c: [(c.dims(1, 2)[0], *c.sizes_in(3), c.dims(0, 4)[3])],
    **each("ImageProjectiveTransformV2 ImageProjectiveTransformV3", _resize(2)),
}
