"""Convert stacks of matrices to batches in single precision, and back."""

from __future__ import annotations

import math

from ..dtypes import DType, complex64, float32
from ..errors import ShapeError
from ..functions.elementwise import astype
from ..functions.manipulation import reshape
from ..ops.op_def import Shape
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike

EPSILON = 2.0**-23
"""Distance from 1 to the next float32."""


def floating(operation: str, x: ArrayLike) -> Tensor:
    """Convert an argument to a Tensor; integers and bool become float32."""
    tensor = as_tensor(operation, x)
    kind = node_behind(operation, tensor).spec.dtype.kind
    return tensor if kind in "fc" else astype(tensor, float32)


def wide(x: Tensor) -> Tensor:
    """Convert a tensor to float32 or complex64; float64 is kept."""
    if x.dtype.kind == "f" and x.dtype.itemsize > 4:
        return x
    return astype(x, complex64 if x.dtype.kind == "c" else float32, copy=False)


class MatrixStack:
    """Matrices of shape (batch, rows, columns), with their original leading axes and dtype."""

    def __init__(self, operation: str, x: ArrayLike, *, square: bool = False) -> None:
        tensor = floating(operation, x)
        shape = tensor.shape
        if len(shape) < 2:
            raise ShapeError(
                f"{operation}: input must be a matrix; got shape {shape}; use at least two axes"
            )
        if square and shape[-1] != shape[-2]:
            raise ShapeError(
                f"{operation}: matrices must be square; got shape {shape}; make the last two axes "
                "equally long"
            )
        self.leading: Shape = shape[:-2]
        self.dtype: DType = tensor.dtype
        self.matrices = reshape(wide(tensor), (math.prod(self.leading), *shape[-2:]))

    def restored_shape(self) -> Tensor:
        """Return the matrices with their leading axes, in single precision."""
        return reshape(self.matrices, (*self.leading, *self.matrices.shape[1:]))

    def restored(self, result: Tensor, *, real: bool = False) -> Tensor:
        """Restore the leading axes and the dtype of one result per matrix.

        If `real` is True, results for complex matrices are float32.
        """
        result = reshape(result, (*self.leading, *result.shape[1:]))
        dtype = float32 if real and self.dtype.kind == "c" else self.dtype
        return astype(result, dtype, copy=False)
