"""Random valid nodes of op types that few models have."""

from __future__ import annotations

from tests.flops.op_maker import OpMaker


def rare_ops(m: OpMaker) -> None:
    """Op types that are seldom seen, one node each."""
    raw, tf = m.raw, m.tf
    dims = m.sizes(3)
    x, whole = m.x(*dims), m.x(*dims, dtype=tf.int32)
    raw.Select(condition=m.x(*dims, dtype=tf.bool), x=x, y=m.x(*dims))
    raw.ShapeN(input=[x, m.x(2)])
    raw.Concat(concat_dim=1, values=[x, m.x(*dims)])
    raw.EnsureShape(input=x, shape=[None, dims[1], None])
    raw.InvertPermutation(x=[2, 0, 1])
    raw.DynamicStitch(indices=[[0, 2], [1]], data=[m.x(2, 3), m.x(1, 3)])
    raw.LinSpace(start=0.0, stop=1.0, num=m.size())
    raw.Where(condition=m.x(*dims, dtype=tf.bool))
    raw.Roll(input=x, shift=[1], axis=[0])
    raw.Cumprod(x=x, axis=0)
    raw.Snapshot(input=x)
    raw.StopGradient(input=x)
    raw.PlaceholderWithDefault(input=x, shape=dims)
    raw.MirrorPadGrad(input=m.x(8, 6), paddings=[[1, 2], [2, 0]], mode="REFLECT")
    for op in ("Mod", "TruncateDiv", "BitwiseAnd", "LeftShift", "FloorMod"):
        getattr(raw, op)(x=whole, y=m.x(dims[-1], dtype=tf.int32))
    for op in ("Igamma", "Igammac", "Zeta", "Polygamma"):
        name = "x" if op == "Zeta" else "a"
        getattr(raw, op)(**{name: x, "q" if op == "Zeta" else "x": m.x(dims[-1])})
    signal = raw.Complex(real=m.x(2, 4, 8), imag=m.x(2, 4, 8))
    for op in ("Real", "Imag", "Conj", "Angle", "IFFT", "IFFT2D", "FFT3D"):
        getattr(raw, op)(input=signal)
    raw.ComplexAbs(x=signal)
    raw.RFFT2D(input=m.x(2, 4, 8), fft_length=[4, 8])
    raw.IRFFT2D(input=signal, fft_length=[4, 14])
    for op in ("TensorScatterAdd", "TensorScatterSub", "TensorScatterMax"):
        getattr(raw, op)(tensor=m.x(8, 4), indices=m.x(3, 1, dtype=tf.int32), updates=m.x(3, 4))
    for op in ("UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"):
        ids = m.x(4, dtype=tf.int32)
        getattr(raw, op)(data=m.x(4, 2), segment_ids=ids, num_segments=m.size())
    square = m.x(2, 4, 4)
    raw.MatrixInverse(input=square)
    raw.Cholesky(input=square)
    raw.MatrixSolve(matrix=square, rhs=m.x(2, 4, 3))
    raw.MatrixTriangularSolve(matrix=square, rhs=m.x(2, 4, 3))
    raw.MatrixDiagPart(input=m.x(2, 4, 3))
    raw.MatrixDiagV3(diagonal=m.x(2, 4), k=0, num_rows=-1, num_cols=-1, padding_value=0.0)
    raw.MatrixDiagPartV3(input=m.x(2, 4, 3), k=0, padding_value=0.0)
    raw.Unique(x=m.x(7))
    raw.SegmentSum(data=m.x(4, 2), segment_ids=m.x(4, dtype=tf.int32))
    raw.MatrixSetDiag(input=square, diagonal=m.x(2, 4))
    raw.InTopKV2(predictions=m.x(4, 5), targets=m.x(4, dtype=tf.int32), k=2)
    raw.Multinomial(logits=m.x(4, 5), num_samples=3)
    key, counter = raw.StatelessRandomGetKeyCounter(seed=[1, 2])
    algorithm = raw.StatelessRandomGetAlg()
    for op in ("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"):
        getattr(raw, op)(shape=dims, key=key, counter=counter, alg=algorithm)
    raw.TruncatedNormal(shape=dims, dtype=tf.float16)
    raw.RandomUniformInt(shape=dims, minval=0, maxval=9)
    raw.QuantizeAndDequantizeV2(input=x, input_min=0.0, input_max=1.0)
    raw.FakeQuantWithMinMaxVars(inputs=x, min=0.0, max=1.0)
    _rare_windows(m)
    _rare_gradients(m)


def _rare_windows(m: OpMaker) -> None:
    raw = m.raw
    image = m.x(2, 6, 7, 3)
    raw.MaxPoolWithArgmax(input=image, ksize=[1, 2, 2, 1], strides=[1, 2, 1, 1], padding="SAME")
    raw.MaxPoolV2(input=image, ksize=[1, 2, 3, 1], strides=[1, 2, 1, 1], padding="VALID")
    raw.Conv(input=image, filter=m.x(2, 3, 3, 5), strides=[1, 2, 1, 1], padding="SAME")
    raw.ResizeNearestNeighborGrad(grads=image, size=[3, 4])
    raw.ResizeBilinearGrad(grads=image, original_image=m.x(2, 3, 4, 3))
    raw.ResizeArea(images=image, size=[3, 4])
    raw.SparseMatMul(a=m.x(3, 4), b=m.x(5, 4), transpose_b=True)
    raw.SparseTensorDenseMatMul(
        a_indices=m.x(6, 2, dtype=m.tf.int64), a_values=m.x(6),
        a_shape=m.tf.constant([4, 5], m.tf.int64), b=m.x(5, 3),
    )  # fmt: skip


def _rare_gradients(m: OpMaker) -> None:
    raw = m.raw
    image, kernel, back = m.x(1, 6, 7, 3), m.x(2, 2, 3), m.x(1, 6, 7, 3)
    common = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}
    for op in ("Dilation2DBackpropInput", "Dilation2DBackpropFilter"):
        getattr(raw, op)(input=image, filter=kernel, out_backprop=back, **common)
    volume, pooled = m.x(1, 4, 4, 4, 2), m.x(1, 2, 2, 2, 2)
    pool = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
    raw.MaxPool3DGrad(orig_input=volume, orig_output=pooled, grad=pooled, **pool)
    raw.AvgPool3DGrad(orig_input_shape=[1, 4, 4, 4, 2], grad=pooled, **pool)
    units, width, batch = 4, 3, 2
    state, gate = m.x(batch, units), m.x(units)
    raw.GRUBlockCellGrad(
        x=m.x(batch, width), h_prev=state, w_ru=m.x(width + units, 2 * units),
        w_c=m.x(width + units, units), b_ru=m.x(2 * units), b_c=gate, r=state, u=state, c=state,
        d_h=state,
    )  # fmt: skip
    weights = {"w": m.x(width + units, 4 * units), "wci": gate, "wcf": gate, "wco": gate}
    cell = dict.fromkeys(("i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad"), state)
    raw.LSTMBlockCellGrad(
        x=m.x(batch, width), cs_prev=state, h_prev=state, b=m.x(4 * units), use_peephole=False,
        **weights, **cell,
    )  # fmt: skip
    steps = m.x(5, batch, units)
    block = dict.fromkeys(("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad"), steps)
    raw.BlockLSTMGrad(
        seq_len_max=m.tf.constant(5, m.tf.int64), x=m.x(5, batch, width), cs_prev=state,
        h_prev=state, b=m.x(4 * units), use_peephole=False, **weights, **block,
    )  # fmt: skip
