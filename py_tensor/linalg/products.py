"""Products of vectors and matrices, and diagonals."""

from __future__ import annotations

from operator import index
from typing import Any

from ..dtypes import as_dtype
from ..errors import DTypeError, ShapeError
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.elementwise import astype
from ..functions.linear_algebra import matmul, tensordot, vecdot
from ..functions.manipulation import matrix_transpose, reshape
from ..functions.naming import named
from ..functions.repetition import roll
from ..functions.statistical import PUBLIC as STATISTICAL
from ..ops.views import DIAGONAL
from ..tensor import Tensor, apply, as_tensor
from .solving import inv
from .stacks import Stack
from .systems import identity

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_power",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]


@named
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """The cross products of vectors of 3 elements along an axis; the others broadcast.

    Numeric dtypes. `axis` is negative, as both may have other axes in front. Raises ShapeError
    for other lengths.

    >>> import py_tensor as pt
    >>> pt.linalg.cross(pt.asarray([1, 0, 0]), pt.asarray([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    a, b = as_tensor("cross", x1), as_tensor("cross", x2)
    if not -min(a.ndim, b.ndim) <= index(axis) < 0:
        raise ShapeError(
            f"cross: axis out of range; got axis {axis} for shapes {a.shape} and {b.shape}; "
            "count from the end, as both may have other axes in front"
        )
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ShapeError(
            f"cross: vectors are not of 3 elements; got shapes {a.shape} and {b.shape} along axis "
            f"{axis}; name the axis of length 3"
        )
    multiply = ELEMENTWISE["multiply"]
    one = multiply(roll(a, -1, axis=axis), roll(b, -2, axis=axis))
    return one - multiply(roll(a, -2, axis=axis), roll(b, -1, axis=axis))


@named
def outer(x1: Any, x2: Any, /) -> Tensor:
    """Each element of x1 times each of x2: (m, n) for vectors of lengths m and n.

    Numeric dtypes. Raises ShapeError for tensors that are not vectors.

    >>> import py_tensor as pt
    >>> pt.linalg.outer(pt.asarray([1, 2]), pt.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    a, b = as_tensor("outer", x1), as_tensor("outer", x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ShapeError(
            f"outer: operands are not vectors; got shapes {a.shape} and {b.shape}; use flatten"
        )
    return ELEMENTWISE["multiply"](reshape(a, (-1, 1)), b)


def diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """The diagonal of each matrix `offset` places right of the main one, along a last axis.

    Any dtype; a view. Raises ShapeError for fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.linalg.diagonal(pt.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    tensor = as_tensor("diagonal", x)
    if tensor.ndim < 2:
        raise ShapeError(f"diagonal: no matrix; got shape {tensor.shape}; give at least two axes")
    rows, columns = slice(max(-offset, 0), None), slice(max(offset, 0), None)
    part = tensor[..., rows, columns]
    return apply(DIAGONAL, (part,), (tensor.ndim - 2, tensor.ndim - 1))


@named
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sum of each matrix's diagonal `offset` places right of the main one.

    Numeric dtypes; small integers add up in 32 bits, unless `dtype` says otherwise.

    >>> import py_tensor as pt
    >>> pt.linalg.trace(pt.asarray([[1, 2], [3, 4]])).item()
    5
    """
    tensor = as_tensor("trace", x)
    if tensor.dtype.kind == "b":
        raise DTypeError('trace: dtype bool is not numeric; use x.astype("int32")')
    if dtype is not None:
        tensor = astype(tensor, as_dtype(dtype, "trace"))
    total = STATISTICAL["sum"](diagonal(tensor, offset=offset), axis=-1)
    return total if dtype is None else astype(total, tensor.dtype, copy=False)


def matrix_power(x: Any, n: int, /) -> Tensor:
    """Each square matrix multiplied by itself, n factors in all; of its inverse for negative n.

    `x` has shape (..., m, m) and a floating dtype. Raises ShapeError for matrices that are not
    square.

    >>> import py_tensor as pt
    >>> pt.linalg.matrix_power(pt.asarray([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    """
    stack = Stack("matrix_power", x, square=True)
    exponent = index(n)
    matrices = inv(stack.matrices) if exponent < 0 else stack.matrices
    result: Tensor | None = None
    rest = abs(exponent)
    while rest:
        if rest % 2:
            result = matrices if result is None else matmul(result, matrices)
        rest //= 2
        if rest:
            matrices = matmul(matrices, matrices)
    if result is None:
        result = identity(matrices)
    return stack.restored(result)
