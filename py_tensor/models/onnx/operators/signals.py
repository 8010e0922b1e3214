"""Fourier transforms; ONNX stores the parts of complex numbers along a last axis."""

from __future__ import annotations

import math
from collections.abc import Callable

from .... import fft, functions as F
from ....tensor import Tensor
from .shared import LARGEST, Ints, Operator, dtype_of, single, unsupported


def parts(numbers: Tensor) -> Tensor:
    return F.stack([F.real(numbers), F.imag(numbers)], axis=-1)


def dft(
    x: Tensor,
    length: int | Ints | None = None,
    at: int | Ints | None = None,
    *,
    opset: int,
    axis: int | None = None,
    inverse: int = 0,
    onesided: int = 0,
) -> Tensor:
    if axis is None:
        axis = 1 if opset < 20 else -2
    along = axis if at is None else single(at)
    # The axis of the parts is removed.
    along = along % x.ndim
    n = None if length is None else single(length)
    values = x[..., 0] if x.shape[-1] == 1 else F.complex(x[..., 0], x[..., 1])
    if onesided and inverse:
        return F.expand_dims(fft.irfft(values, n=n, axis=along), axis=-1)
    if onesided:
        return parts(fft.rfft(values, n=n, axis=along))
    return parts((fft.ifft if inverse else fft.fft)(values, n=n, axis=along))


def stft(
    signal: Tensor,
    step: int | Ints,
    window: Tensor | None = None,
    length: int | Ints | None = None,
    *,
    onesided: int = 1,
) -> Tensor:
    if length is not None:
        size = single(length)
    elif window is not None:
        size = window.shape[0]
    else:
        raise ValueError("neither a window nor a length of frames is given")
    starts = F.arange(0, signal.shape[1] - size + 1, single(step))
    frames = F.take(signal[..., 0], starts.reshape((-1, 1)) + F.arange(size), axis=1)
    frames = frames if window is None else frames * window
    return parts((fft.rfft if onesided else fft.fft)(frames, axis=-1))


def window(
    *weights: float,
) -> Callable[..., Tensor]:
    """Return a window function: a sum of cosines, with weights of alternating sign."""

    def run(size: int | Ints, *, output_datatype: int = 1, periodic: int = 1) -> Tensor:
        n = single(size)
        if not 0 <= n <= LARGEST:
            raise unsupported(f"a window of {n} elements")
        turn = 2 * math.pi / max(1, n if periodic else n - 1)
        numbers = [
            sum((-1) ** k * weight * math.cos(k * at * turn) for k, weight in enumerate(weights))
            for at in range(n)
        ]
        return F.asarray(numbers, dtype=dtype_of(output_datatype))

    return run


def mel_weights(
    bands: int | Ints,
    length: int | Ints,
    rate: int | Ints,
    low: float | list[float],
    high: float | list[float],
    *,
    output_datatype: int = 1,
) -> Tensor:
    """Return weights of frequencies for bands of equal width on the mel scale."""
    bands, length, rate = single(bands), single(length), single(rate)
    ends = [value[0] if isinstance(value, list) else value for value in (low, high)]
    rows = length // 2 + 1
    if not (0 < bands <= LARGEST and 0 < rows <= LARGEST and rate > 0):
        raise unsupported(f"MelWeightMatrix of {bands} bands and {rows} frequencies")
    first, last = (2595 * math.log10(1 + end / 700) for end in ends)
    edges = [
        int((length + 1) * 700 * (10 ** ((first + at * (last - first) / (bands + 2)) / 2595) - 1))
        // rate
        for at in range(bands + 2)
    ]
    columns = [
        [_triangle(row, *edges[band : band + 3]) for band in range(bands)] for row in range(rows)
    ]
    return F.asarray(columns, dtype=dtype_of(output_datatype))


def _triangle(at: int, left: int, center: int, right: int) -> float:
    """Return the height at a place of a triangle of height 1."""
    if center <= at < right:
        return (right - at) / (right - center)
    if at == center and left == center:
        return 1.0
    return (at - left) / (center - left) if left <= at <= center and left < center else 0.0


OPERATORS = {
    "BlackmanWindow": Operator(window(0.42, 0.5, 0.08), host=("size",)),
    "HammingWindow": Operator(window(25 / 46, 21 / 46), host=("size",)),
    "HannWindow": Operator(window(0.5, 0.5), host=("size",)),
    "MelWeightMatrix": Operator(mel_weights, host=("bands", "length", "rate", "low", "high")),
    "DFT": Operator(dft, host=("length", "at")),
    "STFT": Operator(stft, host=("step", "length")),
}
