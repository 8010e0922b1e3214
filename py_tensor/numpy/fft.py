"""`py_tensor.fft`, under NumPy's name."""

from ..fft import *
from ..fft import __all__ as __all__
