"""Shapes of fused recurrent cells and sequences, and of Fourier transforms of real signals."""

from __future__ import annotations

from tfprof.flops.polynomial import floor_div
from tfprof.flops.shapes.inference_context import InferenceContext, ShapeRule, each
from tfprof.flops.tensors import Dims


def _lstm_cell(site: InferenceContext) -> list[Dims | None]:
    return [(site.dims(0, 2)[0], site.dims(1, 2)[1])] * 7


def _lstm_block(site: InferenceContext) -> list[Dims | None]:
    time, batch, _ = site.dims(1, 3)
    return [(time, batch, site.dims(2, 2)[1])] * 7


def _gru_cell(site: InferenceContext) -> list[Dims | None]:
    return [(site.dims(0, 2)[0], site.dims(1, 2)[1])] * 4


def _lstm_block_grad(site: InferenceContext) -> list[Dims | None]:
    return [site.shape(index) for index in range(1, 9)]


def _lstm_cell_grad(site: InferenceContext) -> list[Dims | None]:
    batch, units = site.dims(1, 2)
    gates = None if units is None else 4 * units
    return [(batch, units), (batch, gates), *(site.shape(index) for index in (4, 5, 6))]


def _gru_cell_grad(site: InferenceContext) -> list[Dims | None]:
    x, (batch, units) = site.shape(0), site.dims(1, 2)
    gates = None if units is None else 2 * units
    return [x, (batch, units), (batch, units), (batch, gates)]


def _cudnn(site: InferenceContext) -> list[Dims | None]:
    """CudnnRNN: output is [time, batch, units] or, if not time-major, [batch, time, units]."""
    first, second, _ = site.dims(0, 3)
    units = site.dims(1)[-1]
    both = 2 if site.text("direction") == "bidirectional" else 1
    outputs = None if units is None else both * units
    return [(first, second, outputs), site.shape(1), site.shape(2), None, None]


def _real_fft(rank: int) -> ShapeRule:
    def rule(site: InferenceContext) -> list[Dims | None]:
        dims, length = site.dims(0), site.value(1)
        last = length[-1]
        half = None if last is None else floor_div(last, 2) + 1
        return [(*dims[: len(dims) - rank], *length[:-1], half)]

    return rule


def _inverse_real_fft(rank: int) -> ShapeRule:
    def rule(site: InferenceContext) -> list[Dims | None]:
        dims = site.dims(0)
        return [(*dims[: len(dims) - rank], *site.value(1))]

    return rule


RULES: dict[str, ShapeRule] = {
    "LSTMBlockCell": _lstm_cell,
    **each("BlockLSTM BlockLSTMV2", _lstm_block),
    "GRUBlockCell": _gru_cell,
    **each("BlockLSTMGrad BlockLSTMGradV2", _lstm_block_grad),
    "LSTMBlockCellGrad": _lstm_cell_grad,
    "GRUBlockCellGrad": _gru_cell_grad,
    **each("CudnnRNN CudnnRNNV2 CudnnRNNV3", _cudnn),
    "RFFT": _real_fft(1),
    "RFFT2D": _real_fft(2),
    "RFFT3D": _real_fft(3),
    "IRFFT": _inverse_real_fft(1),
    "IRFFT2D": _inverse_real_fft(2),
    "IRFFT3D": _inverse_real_fft(3),
}
