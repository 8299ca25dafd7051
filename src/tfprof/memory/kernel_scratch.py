"""The scratch memory of kernels beside their outputs, as far as it is known from shapes.

These are TensorFlow's CPU kernels without oneDNN, for one intra-op thread. Convolutions process as
many images at once as keep all their matrices in a cache of 30 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tfprof.flops.tensors import TYPE_SIZES

Shape = Sequence[int]
_SECOND_CACHE, _THIRD_CACHE = 256 << 10, 30 << 20


def _conv_filter(item: int, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> int:
    """The columns of a block of images, from which the gradient of a filter is computed."""
    gradient, kernel = inputs[-1], outputs[0]
    if len(gradient) != 4 or len(kernel) != 4:
        return 0
    pixels, patch, channels = _matrix_sizes(gradient, kernel)
    unit = max(pixels * patch + pixels * channels + patch * channels, 1)
    images = -(-(_THIRD_CACHE // item) // unit)
    return images * pixels * patch * item


def _conv_input(item: int, inputs: Sequence[Shape], _outputs: Sequence[Shape]) -> int:
    """The columns of a block of images, to which the gradient of an input is computed."""
    gradient, kernel = inputs[-1], inputs[1] if len(inputs) > 1 else ()
    if len(gradient) != 4 or len(kernel) != 4:
        return 0
    pixels, patch, channels = _matrix_sizes(gradient, kernel)
    unit = max(pixels * patch + pixels * channels + patch * channels, 1)
    is_parallel = unit > _SECOND_CACHE // item
    images = 1 if is_parallel else -(-(_THIRD_CACHE // item) // unit)
    return images * pixels * patch * item


def _matrix_sizes(gradient: Shape, kernel: Shape) -> tuple[int, int, int]:
    """Pixels of an output image, elements of a patch, and output channels, of NHWC tensors."""
    return gradient[1] * gradient[2], kernel[0] * kernel[1] * kernel[2], gradient[3]


def _max_pool_gradient(_item: int, inputs: Sequence[Shape], _outputs: Sequence[Shape]) -> int:
    """The position of each maximum."""
    count = 8
    for size in inputs[1] if len(inputs) > 1 else (0,):
        count *= size
    return count


_Scratch = Callable[[int, Sequence[Shape], Sequence[Shape]], int]
SCRATCH: Mapping[str, _Scratch] = {
    "Conv2DBackpropFilter": _conv_filter,
    "Conv2DBackpropInput": _conv_input,
    "MaxPoolGrad": _max_pool_gradient,
}
"""Op type -> its scratch memory, from bytes per element and the shapes of inputs and outputs."""

FIXED = frozenset(("Conv2DBackpropFilter", "Conv2DBackpropInput"))
"""Op types whose scratch memory does not depend on the batch size."""


def scratch_bytes(op: str, dtype: int, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> int:
    """The scratch memory of an op, 0 if none is known."""
    rule = SCRATCH.get(op)
    if rule is None or not inputs or not outputs:
        return 0
    return rule(TYPE_SIZES.get(dtype, 4), inputs, outputs)
