"""Shapes of fused recurrent cells and sequences, and of Fourier transforms of real signals."""

from __future__ import annotations

from tfprof.flops.atoms import floor_div
from tfprof.flops.shapes.inference_context import InferenceContext, ShapeRule, each
from tfprof.flops.tensors import Dims


def _cell(c: InferenceContext) -> list[Dims | None]:
    """LSTMBlockCell has seven such outputs, GRUBlockCell the first four."""
    return [(c.dims(0, 2)[0], c.dims(1, 2)[1])] * (7 if c.op == "LSTMBlockCell" else 4)


def _lstm_block(c: InferenceContext) -> list[Dims | None]:
    time, batch, _ = c.dims(1, 3)
    return [(time, batch, c.dims(2, 2)[1])] * 7


def _lstm_cell_grad(c: InferenceContext) -> list[Dims | None]:
    batch, units = c.dims(1, 2)
    gates = None if units is None else 4 * units
    return [(batch, units), (batch, gates), *(c.shape(index) for index in (4, 5, 6))]


def _gru_cell_grad(c: InferenceContext) -> list[Dims | None]:
    x, (batch, units) = c.shape(0), c.dims(1, 2)
    gates = None if units is None else 2 * units
    return [x, (batch, units), (batch, units), (batch, gates)]


def _cudnn(c: InferenceContext) -> list[Dims | None]:
    """CudnnRNN: output is [time, batch, units] or, if not time-major, [batch, time, units]."""
    first, second, _ = c.dims(0, 3)
    units = c.dims(1)[-1]
    both = 2 if c.text("direction") == "bidirectional" else 1
    outputs = None if units is None else both * units
    return [(first, second, outputs), c.shape(1), c.shape(2), None, None]


def _real_fft(c: InferenceContext) -> list[Dims | None]:
    dims, (*lengths, last) = c.dims(0), c.value(1)
    half = None if last is None else floor_div(last, 2) + 1
    return [(*dims[: -len(lengths) - 1], *lengths, half)]


def _inverse_real_fft(c: InferenceContext) -> list[Dims | None]:
    dims, lengths = c.dims(0), c.value(1)
    return [(*dims[: len(dims) - len(lengths)], *lengths)]


RULES: dict[str, ShapeRule] = {
    **each("LSTMBlockCell GRUBlockCell", _cell),
    **each("BlockLSTM BlockLSTMV2", _lstm_block),
    **each("BlockLSTMGrad BlockLSTMGradV2", lambda c: [c.shape(i) for i in range(1, 9)]),
    "LSTMBlockCellGrad": _lstm_cell_grad,
    "GRUBlockCellGrad": _gru_cell_grad,
    **each("CudnnRNN CudnnRNNV2 CudnnRNNV3", _cudnn),
    **each("RFFT RFFT2D RFFT3D", _real_fft),
    **each("IRFFT IRFFT2D IRFFT3D", _inverse_real_fft),
}
