"""`py_tensor.lib.stride_tricks`, under NumPy's name."""

from ...lib.stride_tricks import as_strided, sliding_window_view

__all__ = ["as_strided", "sliding_window_view"]
