"""`py_tensor.lib.stride_tricks`, under NumPy's name."""

from ...lib.stride_tricks import sliding_window_view

__all__ = ["sliding_window_view"]
