"""Fourier transforms; ONNX keeps the parts of complex numbers along a last axis."""

from __future__ import annotations

import py_tensor as pt


def parts(numbers):
    return pt.stack([pt.real(numbers), pt.imag(numbers)], axis=-1)


def dft(x, length=None, at=None, *, axis=-2, inverse=0, onesided=0):
    along = axis if at is None else at.item()
    # The axis of the parts goes away.
    along = along % x.ndim
    n = None if length is None else length.item()
    values = x[..., 0] if x.shape[-1] == 1 else pt.complex(x[..., 0], x[..., 1])
    if onesided and inverse:
        return pt.expand_dims(pt.fft.irfft(values, n=n, axis=along), axis=-1)
    if onesided:
        return parts(pt.fft.rfft(values, n=n, axis=along))
    return parts((pt.fft.ifft if inverse else pt.fft.fft)(values, n=n, axis=along))


def stft(signal, step, window=None, length=None, *, onesided=1):
    size = window.shape[0] if length is None else length.item()
    starts = pt.arange(0, signal.shape[1] - size + 1, step.item())
    frames = pt.take(signal[..., 0], starts.reshape((-1, 1)) + pt.arange(size), axis=1)
    frames = frames if window is None else frames * window
    return parts((pt.fft.rfft if onesided else pt.fft.fft)(frames, axis=-1))


OPERATORS = {"DFT": dft, "STFT": stft}
