"""`py_tensor.lib`, under NumPy's name."""

from . import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
