"""Products of vectors and matrices, and diagonals."""

from __future__ import annotations

from .. import functions as F
from ..dtypes import as_dtype
from ..errors import DTypeError, ShapeError
from ..functions.arguments import integer
from ..functions.decorators import named
from ..functions.parts import part_of
from ..ir.node import node_of
from ..ops.views import DIAGONAL
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike
from .batching import MatrixStack
from .solve_ops import identity
from .solvers import inv


@named
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """Cross product of vectors of 3 elements along an axis; the other axes broadcast.

    Args:
        x1: Tensor of an integer, floating or complex dtype.
        x2: Tensor of an integer, floating or complex dtype.
        axis: Negative number of the axis of length 3, counted from the end; -1 by default.

    Returns:
        Tensor of the broadcast shape in the promoted dtype.

    Raises:
        ShapeError: If the axis is out of range or its length is not 3.
        DTypeError: If an operand is bool.

    >>> import py_tensor as pt
    >>> pt.linalg.cross(pt.asarray([1, 0, 0]), pt.asarray([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    a, b = as_tensor("cross", x1), as_tensor("cross", x2)
    if not -min(a.ndim, b.ndim) <= integer("vecdot", "axis", axis) < 0:
        raise ShapeError(
            f"cross: axis out of range; got axis {axis} for shapes {a.shape} and {b.shape}; count "
            "from the end, because operands may have further leading axes"
        )
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ShapeError(
            f"cross: vectors must have 3 elements; got shapes {a.shape} and {b.shape} along axis "
            f"{axis}; pass the axis of length 3"
        )
    multiply = F.multiply
    one = multiply(F.roll(a, -1, axis=axis), F.roll(b, -2, axis=axis))
    return one - multiply(F.roll(a, -2, axis=axis), F.roll(b, -1, axis=axis))


@named
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Outer product: each element of x1 times each element of x2.

    Args:
        x1: Vector of m elements of an integer, floating or complex dtype.
        x2: Vector of n elements of an integer, floating or complex dtype.

    Returns:
        Tensor of shape (m, n) in the promoted dtype.

    Raises:
        ShapeError: If an operand is not a vector.

    >>> import py_tensor as pt
    >>> pt.linalg.outer(pt.asarray([1, 2]), pt.asarray([3, 4])).tolist()
    [[3, 4], [6, 8]]
    """
    a, b = as_tensor("outer", x1), as_tensor("outer", x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ShapeError(
            f"outer: operands must be vectors; got shapes {a.shape} and {b.shape}; use flatten"
        )
    return F.multiply(F.reshape(a, (-1, 1)), b)


@named
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Tensor:
    """Diagonal of each matrix, as a view.

    Args:
        x: Tensor of shape (..., m, n) and any dtype.
        offset: Number of the diagonal: positive ones are above the main one, which is 0 (default).

    Returns:
        Tensor with the diagonal along its last axis, of the dtype of x.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.linalg.diagonal(pt.asarray([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    tensor = as_tensor("diagonal", x)
    if tensor.ndim < 2:
        raise ShapeError(
            f"diagonal: input must be a matrix; got shape {tensor.shape}; use at least two axes"
        )
    offset = integer("diagonal", "offset", offset)
    rows, columns = slice(max(-offset, 0), None), slice(max(offset, 0), None)
    part = tensor[..., rows, columns]
    axes = (tensor.ndim - 2, tensor.ndim - 1)
    return part_of(part, node_of(DIAGONAL, (part._node,), axes))


@named
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """Sum of the diagonal of each matrix.

    Args:
        x: Tensor of shape (..., m, n) and an integer, floating or complex dtype.
        offset: Number of the diagonal: positive ones are above the main one, which is 0 (default).
        dtype: Dtype to convert x to first; None (default) keeps it.

    Returns:
        Tensor of shape (...) in the dtype of x or `dtype`; 32 bits for small integers by default.

    Raises:
        DTypeError: If x is bool.
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.linalg.trace(pt.asarray([[1, 2], [3, 4]])).item()
    5
    """
    tensor = as_tensor("trace", x)
    if tensor.dtype.kind == "b":
        raise DTypeError('trace: dtype bool is not numeric; use x.astype("int32")')
    if dtype is not None:
        tensor = F.astype(tensor, as_dtype(dtype, "trace"))
    total = F.sum(diagonal(tensor, offset=offset), axis=-1)
    return total if dtype is None else F.astype(total, tensor.dtype, copy=False)


_MOST_POWER = 1 << 32
"""Largest exponent of a matrix; it takes two products for each binary digit."""


def matrix_power(x: ArrayLike, n: int, /) -> Tensor:
    """Raise each square matrix to an integer power; negative powers use the inverse.

    Args:
        x: Tensor of shape (..., m, m) and a floating or complex dtype.
        n: Exponent.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.matrix_power(pt.asarray([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    """
    stack = MatrixStack("matrix_power", x, square=True)
    exponent = integer("matrix_power", "n", n, -_MOST_POWER, _MOST_POWER)
    matrices = inv(stack.matrices) if exponent < 0 else stack.matrices
    result: Tensor | None = None
    rest = abs(exponent)
    while rest:
        if rest % 2:
            result = matrices if result is None else F.matmul(result, matrices)
        rest //= 2
        if rest:
            matrices = F.matmul(matrices, matrices)
    if result is None:
        result = identity(matrices)
    return stack.restored(result)
