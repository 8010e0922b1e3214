"""Fourier transforms: the array API standard's `fft` extension.

Input: real or complex tensors. Output: complex64 tensors, or float32 from `irfft` and `hfft`. Any
length is transformed in O(n log n) operations; docs/complex_and_fft.md describes the algorithms and
their accuracy. Read `public`, `reals`, `transforms`, `lengths`, then `frequencies`.
"""

from typing import TYPE_CHECKING

from ..late import import_names

if TYPE_CHECKING:
    from .frequencies import *
    from .planes import *
    from .public import *

_NAMES = {
    "frequencies": "fftfreq fftshift ifftshift rfftfreq",
    "planes": "fft2 ifft2 irfft2 rfft2",
    "public": "fft fftn hfft ifft ifftn ihfft irfft irfftn rfft rfftn",
}
"""Names by module, separated by spaces."""
__all__ = import_names(__name__, _NAMES)
