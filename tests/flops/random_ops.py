"""Random valid nodes, one function per family of op types, for comparison with TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.flops.op_maker import OpMaker
from tests.flops.rare_ops import rare_ops
from tests.flops.text_ops import text_ops
from tfprof.flops.interpreter import Instance, Interpreter
from tfprof.functions.library import FunctionLibrary
from tfprof.protos.graph_pb2 import GraphDef

UNARY = """
Abs Acos Acosh Asin Asinh Atan Atanh BesselI0e BesselI1e Ceil Cos Cosh Digamma Erf Erfc Erfinv Exp
Expm1 Floor Inv IsFinite IsInf IsNan Lgamma Log Log1p Ndtri Neg OnesLike Reciprocal Rint Round Rsqrt
Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh ZerosLike
"""
ACTIVATIONS = "Relu Relu6 LeakyRelu Elu Selu Softplus Softsign"
BINARY = """
Add AddV2 Sub Mul MulNoNan Div DivNoNan RealDiv FloorDiv FloorMod Pow Maximum Minimum
SquaredDifference Atan2 Xdivy Xlogy Less LessEqual Greater GreaterEqual Equal NotEqual
"""
ACTIVATION_GRADIENTS = "ReluGrad Relu6Grad LeakyReluGrad SoftplusGrad SoftsignGrad"
OUTPUT_GRADIENTS = "SigmoidGrad TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad"
REDUCTIONS = "Sum Mean Max Min Prod EuclideanNorm"


def elementwise(m: OpMaker) -> None:
    for op in UNARY.split():
        getattr(m.raw, op)(x=m.x(*m.sizes(m.size(0, 4))))
    for op in ACTIVATIONS.split():
        getattr(m.raw, op)(features=m.x(*m.sizes(m.size(1, 4))))
    for op in ("Softmax", "LogSoftmax"):
        getattr(m.raw, op)(logits=m.x(*m.sizes(m.size(1, 3))))
    for op in BINARY.split():
        full = m.sizes(3)
        thin = [m.choice(1, dim) for dim in full][m.size(0, 3) :]
        pair = [m.x(*full), m.x(*thin)]
        m.rng.shuffle(pair)
        getattr(m.raw, op)(x=pair[0], y=pair[1])
    for op in ACTIVATION_GRADIENTS.split():
        dims = m.sizes(3)
        getattr(m.raw, op)(gradients=m.x(*dims), features=m.x(*dims))
    for op in OUTPUT_GRADIENTS.split():
        dims = m.sizes(2)
        getattr(m.raw, op)(y=m.x(*dims), dy=m.x(*dims))
    for op in ("EluGrad", "SeluGrad"):
        dims = m.sizes(2)
        getattr(m.raw, op)(gradients=m.x(*dims), outputs=m.x(*dims))
    dims = m.sizes(3)
    m.raw.AddN(inputs=[m.x(*dims) for _ in range(m.size())])
    flags = m.x(*dims[-2:], dtype=m.tf.bool)
    m.raw.SelectV2(condition=flags, t=m.x(*dims), e=m.x(dims[-1]))
    m.raw.LogicalAnd(x=flags, y=flags)
    m.raw.LogicalNot(x=flags)
    m.raw.Cast(x=m.x(*dims), DstT=m.choice(m.tf.int32, m.tf.float16))
    m.raw.Cumsum(x=m.x(*dims), axis=m.size(0, 2))
    m.raw.ClipByValue(t=m.x(*dims), clip_value_min=0.0, clip_value_max=1.0)
    m.raw.BiasAdd(value=m.x(*dims), bias=m.x(dims[-1]))
    m.raw.IdentityN(input=[m.x(*dims), m.x(2)])


def linear(m: OpMaker) -> None:
    rows, inner, columns, batch = m.sizes(4)
    ta, tb = m.flip(), m.flip()
    a = (inner, rows) if ta else (rows, inner)
    b = (columns, inner) if tb else (inner, columns)
    m.raw.MatMul(a=m.x(*a), b=m.x(*b), transpose_a=ta, transpose_b=tb)
    m.raw.BatchMatMul(x=m.x(batch, *a), y=m.x(batch, *b), adj_x=ta, adj_y=tb)
    m.raw.BatchMatMulV2(x=m.x(batch, 2, *a), y=m.x(m.choice(1, 2), *b), adj_x=ta, adj_y=tb)
    m.raw.BatchMatMulV3(x=m.x(*a), y=m.x(batch, *b), Tout=m.tf.float32, adj_x=ta, adj_y=tb)
    equation, shapes = m.choice(
        ("ab,bc->ac", [(rows, inner), (inner, columns)]),
        ("abc,cd->abd", [(batch, rows, inner), (inner, columns)]),
        ("aecd,abcd->acbe", [(batch, rows, 2, inner), (batch, columns, 2, inner)]),
        ("...ab,...bc->...ac", [(2, batch, rows, inner), (1, inner, columns)]),
        ("abc->ca", [(rows, inner, columns)]),
        ("ab,b->a", [(rows, inner), (inner,)]),
        ("a,b->ba", [(rows,), (columns,)]),
    )
    m.raw.Einsum(inputs=[m.x(*shape) for shape in shapes], equation=equation)
    m.raw.MatrixDiag(diagonal=m.x(*m.sizes(2)))
    m.raw.MatrixBandPart(input=m.x(*m.sizes(3)), num_lower=1, num_upper=1)


def windows(m: OpMaker) -> None:
    layout = m.choice("NHWC", "NCHW")
    arrange = _arrange(layout)
    batch, height, width, depth = m.size(1, 3), m.size(6, 11), m.size(6, 11), m.choice(2, 4)
    step, window = m.size(1, 3), m.size(1, 3)
    padding = m.choice("SAME", "VALID")
    image = arrange(batch, [height, width], depth)
    common: dict[str, Any] = {
        "strides": arrange(1, [step, step], 1),
        "padding": padding,
        "data_format": layout,
    }
    ksize = arrange(1, [window, m.size(1, 3)], 1)
    for op in ("AvgPool", "MaxPool"):
        name = "value" if op == "AvgPool" else "input"
        pooled = getattr(m.raw, op)(**{name: m.x(*image)}, ksize=ksize, **common)
    m.raw.MaxPoolGrad(
        orig_input=m.x(*image), orig_output=m.x(*pooled.shape), grad=m.x(*pooled.shape),
        ksize=ksize, **common,
    )  # fmt: skip
    m.raw.AvgPoolGrad(orig_input_shape=image, grad=m.x(*pooled.shape), ksize=ksize, **common)
    # Dilation does not go with strides.
    spread = {"dilations": arrange(1, [2, 1], 1)} if step == 1 else {}
    kernel = (window, 2, depth // m.choice(1, 2), 4)
    out = m.raw.Conv2D(input=m.x(*image), filter=m.x(*kernel), **common, **spread)
    m.raw.Conv2DBackpropInput(
        input_sizes=image, filter=m.x(*kernel), out_backprop=m.x(*out.shape), **common, **spread
    )
    m.raw.Conv2DBackpropFilter(
        input=m.x(*image), filter_sizes=kernel, out_backprop=m.x(*out.shape), **common, **spread
    )
    m.raw.Conv2D(
        input=m.x(*image), filter=m.x(3, 3, depth, 2), strides=common["strides"],
        padding="EXPLICIT", data_format=layout,
        explicit_paddings=arrange2(layout, [1, 2], [0, 1]),
    )  # fmt: skip
    deep = (window, 2, depth, m.size(1, 3))
    out = m.raw.DepthwiseConv2dNative(input=m.x(*image), filter=m.x(*deep), **common)
    m.raw.DepthwiseConv2dNativeBackpropInput(
        input_sizes=image, filter=m.x(*deep), out_backprop=m.x(*out.shape), **common
    )
    m.raw.DepthwiseConv2dNativeBackpropFilter(
        input=m.x(*image), filter_sizes=deep, out_backprop=m.x(*out.shape), **common
    )
    _volumes(m, step, padding)
    flat = m.x(batch, height, width, 4)
    m.raw.Dilation2D(
        input=flat, filter=m.x(2, 3, 4), strides=[1, step, step, 1], rates=[1, 1, 2, 1],
        padding=padding,
    )  # fmt: skip
    m.raw.ExtractImagePatches(
        images=flat, ksizes=[1, 2, 3, 1], strides=[1, step, 1, 1], rates=[1, 1, 1, 1],
        padding=padding,
    )  # fmt: skip
    m.raw.DepthToSpace(input=flat, block_size=2)
    m.raw.SpaceToDepth(input=m.x(batch, 4, 6, 3), block_size=2)
    m.raw.SpaceToBatchND(input=m.x(batch, 5, 6, 3), block_shape=[2, 3], paddings=[[1, 0], [2, 1]])
    m.raw.BatchToSpaceND(input=m.x(6 * batch, 4, 5, 3), block_shape=[2, 3], crops=[[1, 0], [2, 1]])
    for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"):
        getattr(m.raw, op)(images=flat, size=m.sizes(2, 2, 9))
    m.raw.CropAndResize(
        image=flat, boxes=m.x(5, 4), box_ind=m.x(5, dtype=m.tf.int32), crop_size=[3, 4]
    )
    m.raw.LRN(input=flat)


def _volumes(m: OpMaker, step: int, padding: str) -> None:
    volume = [1, *m.sizes(3, 4, 7), 2]
    common = {"strides": [1, step, step, 1, 1], "padding": padding}
    kernel = (2, 1, 3, 2, m.size(1, 3))
    out = m.raw.Conv3D(input=m.x(*volume), filter=m.x(*kernel), **common)
    m.raw.Conv3DBackpropInputV2(
        input_sizes=volume, filter=m.x(*kernel), out_backprop=m.x(*out.shape), **common
    )
    m.raw.Conv3DBackpropFilterV2(
        input=m.x(*volume), filter_sizes=kernel, out_backprop=m.x(*out.shape), **common
    )
    m.raw.MaxPool3D(input=m.x(*volume), ksize=[1, 2, 2, 1, 1], **common)
    m.raw.AvgPool3D(input=m.x(*volume), ksize=[1, 1, 2, 3, 1], **common)


def _arrange(layout: str) -> Callable[[int, list[int], int], list[int]]:
    if layout == "NHWC":
        return lambda batch, space, depth: [batch, *space, depth]
    return lambda batch, space, depth: [batch, depth, *space]


def arrange2(layout: str, first: list[int], second: list[int]) -> list[int]:
    space = [*first, *second]
    return [0, 0, *space, 0, 0] if layout == "NHWC" else [0, 0, 0, 0, *space]


def reductions(m: OpMaker) -> None:
    for op in REDUCTIONS.split():
        axes = m.rng.sample(range(-3, 0), m.size(0, 3))
        getattr(m.raw, op)(input=m.x(*m.sizes(3)), axis=axes, keep_dims=m.flip())
    for op in ("All", "Any"):
        getattr(m.raw, op)(input=m.x(2, 3, dtype=m.tf.bool), axis=[1], keep_dims=m.flip())
    for op in ("ArgMax", "ArgMin"):
        getattr(m.raw, op)(input=m.x(*m.sizes(3)), dimension=m.size(-3, 2))
    m.raw.L2Loss(t=m.x(*m.sizes(2)))
    m.raw.BiasAddGrad(out_backprop=m.x(*m.sizes(4)), data_format=m.choice("NHWC", "NCHW"))
    layout = m.choice("NHWC", "NCHW")
    image = _arrange(layout)(2, m.sizes(2), 3)
    scale = m.x(3)
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        getattr(m.raw, op)(
            x=m.x(*image), scale=scale, offset=scale, mean=m.x(3), variance=m.x(3),
            is_training=False, data_format=layout,
        )  # fmt: skip
    m.raw.FusedBatchNormGradV3(
        y_backprop=m.x(*image), x=m.x(*image), scale=scale, reserve_space_1=scale,
        reserve_space_2=scale, reserve_space_3=scale, data_format=layout,
    )  # fmt: skip
    for op in ("FusedBatchNormGrad", "FusedBatchNormGradV2"):
        getattr(m.raw, op)(
            y_backprop=m.x(*image), x=m.x(*image), scale=scale, reserve_space_1=scale,
            reserve_space_2=scale, data_format=layout,
        )  # fmt: skip
    logits = m.x(*m.sizes(2))
    m.raw.SoftmaxCrossEntropyWithLogits(features=logits, labels=logits)
    m.raw.SparseSoftmaxCrossEntropyWithLogits(
        features=logits, labels=m.x(logits.shape[0], dtype=m.tf.int32)
    )
    m.raw.TopKV2(input=m.x(3, 7), k=m.size(1, 7))
    ids = m.x(4, dtype=m.tf.int32)
    m.raw.UnsortedSegmentSum(data=m.x(4, 2), segment_ids=ids, num_segments=m.size())


def layout(m: OpMaker) -> None:
    dims = m.sizes(4)
    x = m.x(*dims)
    m.raw.Reshape(tensor=x, shape=m.choice([-1], [dims[0], -1], [dims[0] * dims[1], *dims[2:]]))
    order = m.rng.sample(range(4), 4)
    m.raw.Transpose(x=x, perm=order)
    m.raw.ExpandDims(input=x, axis=m.size(-5, 4))
    m.raw.Squeeze(input=m.x(1, dims[0], 1, dims[1] + 1), axis=m.choice([], [0], [-2], [0, 2]))
    axis = m.size(-4, 3)
    other = [m.size() if i == axis % 4 else dim for i, dim in enumerate(dims)]
    m.raw.ConcatV2(values=[x, m.x(*other)], axis=axis)
    m.raw.Split(axis=1, value=m.x(2, 6, 3), num_split=m.choice(1, 2, 3))
    m.raw.SplitV(value=m.x(2, 7), size_splits=[2, -1, m.size()], axis=1, num_split=3)
    m.raw.Pack(values=[x, m.x(*dims)], axis=m.size(-5, 4))
    m.raw.Unpack(value=m.x(2, 3, 4), num=3, axis=m.choice(1, -2))
    m.raw.Tile(input=x, multiples=m.sizes(4, 0, 3))
    m.raw.Pad(input=x, paddings=[m.sizes(2, 0, 3) for _ in range(4)])
    m.raw.PadV2(input=x, paddings=[m.sizes(2, 0, 3) for _ in range(4)], constant_values=1.0)
    m.raw.MirrorPad(input=m.x(5, 6), paddings=[[1, 2], [2, 0]], mode="REFLECT")
    m.raw.BroadcastTo(input=m.x(dims[3]), shape=dims)
    indices = m.x(*m.sizes(m.size(0, 2)), dtype=m.tf.int32)
    m.raw.GatherV2(params=x, indices=indices, axis=m.size(-4, 3))
    m.raw.GatherV2(params=m.x(2, 3, 4), indices=m.x(2, 5, dtype=m.tf.int32), axis=1, batch_dims=1)
    m.raw.GatherNd(params=x, indices=m.x(6, m.size(1, 4), dtype=m.tf.int32))
    m.raw.OneHot(indices=indices, depth=m.size(), on_value=1.0, off_value=0.0, axis=m.choice(-1, 0))
    m.raw.ScatterNd(indices=m.x(3, 1, dtype=m.tf.int32), updates=m.x(3, 4), shape=[8, 4])
    m.raw.ReverseV2(tensor=x, axis=[1])
    m.raw.TensorScatterUpdate(
        tensor=m.x(8, 4), indices=m.x(3, 1, dtype=m.tf.int32), updates=m.x(3, 4)
    )
    m.raw.Slice(input=x, begin=[0, 0, 0, 0], size=[-1, 1, dims[2], -1])
    rows = m.x(7, 8, 9)
    m.raw.StridedSlice(
        input=rows,
        begin=[m.size(-3, 5), m.size(0, 5), m.size(0, 5)],
        end=[m.size(-3, 9), m.size(0, 12), m.size(-4, 9)],
        strides=[m.choice(1, 2), 1, m.choice(1, 3)],
        begin_mask=m.size(0, 7),
        end_mask=m.size(0, 7),
        shrink_axis_mask=m.choice(0, 2),
    )
    m.raw.StridedSlice(
        input=rows, begin=[0, 0, 1], end=[0, 0, 5], strides=[1, 1, m.choice(1, 2)],
        ellipsis_mask=1, new_axis_mask=2,
    )  # fmt: skip
    m.raw.StridedSlice(
        input=rows, begin=[5], end=[0], strides=[-2], begin_mask=m.size(0, 1), end_mask=m.size(0, 1)
    )
    m.raw.StridedSliceGrad(shape=[7, 8], begin=[1], end=[3], strides=[1], dy=m.x(2, 8))
    shape = m.raw.Shape(input=x)
    m.raw.Fill(dims=shape, value=1.0)
    m.raw.Range(start=m.size(0, 3), limit=m.size(3, 20), delta=m.size(1, 4))
    m.raw.Size(input=x)
    m.raw.Rank(input=x)
    m.raw.RandomUniform(shape=shape, dtype=m.tf.float32)
    m.raw.RandomStandardNormal(shape=dims, dtype=m.tf.float32)
    m.raw.StatelessRandomUniform(shape=shape, seed=[1, 2])
    _arithmetic(m, x, shape, dims)


def _arithmetic(m: OpMaker, x: Any, shape: Any, dims: list[int]) -> None:
    """Reshapes whose target is computed from shapes."""
    first = m.raw.StridedSlice(input=shape, begin=[0], end=[1], strides=[1], shrink_axis_mask=1)
    last = m.raw.StridedSlice(input=shape, begin=[2], end=[4], strides=[1])
    m.raw.Reshape(tensor=x, shape=m.raw.Pack(values=[first, -1]))
    m.raw.Reshape(
        tensor=x,
        shape=m.raw.ConcatV2(
            values=[[-1], m.raw.Prod(input=last, axis=[0], keep_dims=True)], axis=0
        ),
    )
    halves = m.raw.Mul(x=m.raw.FloorDiv(x=shape, y=2), y=2)
    m.raw.Fill(dims=m.raw.Maximum(x=halves, y=[1, 1, 1, 1]), value=2.0)
    m.raw.Fill(dims=m.raw.GatherV2(params=shape, indices=[3, 0], axis=0), value=3)
    m.raw.Fill(dims=m.raw.AddV2(x=m.raw.Sub(x=shape, y=1), y=2), value=3)
    m.raw.BroadcastTo(input=m.x(1), shape=m.raw.BroadcastArgs(s0=dims, s1=[1]))
    m.raw.Reshape(tensor=x, shape=m.raw.ReverseV2(tensor=shape, axis=[0]))


def recurrent(m: OpMaker) -> None:
    batch, width, units, time = m.sizes(4)
    gate = m.x(units)
    weights = {"w": m.x(width + units, 4 * units), "wci": gate, "wcf": gate, "wco": gate}
    state = m.x(batch, units)
    m.raw.LSTMBlockCell(
        x=m.x(batch, width), cs_prev=state, h_prev=state, b=m.x(4 * units), **weights
    )
    m.raw.BlockLSTM(
        seq_len_max=m.tf.constant(3, m.tf.int64), x=m.x(time, batch, width), cs_prev=state,
        h_prev=state, b=m.x(4 * units), **weights,
    )  # fmt: skip
    m.raw.GRUBlockCell(
        x=m.x(batch, width), h_prev=state, w_ru=m.x(width + units, 2 * units),
        w_c=m.x(width + units, units), b_ru=m.x(2 * units), b_c=m.x(units),
    )  # fmt: skip
    signal = m.x(batch, 16, dtype=m.tf.complex64)
    m.raw.FFT(input=signal)
    m.raw.FFT2D(input=signal)
    m.raw.RFFT(input=m.x(batch, 16), fft_length=[16])
    m.raw.IRFFT(input=m.x(batch, 9, dtype=m.tf.complex64), fft_length=[16])


FAMILIES: dict[str, Callable[[OpMaker], None]] = {
    "elementwise": elementwise,
    "linear": linear,
    "windows": windows,
    "reductions": reductions,
    "layout": layout,
    "recurrent": recurrent,
    "rare_ops": rare_ops,
    "text_ops": text_ops,
}


def build(tf: Any, family: str, seed: int) -> tuple[Any, GraphDef]:
    graph = tf.Graph()
    with graph.as_default():
        FAMILIES[family](OpMaker(tf, seed))
    message = GraphDef.FromString(graph.as_graph_def(add_shapes=True).SerializeToString())
    for node in message.node:
        del node.attr["_output_shapes"]
    return graph, message


def interpret(message: GraphDef, shapes: dict[str, Any] | None = None) -> Instance:
    return Interpreter(FunctionLibrary(message), placeholders=shapes).run()
