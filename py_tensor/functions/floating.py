"""Operands of functions that are defined for floating dtypes only."""

from __future__ import annotations

from typing import Any

from ..dtypes import float32
from ..errors import DTypeError
from ..tensor import Tensor, as_tensor, node_behind
from .elementwise import astype


def floating(operation: str, x: Any, kinds: str = "f") -> Tensor:
    """x as a tensor. Raises DTypeError unless its dtype is floating, or of one of the kinds."""
    tensor = as_tensor(operation, x)
    dtype = node_behind(operation, tensor).spec.dtype
    if dtype.kind not in kinds:
        raise DTypeError(f'{operation}: dtype {dtype} is not floating; use x.astype("float32")')
    return tensor


def wide(x: Tensor) -> Tensor:
    """x in float32, in which halves add up: float16 ends at 65504 and has 11 bits.

    Complex numbers are of float32 already.
    """
    return x if x.dtype.kind == "c" else astype(x, float32, copy=False)
