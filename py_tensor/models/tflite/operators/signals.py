"""Fourier transforms."""

from __future__ import annotations

from .... import fft
from .shared import Operator

OPERATORS = {"RFFT2D": Operator(fft.rfft2, host=("s",))}
