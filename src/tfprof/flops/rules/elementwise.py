"""Float operations of element-wise ops, their gradients, reductions, pooling and normalisation.

One operation is one arithmetic result: an elementary function (exp, tanh, sqrt) counts as one, an
op type that is a formula of several counts them all (a sigmoid is four).
"""

from __future__ import annotations

from math import prod

from tfprof.flops.atoms import floor_div
from tfprof.flops.polynomial import Count
from tfprof.flops.rules.formula import Formula, Operation, Work, per_input, per_output
from tfprof.flops.shapes.inference_context import IndeterminateError, each, times
from tfprof.flops.tensors import elements


def _add_n(x: Operation) -> Work:
    """Lists too are summed, by element; where one holds a single element, that is all there is."""
    if not x.inputs:
        return Work()
    element = x.inputs[0].element
    if element is None:
        return Work(elementwise=x.n() * (len(x.inputs) - 1))
    length = 1 if any(tensor.filled == 1 for tensor in x.inputs) else x.inputs[0].length
    count = times(length, elements(element.shape))
    if count is None:
        raise IndeterminateError
    return Work(elementwise=count * (len(x.inputs) - 1))


def _reduction(x: Operation) -> Work:
    return Work(elementwise=x.n() - x.n_out() if x.n() != 0 else 0)


def _l2_loss(x: Operation) -> Work:
    return Work(elementwise=3 * x.n() - 1 if x.n() != 0 else 0)


def _window(x: Operation) -> Count:
    sizes = x.ints("ksize")
    if not sizes:
        raise IndeterminateError
    return prod(sizes)


def _avg_pool_grad(x: Operation) -> Work:
    return Work(elementwise=2 * _window(x) * x.n(1))


def _max_pool_grad(x: Operation) -> Work:
    return Work(elementwise=(_window(x) + 1) * x.n(1))


def _pool_v2(x: Operation) -> Work:
    return Work(elementwise=prod(x.ints_in(1)) * x.n_out())


def _max_pool_grad_v2(x: Operation) -> Work:
    return Work(elementwise=(prod(x.ints_in(3)) + 1) * x.n(1))


def _batch_norm(x: Operation) -> Work:
    return Work(elementwise=(6 if x.flag("is_training", default=True) else 3) * x.n())


def _batch_norm_grad(x: Operation) -> Work:
    return Work(elementwise=(9 if x.flag("is_training", default=True) else 6) * x.n(1))


def _dilation(x: Operation, outputs: Count) -> Work:
    kernel = x.known(1)
    return Work(elementwise=2 * outputs * kernel[0] * kernel[1])


def _local_response(x: Operation) -> Work:
    """Squares summed over the neighbours in depth, scaled, raised, divided."""
    reach = 2 * x.number("depth_radius", 5) + 1
    return Work(elementwise=(2 * reach + 4) * x.n())


def _fourier(rank: int, *, real: str = "") -> Formula:
    """Of n points: 5 n log2 n, and half of that where the input or the output is real."""

    def work(x: Operation) -> Work:
        inside = real == "in"
        sizes = (x.known(0) if inside else x.known_out())[-rank:]
        known = [size for size in sizes if isinstance(size, int)]
        if len(known) != rank:
            raise IndeterminateError
        signal = x.n() if inside else x.n_out()
        operations = signal * 5 * (prod(known) - 1).bit_length()
        return Work(elementwise=floor_div(operations, 2) if real else operations)

    return Formula("5/2·N·⌈log2 n⌉" if real else "5·N·⌈log2 n⌉", work)


_ONE = """
Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1
BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Ceil Cos Cosh Dawsn Digamma Erf Erfc Erfinv
Exp Expint Expm1 Floor FresnelCos FresnelSin Inv IsFinite IsInf IsNan Lgamma Log Log1p Ndtri Neg
Reciprocal Rint Round Sign Sin Sinh Spence Sqrt Square Tan Tanh Relu
Add AddV2 Sub Mul MulNoNan Div DivNoNan RealDiv FloorDiv TruncateDiv FloorMod Mod TruncateMod Pow
Maximum Minimum Atan2 Xdivy Igamma Igammac IgammaGradA Zeta Polygamma NextAfter Betainc
Less LessEqual Greater GreaterEqual Equal NotEqual ApproximateEqual
ReluGrad BiasAdd BiasAddV1 Cumsum Cumprod ComplexAbs
MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGradGrad
"""
_TWO = """
Rsqrt SquaredDifference Relu6 Relu6Grad LeakyRelu LeakyReluGrad EluGrad SqrtGrad Xlogy ClipByValue
"""
_THREE = """
Softplus Softsign Elu SigmoidGrad TanhGrad ReciprocalGrad InvGrad SeluGrad Xlog1py
CumulativeLogsumexp
"""
_FOUR = "Sigmoid Selu SoftplusGrad SoftsignGrad RsqrtGrad"
_SEVEN = """
FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel
QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
"""

RULES: dict[str, Formula] = {
    **each(_ONE, per_output(1)),
    **each(_TWO, per_output(2)),
    **each(_THREE, per_output(3)),
    **each(_FOUR, per_output(4)),
    **each(_SEVEN, per_output(7)),
    **each("Softmax LogSoftmax Swish FusedMish", per_output(5)),
    **each("AddN AccumulateNV2", Formula("N(in0)·(inputs - 1)", _add_n)),
    **each("Sum Max Min Prod ArgMax ArgMin BiasAddGrad", Formula("N(in0) - N(out)", _reduction)),
    "Mean": per_input(1),
    "EuclideanNorm": per_input(2),
    "L2Loss": Formula("3·N(in0) - 1", _l2_loss),
    **each("InTopK InTopKV2", per_input(1)),
    "SoftmaxCrossEntropyWithLogits": per_input(8),
    "SparseSoftmaxCrossEntropyWithLogits": per_input(6),
    **each(
        "SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd UnsortedSegmentSum"
        " UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd",
        per_input(1),
    ),
    **each(
        "TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin"
        " ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv"
        " ResourceScatterMax ResourceScatterMin ScatterAdd ScatterSub ScatterMul ScatterDiv",
        per_input(1, 2),
    ),
    "ScatterNd": per_input(1, 1),
    **each("Bincount DenseBincount", per_input(1, 0)),
    "RaggedBincount": per_input(1, 1),
    **each(
        "AvgPool MaxPool AvgPool3D MaxPool3D MaxPoolWithArgmax",
        Formula("Πksize·N(out)", lambda x: Work(elementwise=_window(x) * x.n_out())),
    ),
    "MaxPoolV2": Formula("Πksize·N(out)", _pool_v2),
    **each("AvgPoolGrad AvgPool3DGrad", Formula("2·Πksize·N(in1)", _avg_pool_grad)),
    **each("MaxPoolGrad MaxPool3DGrad", Formula("(Πksize + 1)·N(in1)", _max_pool_grad)),
    "MaxPoolGradV2": Formula("(Πksize + 1)·N(in1)", _max_pool_grad_v2),
    "MaxPoolGradWithArgmax": per_input(1, 1),
    **each(
        "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3",
        Formula("6·N(in0) in training, else 3·N(in0)", _batch_norm),
    ),
    **each(
        "FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3",
        Formula("9·N(in1) in training, else 6·N(in1)", _batch_norm_grad),
    ),
    "BatchNormWithGlobalNormalization": per_input(3),
    "LRN": Formula("(2·(2·radius + 1) + 4)·N(in0)", _local_response),
    "LayerNorm": per_input(7),
    "Dilation2D": Formula("2·N(out)·filter[0]·filter[1]", lambda x: _dilation(x, x.n_out())),
    **each(
        "Dilation2DBackpropInput Dilation2DBackpropFilter",
        Formula("2·N(in2)·filter[0]·filter[1]", lambda x: _dilation(x, x.n(2))),
    ),
    "ResizeBilinear": per_output(9),
    "ResizeBilinearGrad": per_input(8),
    "ResizeBicubic": per_output(32),
    "CropAndResize": per_output(9),
    "LSTMBlockCellGrad": per_input(21, 1),
    **each("FFT IFFT", _fourier(1)),
    **each("FFT2D IFFT2D", _fourier(2)),
    **each("FFT3D IFFT3D", _fourier(3)),
    "RFFT": _fourier(1, real="in"),
    "RFFT2D": _fourier(2, real="in"),
    "RFFT3D": _fourier(3, real="in"),
    "IRFFT": _fourier(1, real="out"),
    "IRFFT2D": _fourier(2, real="out"),
    "IRFFT3D": _fourier(3, real="out"),
}
