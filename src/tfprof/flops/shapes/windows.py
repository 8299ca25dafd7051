"""Shapes of convolutions, pooling, and their gradients."""

from __future__ import annotations

from tfprof.flops.shapes.inference_context import (
    IndeterminateError,
    InferenceContext,
    ShapeRule,
    divide,
    divide_up,
    each,
    plus,
    times,
)
from tfprof.flops.tensors import Dim, Dims


class Layout:
    """Where batch, channel and space lie in a tensor of `rank` axes."""

    def __init__(self, text: str, rank: int) -> None:
        first = "C" in text and text.index("C") == 1 and len(text) > 2
        self.channel = 1 if first else rank - 1
        self.space = tuple(range(2, rank)) if first else tuple(range(1, rank - 1))
        self.vectorized = text.endswith("_VECT_C")

    def place(self, batch: Dim, channel: Dim, space: tuple[Dim, ...]) -> Dims:
        """A shape in this layout."""
        return (batch, channel, *space) if self.channel == 1 else (batch, *space, channel)


def layout(site: InferenceContext, rank: int) -> Layout:
    """The layout a node declares."""
    found = Layout(site.text("data_format", "N" + "DHW"[5 - rank :] + "C"), rank)
    if found.vectorized:
        raise IndeterminateError
    return found


def window(site: InferenceContext, axis: int, size: Dim, kernel: Dim) -> Dim:
    """The number of positions of a window along one axis of the input."""
    strides, dilations = site.ints("strides"), site.ints("dilations") or site.ints("rates")
    stride = strides[axis]
    dilation = dilations[axis] if dilations else 1
    reach = plus(times(plus(kernel, -1), dilation), 1)
    padding = site.text("padding")
    if padding == "SAME":
        return divide_up(size, stride)
    if padding == "EXPLICIT":
        before, after = site.ints("explicit_paddings")[2 * axis : 2 * axis + 2]
        size = plus(size, before + after)
    return divide_up(plus(plus(size, times(reach, -1)), 1), stride)


def _convolution(site: InferenceContext) -> list[Dims | None]:
    if site.text("filter_format", "HWIO") != "HWIO":
        raise IndeterminateError
    image, kernel = site.dims(0), site.dims(1)
    where = layout(site, len(image))
    space = tuple(
        window(site, axis, image[axis], kernel[index]) for index, axis in enumerate(where.space)
    )
    return [where.place(image[0], kernel[-1], space)]


def _depthwise(site: InferenceContext) -> list[Dims | None]:
    image, kernel = site.dims(0, 4), site.dims(1, 4)
    where = layout(site, 4)
    space = tuple(window(site, a, image[a], kernel[i]) for i, a in enumerate(where.space))
    return [where.place(image[0], times(kernel[2], kernel[3]), space)]


def _dilation(site: InferenceContext) -> list[Dims | None]:
    image, kernel = site.dims(0, 4), site.dims(1, 3)
    space = tuple(window(site, a, image[a], kernel[i]) for i, a in enumerate((1, 2)))
    return [(image[0], *space, image[3])]


def _pool(site: InferenceContext) -> list[Dims | None]:
    image, sizes = site.dims(0), site.ints("ksize")
    if len(sizes) != len(image):
        raise IndeterminateError
    return [tuple(window(site, a, image[a], sizes[a]) for a in range(len(image)))]


def _pool_v2(site: InferenceContext) -> list[Dims | None]:
    """Window and strides are inputs."""
    image, sizes, strides = site.dims(0), site.ints_in(1), site.ints_in(2)
    same = site.text("padding") == "SAME"
    return [
        tuple(
            divide_up(size, step) if same else divide_up(plus(size, 1 - kernel), step)
            for size, kernel, step in zip(image, sizes, strides, strict=True)
        )
    ]


def _sizes(index: int) -> ShapeRule:
    return lambda site: [site.sizes_in(index)]


def _like(index: int) -> ShapeRule:
    return lambda site: [site.shape(index)]


def _same_padding_conv(site: InferenceContext) -> list[Dims | None]:
    """Conv, of any number of dimensions, whose attributes name only the spatial axes' layout."""
    image, kernel = site.dims(0), site.dims(1)
    first = site.text("data_format") == "CHANNELS_FIRST"
    axes = range(2, len(image)) if first else range(1, len(image) - 1)
    if site.number("batch_dims", 1) != 1:
        raise IndeterminateError
    space = tuple(window(site, a, image[a], kernel[i]) for i, a in enumerate(axes))
    channel = kernel[-1]
    return [(image[0], channel, *space) if first else (image[0], *space, channel)]


def _patches(site: InferenceContext) -> list[Dims | None]:
    """ExtractImagePatches."""
    image, sizes, strides, rates = (
        site.dims(0, 4),
        site.ints("ksizes"),
        site.ints("strides"),
        site.ints("rates"),
    )
    space = []
    for axis in (1, 2):
        reach = (sizes[axis] - 1) * rates[axis] + 1
        size = image[axis] if site.text("padding") == "SAME" else plus(image[axis], 1 - reach)
        space.append(divide_up(size, strides[axis]))
    return [(image[0], *space, times(image[3], sizes[1] * sizes[2]))]


def _depth_to_space(site: InferenceContext) -> list[Dims | None]:
    dims, block = site.dims(0, 4), site.number("block_size")
    where = layout(site, 4)
    space = tuple(times(dims[axis], block) for axis in where.space)
    return [where.place(dims[0], divide(dims[where.channel], block * block), space)]


def _space_to_depth(site: InferenceContext) -> list[Dims | None]:
    dims, block = site.dims(0, 4), site.number("block_size")
    where = layout(site, 4)
    space = tuple(divide(dims[axis], block) for axis in where.space)
    return [where.place(dims[0], times(dims[where.channel], block * block), space)]


def _to_batch(site: InferenceContext) -> list[Dims | None]:
    dims, blocks, pads = site.dims(0), site.ints_in(1), site.ints_in(2)
    space = [
        divide(plus(dims[1 + i], pads[2 * i] + pads[2 * i + 1]), block)
        for i, block in enumerate(blocks)
    ]
    return [(times(dims[0], *blocks), *space, *dims[1 + len(blocks) :])]


def _from_batch(site: InferenceContext) -> list[Dims | None]:
    dims, blocks, crops = site.dims(0), site.ints_in(1), site.ints_in(2)
    space = [
        plus(times(dims[1 + i], block), -crops[2 * i] - crops[2 * i + 1])
        for i, block in enumerate(blocks)
    ]
    return [(divide(dims[0], times(*blocks)), *space, *dims[1 + len(blocks) :])]


def _resize(site: InferenceContext) -> list[Dims | None]:
    dims, (height, width) = site.dims(0, 4), site.sizes_in(1)
    return [(dims[0], height, width, dims[3])]


def _transformed(site: InferenceContext) -> list[Dims | None]:
    dims, (height, width) = site.dims(0, 4), site.sizes_in(2)
    return [(dims[0], height, width, dims[3])]


def _crop_and_resize(site: InferenceContext) -> list[Dims | None]:
    (height, width) = site.sizes_in(3)
    return [(site.dims(1, 2)[0], height, width, site.dims(0, 4)[3])]


RULES: dict[str, ShapeRule] = {
    **each("Conv2D Conv3D _FusedConv2D _FusedConv3D", _convolution),
    "Conv": _same_padding_conv,
    **each("DepthwiseConv2dNative _FusedDepthwiseConv2dNative", _depthwise),
    **each(
        "Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput", _sizes(0)
    ),
    **each(
        "Conv2DBackpropFilter Conv3DBackpropFilterV2 DepthwiseConv2dNativeBackpropFilter", _sizes(1)
    ),
    **each("Conv3DBackpropInput Conv2DBackpropInputV2", _like(0)),
    **each("Conv3DBackpropFilter Conv2DBackpropFilterV2", _like(1)),
    "Dilation2D": _dilation,
    "Dilation2DBackpropInput": _like(0),
    "Dilation2DBackpropFilter": _like(1),
    **each("AvgPool MaxPool AvgPool3D MaxPool3D", _pool),
    "MaxPoolWithArgmax": lambda site: [*_pool(site), *_pool(site)],
    "MaxPoolV2": _pool_v2,
    **each("AvgPoolGrad AvgPool3DGrad", _sizes(0)),
    **each("MaxPoolGrad MaxPoolGradV2 MaxPool3DGrad MaxPoolGradWithArgmax", _like(0)),
    **each("MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGradGrad", _like(1)),
    "ExtractImagePatches": _patches,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "SpaceToBatchND": _to_batch,
    "BatchToSpaceND": _from_batch,
    **each("ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea", _resize),
    "ScaleAndTranslate": _resize,
    **each("ResizeBilinearGrad ResizeBicubicGrad", _like(1)),
    "ResizeNearestNeighborGrad": lambda site: [
        (site.dims(0, 4)[0], *site.sizes_in(1), site.dims(0, 4)[3])
    ],
    "CropAndResize": _crop_and_resize,
    **each("ImageProjectiveTransformV2 ImageProjectiveTransformV3", _transformed),
}
