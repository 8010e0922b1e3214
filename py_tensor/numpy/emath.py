"""Functions that give complex numbers where real ones have no result, under NumPy's name `emath`.

Operands are read back, since the dtype of the result depends on them.

>>> import py_tensor.numpy as np
>>> np.emath.sqrt(-4.0).item(), np.emath.sqrt(4.0).item()
(2j, 2.0)
"""

from __future__ import annotations

from .. import functions as F
from ..functions.arguments import converted
from ..tensor import Tensor
from ..typing import ArrayLike

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]


def _fitting(operation: str, x: ArrayLike, low: float, high: float = float("inf")) -> Tensor:
    """Return an operand, as complex numbers if an element is outside of the limits."""
    tensor = converted(operation, x, "fc")
    if tensor.dtype.kind == "c" or not bool(F.any((tensor < low) | (tensor > high))):
        return tensor
    return F.astype(tensor, "complex64")


def sqrt(x: ArrayLike) -> Tensor:
    """Return square roots, which are complex if an element is negative."""
    return F.sqrt(_fitting("sqrt", x, 0.0))


def log(x: ArrayLike) -> Tensor:
    """Return natural logarithms, which are complex if an element is negative."""
    return F.log(_fitting("log", x, 0.0))


def log2(x: ArrayLike) -> Tensor:
    """Return logarithms to base 2, which are complex if an element is negative."""
    return F.log2(_fitting("log2", x, 0.0))


def log10(x: ArrayLike) -> Tensor:
    """Return logarithms to base 10, which are complex if an element is negative."""
    return F.log10(_fitting("log10", x, 0.0))


def logn(n: ArrayLike, x: ArrayLike) -> Tensor:
    """Return logarithms of x to base n."""
    return log(x) / log(n)


def power(x: ArrayLike, p: ArrayLike) -> Tensor:
    """Return powers, which are complex if an element of x is negative."""
    return F.pow(_fitting("power", x, 0.0), p)


def arccos(x: ArrayLike) -> Tensor:
    """Return inverse cosines, which are complex if an element is outside of -1 to 1."""
    return F.acos(_fitting("arccos", x, -1.0, 1.0))


def arcsin(x: ArrayLike) -> Tensor:
    """Return inverse sines, which are complex if an element is outside of -1 to 1."""
    return F.asin(_fitting("arcsin", x, -1.0, 1.0))


def arctanh(x: ArrayLike) -> Tensor:
    """Return inverse hyperbolic tangents, complex if an element is outside of -1 to 1."""
    return F.atanh(_fitting("arctanh", x, -1.0, 1.0))
