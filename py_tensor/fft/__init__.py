"""Fourier transforms: the array API standard's `fft` extension.

Any length is transformed in O(n log n) operations; see docs/complex_and_fft.md for how, and how
exactly.
"""

from __future__ import annotations

from .frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from .public import (
    fft,
    fftn,
    hfft,
    ifft,
    ifftn,
    ihfft,
    irfft,
    irfftn,
    rfft,
    rfftn,
)

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
