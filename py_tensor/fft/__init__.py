"""Fourier transforms: the array API standard's `fft` extension.

Input: real or complex tensors. Output: complex64 tensors, or float32 from `irfft` and `hfft`. Any
length is transformed in O(n log n) operations; docs/complex_and_fft.md describes the algorithms and
their accuracy. Read `public`, `reals`, `transforms`, `lengths`, then `frequencies`.
"""

from __future__ import annotations

from .frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from .planes import fft2, ifft2, irfft2, rfft2
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
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
