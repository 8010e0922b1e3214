"""Fourier transforms."""

from __future__ import annotations

from .... import fft
from ....tensor import Tensor
from .shared import Ints, Operator


def rfft_2d(x: Tensor, lengths: Ints) -> Tensor:
    return fft.rfft2(x, s=tuple(lengths))


OPERATORS = {"RFFT2D": Operator(rfft_2d, host=("lengths",))}
