"""Fourier transforms along the last axis."""

from __future__ import annotations

from .... import fft
from ....tensor import Tensor
from ...execution import Operator
from ...options import Ints, single


def _rfft(x: Tensor, length: int | Ints) -> Tensor:
    return fft.rfft(x, single(length))


def _irfft(x: Tensor, length: int | Ints) -> Tensor:
    return fft.irfft(x, single(length))


OPERATORS = {
    "FFT": Operator(lambda x: fft.fft(x)),
    "IFFT": Operator(lambda x: fft.ifft(x)),
    "IRFFT": Operator(_irfft, host=("length",)),
    "RFFT": Operator(_rfft, host=("length",)),
}
