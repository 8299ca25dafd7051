"""Float operations of matmuls, convolutions, einsum and fused recurrent layers."""

from __future__ import annotations

from collections.abc import Callable

from tfprof.flops.polynomial import Count, product
from tfprof.flops.rules.formula import Formula, Operation, Work
from tfprof.flops.shapes.inference_context import IndeterminateError, each
from tfprof.flops.shapes.linear import einsum_labels


def _matmul(x: Operation) -> Work:
    return Work(x.n_out() * x.known(0)[0 if x.flag("transpose_a") else 1])


def _batch_matmul(x: Operation) -> Work:
    return Work(x.n_out() * x.known(0)[-2 if x.flag("adj_x") else -1])


def _convolution(x: Operation) -> Work:
    """Each output element sums over the filter's window and its input channels."""
    if x.text("filter_format", "HWIO") != "HWIO":
        raise IndeterminateError
    return Work(x.n_out() * product(x.known(1)[:-1]))


def _depthwise(x: Operation) -> Work:
    return Work(x.n_out() * product(x.known(1)[:2]))


def _input_gradient(filter_dims: slice) -> Callable[[Operation], Work]:
    """As many as the forward convolution, whose output is shaped like input 2."""
    return lambda x: Work(x.n(2) * product(x.known(1)[filter_dims]))


def _filter_gradient(filter_dims: slice) -> Callable[[Operation], Work]:
    return lambda x: Work(x.n(2) * product(x.known_out()[filter_dims]))


def _einsum(x: Operation) -> Work:
    """One multiply-add for each combination of all labels.

    Labels of one operand alone are summed away first. If nothing is summed over, it is one
    multiplication for each output element.
    """
    if len(x.inputs) > 2:
        raise IndeterminateError
    shapes = [x.known(index) for index in range(len(x.inputs))]
    inputs, output = einsum_labels(x.text("equation"), [len(shape) for shape in shapes])
    sizes: dict[str, Count] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for label, size in zip(labels, shape, strict=True):
            if sizes.get(label, 1) == 1:
                sizes[label] = size
    sums: Count = 0
    kept: list[set[str]] = []
    others_of = inputs[::-1] if len(inputs) == 2 else [[]]
    for labels, shape, others in zip(inputs, shapes, others_of, strict=True):
        remaining = {label for label in labels if label in output or label in others}
        if remaining != set(labels):
            size_of = dict(zip(labels, shape, strict=True))
            sums = sums + product(size_of.values())
            sums = sums - product(size_of[label] for label in remaining)
        kept.append(remaining)
    if len(kept) == 1:
        return Work(elementwise=sums)
    union = kept[0] | kept[1]
    combinations = product(sizes[label] for label in union)
    if union <= set(output):
        return Work(elementwise=sums + combinations)
    return Work(combinations, sums)


def _sparse_dense(x: Operation) -> Work:
    dense = x.known(3)
    columns = dense[0] if x.flag("adjoint_b") else dense[1]
    return Work(x.known(1)[0] * columns)


# Element-wise operations per unit and step: the gates' biases and activations (a sigmoid is 4, a
# tanh 1), and the state's update.
_LSTM_UNIT = 23
_LSTM_UNIT_GRADIENT = 25
_GRU_UNIT = 17
_GRU_UNIT_GRADIENT = 16


def _lstm(first: int) -> Formula:
    """Input `first` is the data; the state h is two inputs behind it."""

    def work(x: Operation) -> Work:
        steps_units = x.n_out(6)
        inner = x.known(first)[-1] + x.known(first + 2)[-1]
        return Work(steps_units * 4 * inner, _LSTM_UNIT * steps_units)

    return _contraction("2·N(h)·4·(inputs + units) + 23·N(h)", work)


def _lstm_block_gradient(x: Operation) -> Work:
    """Twice the forward product: to the inputs, and to the weights."""
    steps_units = x.n(15)
    inner = x.known(1)[-1] + x.known(3)[-1]
    return Work(2 * steps_units * 4 * inner, _LSTM_UNIT_GRADIENT * steps_units)


def _gru_cell(x: Operation, units: Count, factor: int) -> Work:
    return Work(units * 3 * (x.known(0)[-1] + x.known(1)[-1]), factor * units)


_GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}
_UNIT = {"lstm": _LSTM_UNIT, "gru": _GRU_UNIT, "rnn_relu": 2, "rnn_tanh": 2}


def _cudnn(passes: int) -> Formula:
    def work(x: Operation) -> Work:
        mode = x.text("rnn_mode", "lstm")
        if x.number("num_proj") or x.text("input_mode") == "skip_input" or mode not in _GATES:
            raise IndeterminateError
        first, second, width = x.known(0)
        stacked, _, units = x.known(1)
        ways = 2 if x.text("direction") == "bidirectional" else 1
        if not isinstance(stacked, int):
            raise IndeterminateError
        layers = stacked // ways
        inner = width + units + (layers - 1) * (ways * units + units)
        steps_units = first * second * units * ways
        macs = steps_units * _GATES[mode] * inner
        return Work(passes * macs, passes * _UNIT[mode] * steps_units * layers)

    text = "steps · units · gates · (inputs + units), over layers and directions"
    return Formula(text if passes == 1 else f"2 · {text}", work, contraction=True)


def _contraction(text: str, work: Callable[[Operation], Work]) -> Formula:
    return Formula(text, work, contraction=True)


_FORWARD = _contraction("2·N(out)·Π filter[:-1]", _convolution)

RULES: dict[str, Formula] = {
    **each("MatMul SparseMatMul", _contraction("2·k·N(out)", _matmul)),
    **each("BatchMatMul BatchMatMulV2 BatchMatMulV3", _contraction("2·k·N(out)", _batch_matmul)),
    "Einsum": _contraction("2·Π all labels", _einsum),
    "SparseTensorDenseMatMul": _contraction("2·nonzeros·columns", _sparse_dense),
    **each("Conv2D Conv3D Conv", _FORWARD),
    **each(
        "Conv2DBackpropInput Conv2DBackpropInputV2 Conv3DBackpropInput Conv3DBackpropInputV2",
        _contraction("2·N(in2)·Π filter[:-1]", _input_gradient(slice(-1))),
    ),
    **each(
        "Conv2DBackpropFilter Conv2DBackpropFilterV2 Conv3DBackpropFilter Conv3DBackpropFilterV2",
        _contraction("2·N(in2)·Π out[:-1]", _filter_gradient(slice(-1))),
    ),
    "DepthwiseConv2dNative": _contraction("2·N(out)·filter[0]·filter[1]", _depthwise),
    "DepthwiseConv2dNativeBackpropInput": _contraction(
        "2·N(in2)·filter[0]·filter[1]", _input_gradient(slice(2))
    ),
    "DepthwiseConv2dNativeBackpropFilter": _contraction(
        "2·N(in2)·out[0]·out[1]", _filter_gradient(slice(2))
    ),
    "LSTMBlockCell": _lstm(0),
    **each("BlockLSTM BlockLSTMV2", _lstm(1)),
    **each(
        "BlockLSTMGrad BlockLSTMGradV2",
        _contraction("4·N(h)·4·(inputs + units) + 25·N(h)", _lstm_block_gradient),
    ),
    "GRUBlockCell": _contraction(
        "2·N(h)·3·(inputs + units) + 17·N(h)", lambda x: _gru_cell(x, x.n_out(3), _GRU_UNIT)
    ),
    "GRUBlockCellGrad": _contraction(
        "2·N(h)·3·(inputs + units) + 16·N(h)", lambda x: _gru_cell(x, x.n(9), _GRU_UNIT_GRADIENT)
    ),
    **each("CudnnRNN CudnnRNNV2 CudnnRNNV3", _cudnn(1)),
    **each("CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3", _cudnn(2)),
}
