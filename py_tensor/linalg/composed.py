"""Functions of NumPy's linalg that are composed of the standard's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from ..dtypes import wrong_type
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import integer, items, one_axis, some_axes
from ..functions.decorators import named, remembered_without_gradients
from ..functions.linear_algebra import matmul
from ..functions.manipulation import expand_dims, flatten, moveaxis, permute_dims, reshape
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, Axis
from .batching import floating
from .norms import matrix_norm, vector_norm
from .solvers import inv, solve


@remembered_without_gradients
def norm(
    x: ArrayLike, ord: float | str | None = None, axis: Axis = None, keepdims: bool = False
) -> Tensor:
    """Norm of vectors or matrices.

    Args:
        x: Tensor or array-like.
        ord: As for `vector_norm` and `matrix_norm`; None (default) for the root of the sum of
            squares.
        axis: Axis of vectors, or two axes of matrices; None (default) for all elements, which are
            a vector if `ord` is None.
        keepdims: Keep the axes with length 1; False by default.

    Returns:
        Tensor of the shape of x without the axes; float32 for integers.

    Raises:
        ShapeError: If there are more than two axes.
        ArgumentError: If `ord` is unknown.

    >>> import py_tensor as pt
    >>> pt.linalg.norm([[3, 0], [0, 4]]).item()
    5.0
    """
    x = floating("norm", x)
    if ord is None:
        return vector_norm(x, axis=axis, keepdims=keepdims)
    if axis is None:
        axes = some_axes("norm", axis, x.ndim)
    else:
        several = axis if isinstance(axis, Sequence) else (axis,)
        axes = tuple(one_axis("norm", number, x.ndim) for number in several)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=cast("float", ord))
    if len(axes) != 2:
        raise ShapeError(f"norm: needs one or two axes; got shape {x.shape}; give axis")
    if not isinstance(ord, str | int | float | None):
        raise wrong_type("norm", "ord", "a number or a name", ord)
    if ord == 0:
        raise ArgumentError("norm: ord is unknown for matrices; got 0; use 1, 2, 'fro' or 'nuc'")
    norms = matrix_norm(moveaxis(x, axes, (-2, -1)), ord=ord)
    return expand_dims(norms, axis=axes) if keepdims else norms


@named
def multi_dot(arrays: Sequence[ArrayLike]) -> Tensor:
    """Product of several matrices in the order that needs the fewest multiplications.

    Args:
        arrays: Two or more matrices; the first and the last may be vectors.

    Returns:
        Tensor in the promoted dtype.

    Raises:
        ArgumentError: If there are fewer than two matrices.
        ShapeError: If the lengths differ.

    >>> import py_tensor as pt
    >>> pt.linalg.multi_dot([pt.ones((2, 3)), pt.ones((3, 4)), pt.ones(4)]).tolist()
    [12.0, 12.0]
    """
    tensors = [as_tensor("multi_dot", x) for x in items("multi_dot", "arrays", arrays)]
    if len(tensors) < 2:
        raise ArgumentError(f"multi_dot: too few matrices; got {len(tensors)}; give two or more")
    first, last = tensors[0].ndim == 1, tensors[-1].ndim == 1
    tensors[0] = expand_dims(tensors[0], axis=0) if first else tensors[0]
    tensors[-1] = expand_dims(tensors[-1], axis=1) if last else tensors[-1]
    for x in tensors:
        if x.ndim != 2:
            raise ShapeError(f"multi_dot: needs matrices; got shape {x.shape}; reshape it first")
    lengths = [tensors[0].shape[0], *(x.shape[1] for x in tensors)]
    # Costs and best splits of the products of tensors i to j.
    best: dict[tuple[int, int], tuple[int, int]] = {(i, i): (0, i) for i in range(len(tensors))}
    for width in range(1, len(tensors)):
        for i in range(len(tensors) - width):
            j = i + width
            outer = lengths[i] * lengths[j + 1]
            best[i, j] = min(
                (best[i, k][0] + best[k + 1, j][0] + outer * lengths[k + 1], k) for k in range(i, j)
            )

    def product(i: int, j: int) -> Tensor:
        k = best[i, j][1]
        return tensors[i] if i == j else matmul(product(i, k), product(k + 1, j))

    result = product(0, len(tensors) - 1)
    rows, columns = result.shape
    return reshape(result, (() if first else (rows,)) + (() if last else (columns,)))


@named
def tensorinv(a: ArrayLike, ind: int = 2) -> Tensor:
    """Inverse of a under `tensordot(a, b, ind)`.

    Args:
        a: Tensor whose first `ind` lengths have the same product as the others.
        ind: Number of first axes; 2 by default.

    Returns:
        Tensor of the shape of a with both groups of axes exchanged.

    Raises:
        ShapeError: If the products differ, or `ind` is below 1.

    >>> import py_tensor as pt
    >>> pt.linalg.tensorinv(pt.reshape(2.0 * pt.eye(4), (4, 2, 2)), ind=1).shape
    (2, 2, 4)
    """
    x = floating("tensorinv", a)
    ind = integer("tensorinv", "ind", ind)
    if ind < 1:
        raise ShapeError(f"tensorinv: number of axes does not fit; got {ind}; use 1 or more")
    rows, columns = x.shape[:ind], x.shape[ind:]
    return reshape(inv(reshape(x, (math.prod(rows), math.prod(columns)))), (*columns, *rows))


@named
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Tensor:
    """Solution x of tensordot(a, x, x.ndim) = b.

    Args:
        a: Tensor of shape b.shape + x.shape, with as many elements in b as in x.
        b: Right-hand side.
        axes: Axes of a to move to its end first; None (default) for none.

    Returns:
        Tensor x.

    Raises:
        ShapeError: If the sizes do not fit.

    >>> import py_tensor as pt
    >>> a = pt.reshape(2.0 * pt.eye(4), (4, 2, 2))
    >>> pt.linalg.tensorsolve(a, [2.0, 4.0, 6.0, 8.0]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    x, right = floating("tensorsolve", a), floating("tensorsolve", b)
    if axes is not None:
        moved = [
            one_axis("tensorsolve", axis, x.ndim) for axis in items("tensorsolve", "axes", axes)
        ]
        x = permute_dims(x, [axis for axis in range(x.ndim) if axis not in moved] + moved)
    shape = x.shape[right.ndim :]
    size = math.prod(shape)
    if size != right.size:
        raise ShapeError(f"tensorsolve: sizes do not fit; got {x.shape} and {right.shape}")
    return reshape(solve(reshape(x, (size, size)), flatten(right)), shape)
