"""Shapes of ops that work element by element, with or without broadcasting."""

from __future__ import annotations

from itertools import zip_longest

from tfprof.flops.polynomial import symbol_name
from tfprof.flops.shapes.inference_context import InferenceContext, ShapeRule, each, shape_of
from tfprof.flops.tensors import Dim, Dims, dims_of, merge_dims


def broadcast(c: InferenceContext, left: Dims | None, right: Dims | None) -> Dims | None:
    """The shape that two shapes broadcast to."""
    if left is None or right is None:
        return None
    pairs = zip_longest(reversed(left), reversed(right), fillvalue=1)
    return tuple(_broadcast_dim(c, a, b) for a, b in pairs)[::-1]


def _broadcast_dim(c: InferenceContext, a: Dim, b: Dim) -> Dim:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    # A symbol beside a number other than 1 is 1 or that number.
    if isinstance(a, int) and not isinstance(b, int):
        return a
    if isinstance(b, int) and not isinstance(a, int):
        return b
    first, second = symbol_name(a), symbol_name(b)
    if first and second:
        c.equal.append((first, second))
        return a
    return None


def _merge(c: InferenceContext) -> list[Dims | None]:
    shape = c.shape(0)
    for other in c.distinct_shapes(1):
        shape, _ = merge_dims(shape, other)
    return [shape]


_UNARY = """
Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1
BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Ceil Conj Cos Cosh Dawsn Digamma Erf Erfc
Erfinv Exp Expint Expm1 Floor FresnelCos FresnelSin Imag Inv Invert IsFinite IsInf IsNan Lgamma Log
Log1p LogicalNot Ndtri Neg OnesLike PopulationCount Real Reciprocal Rint Round Rsqrt Sigmoid Sign
Sin Sinh Softplus Softsign Spence Sqrt Square Tan Tanh ZerosLike ComplexAbs
Relu Relu6 LeakyRelu Elu Selu Softmax LogSoftmax
SigmoidGrad TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad ReluGrad Relu6Grad LeakyReluGrad
EluGrad SeluGrad SoftplusGrad SoftsignGrad
Identity StopGradient PreventGradient Snapshot CheckNumerics CheckNumericsV2 Cast BiasAdd BiasAddV1
Cumsum Cumprod CumulativeLogsumexp Reverse ReverseV2 Roll ReverseSequence LRN LRNGrad RandomShuffle
PlaceholderWithDefault DebugIdentity DebugIdentityV2 DebugIdentityV3 RefIdentity LoopCond
MatrixBandPart BatchMatrixBandPart MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixInverse
Cholesky MatrixExponential MatrixSquareRoot InvertPermutation
QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel
FFT FFT2D FFT3D IFFT IFFT2D IFFT3D FFTND IFFTND
TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin
Enter RefEnter Exit RefExit NextIteration RefNextIteration
CollectiveReduce CollectiveReduceV2 NcclAllReduce AsString StringLower
StringUpper StringStrip RegexReplace StaticRegexReplace StringToHashBucketFast StringToNumber
StringLength EncodeBase64 DecodeBase64 GradientReversal Copy CopyHost XlaSharding
InplaceUpdate InplaceAdd InplaceSub DeepCopy Bucketize ClipByValue
Assign AssignAdd AssignSub ScatterUpdate ScatterAdd ScatterSub
"""

_BINARY = """
Add AddV2 Sub Mul MulNoNan Div DivNoNan RealDiv FloorDiv TruncateDiv FloorMod Mod TruncateMod Pow
Maximum Minimum SquaredDifference Atan2 Xdivy Xlogy Xlog1py Igamma Igammac IgammaGradA Zeta
Polygamma NextAfter Complex Less LessEqual Greater GreaterEqual Equal NotEqual ApproximateEqual
LogicalAnd LogicalOr BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift
"""

RULES: dict[str, ShapeRule] = {
    **each(_UNARY, shape_of(0)),
    **each(_BINARY, lambda c: [broadcast(c, c.shape(0), c.shape(1))]),
    **each("AddN AccumulateNV2 Betainc", _merge),
    "SelectV2": lambda c: [broadcast(c, c.shape(0), broadcast(c, c.shape(1), c.shape(2)))],
    # Select takes a vector condition that does not broadcast: only the values give the shape.
    "Select": lambda c: [merge_dims(c.shape(1), c.shape(2))[0]],
    "IdentityN": lambda c: [tensor.shape for tensor in c.inputs],
    "EnsureShape": lambda c: [merge_dims(c.shape(0), dims_of(c.attrs["shape"].shape))[0]],
}
