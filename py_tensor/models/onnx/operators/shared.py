"""Names that the modules of operators share."""

from __future__ import annotations

from ....dtypes import DType
from ...execution import Operator
from ...options import Ints, single, unsupported
from ..narrow_floats import BITS as NARROW_FLOATS, narrowed
from ..reader import NARROW_INTEGERS, dtype_of

__all__ = [
    "NARROW_FLOATS",
    "NARROW_INTEGERS",
    "Ints",
    "Operator",
    "dtype_of",
    "dtype_or",
    "narrowed",
    "single",
    "unsupported",
]


def dtype_or(default: DType, number: int | None) -> DType:
    """Return the dtype of ONNX's number, or the default if there is none."""
    return default if number is None else dtype_of(number)
