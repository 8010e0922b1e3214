"""Fourier transforms along the last axis."""

from __future__ import annotations

import py_tensor as pt

from ....tensor import Tensor
from ...execution import Operator
from ...options import Ints, single


def fft(x: Tensor) -> Tensor:
    return pt.fft.fft(x)


def ifft(x: Tensor) -> Tensor:
    return pt.fft.ifft(x)


def rfft(x: Tensor, length: int | Ints) -> Tensor:
    return pt.fft.rfft(x, single(length))


def irfft(x: Tensor, length: int | Ints) -> Tensor:
    return pt.fft.irfft(x, single(length))


OPERATORS = {
    "FFT": Operator(fft),
    "IFFT": Operator(ifft),
    "IRFFT": Operator(irfft, host=("length",)),
    "RFFT": Operator(rfft, host=("length",)),
}
