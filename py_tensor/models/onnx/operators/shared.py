"""Names that the modules of operators share."""

from __future__ import annotations

from ....dtypes import DType
from ...execution import Operator
from ...options import Ints, single, unsupported
from ..reader import dtype_of

__all__ = ["NARROW_INTEGERS", "Ints", "Operator", "dtype_of", "dtype_or", "single", "unsupported"]

NARROW_INTEGERS = {21: (4, 0), 22: (4, -8), 25: (2, 0), 26: (2, -2)}
"""Bits and least number of ONNX's dtypes of integers of less than 8 bits."""


def dtype_or(default: DType, number: int | None) -> DType:
    """Return the dtype of ONNX's number, or the default if there is none."""
    return default if number is None else dtype_of(number)
