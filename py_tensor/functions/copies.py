"""Copies of tensors for Python's `copy` and `pickle`: of values, never of textures' handles."""

from __future__ import annotations

from typing import Any

from ..dtypes import as_dtype
from ..ops.op_def import Shape
from ..tensor import Tensor, from_host
from .conversion import copy


def deep_copy(x: Tensor, memo: dict[int, Any]) -> Tensor:
    """Return a tensor of its own; the value is shared until one of them changes in place."""
    return copy(x)


def reduced(x: Tensor) -> tuple[Any, ...]:
    """Return a function and its arguments that restore x from bytes; reads the values."""
    data = x._bytes("pickle")
    return restored, (bytes(data), x.shape, x.dtype.name)


def restored(data: bytes, shape: Shape, dtype: str) -> Tensor:
    """Make a tensor of the backend in use from pickled bytes."""
    return from_host(data, shape, as_dtype(dtype, "pickle"), "pickle")
