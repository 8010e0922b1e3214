"""`stride_tricks`, under the name that it has in NumPy."""

from . import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
