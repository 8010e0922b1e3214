"""Operands of functions that are defined for floating dtypes only."""

from __future__ import annotations

from typing import Any

from ..dtypes import float32
from ..errors import DTypeError
from ..tensor import Tensor, asarray, node_behind
from .elementwise import astype


def floating(operation: str, x: Any) -> Tensor:
    """x as a tensor. Raises DTypeError unless its dtype is floating."""
    tensor = asarray(x)
    dtype = node_behind(operation, tensor).spec.dtype
    if dtype.kind != "f":
        raise DTypeError(f'{operation}: dtype {dtype} is not floating; use x.astype("float32")')
    return tensor


def wide(x: Tensor) -> Tensor:
    """x in float32, in which halves add up: float16 ends at 65504 and has 11 bits."""
    return astype(x, float32, copy=False)
