"""Stacks of matrices as users give them, as batches in single precision."""

from __future__ import annotations

import math
from typing import Any

from ..dtypes import DType, complex64, float32
from ..errors import DTypeError, ShapeError
from ..functions.elementwise import astype
from ..functions.manipulation import reshape
from ..ops.rows import Shape
from ..tensor import Tensor, as_tensor, node_behind

EPSILON = 2.0**-23
"""Distance from 1 to the next float32."""


def floating(operation: str, x: Any) -> Tensor:
    """The tensor. Raises DTypeError for others than floating ones, real or complex."""
    tensor = as_tensor(operation, x)
    dtype = node_behind(operation, tensor).spec.dtype
    if dtype.kind not in "fc":
        raise DTypeError(f'{operation}: dtype {dtype} is not floating; use x.astype("float32")')
    return tensor


def wide(x: Tensor) -> Tensor:
    """The tensor in float32 or complex64."""
    return astype(x, complex64 if x.dtype.kind == "c" else float32, copy=False)


class Stack:
    """Matrices (batch, rows, columns), and the leading axes and dtype they had."""

    def __init__(self, operation: str, x: Any, *, square: bool = False) -> None:
        tensor = floating(operation, x)
        shape = tensor.shape
        if len(shape) < 2:
            raise ShapeError(f"{operation}: no matrix; got shape {shape}; give at least two axes")
        if square and shape[-1] != shape[-2]:
            raise ShapeError(
                f"{operation}: matrices are not square; got shape {shape}; "
                "make the last two axes equal"
            )
        self.leading: Shape = shape[:-2]
        self.dtype: DType = tensor.dtype
        self.matrices = reshape(wide(tensor), (math.prod(self.leading), *shape[-2:]))

    def restored(self, result: Tensor, *, real: bool = False) -> Tensor:
        """A result for each matrix, in the stack's leading axes, and its dtype or a real one."""
        result = reshape(result, (*self.leading, *result.shape[1:]))
        dtype = float32 if real and self.dtype.kind == "c" else self.dtype
        return astype(result, dtype, copy=False)
