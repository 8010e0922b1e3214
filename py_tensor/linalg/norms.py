"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from ..dtypes import wrong_type
from ..errors import ArgumentError
from ..functions import elementwise, statistical
from ..functions.arguments import flag, number, some_axes
from ..functions.decorators import remembered_without_gradients
from ..functions.elementwise import astype, isnan, sqrt, where
from ..functions.manipulation import expand_dims
from ..tensor import Tensor
from ..typing import ArrayLike, Axis
from .batching import MatrixStack, floating, wide
from .factors import svdvals
from .solvers import inv

_SINGULAR: dict[float | str, Callable[..., Tensor]] = {
    "nuc": statistical.sum,
    2: statistical.max,
    -2: statistical.min,
}
"""Reduction of the singular values for each `ord`."""
_SUMS: dict[float | str, tuple[Callable[..., Tensor], int]] = {
    1: (statistical.max, -2),
    -1: (statistical.min, -2),
    math.inf: (statistical.max, -1),
    -math.inf: (statistical.min, -1),
}
"""Reduction of the sums of absolute values, and the axis of the sums, for each `ord`."""


@remembered_without_gradients
def vector_norm(
    x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """Norm of all elements, or of the vectors along axes.

    Args:
        x: Tensor of a floating or complex dtype.
        axis: Axis or tuple of axes; None (default) for all elements.
        keepdims: Keep reduced axes with length 1; False by default.
        ord: 2 (default) for the Euclidean norm; p for (sum of |x|**p)**(1 / p); infinity for the
            largest absolute value, -infinity for the smallest; 0 for the number of non-zero
            elements.

    Returns:
        Tensor of the shape of x without the axes and of the dtype of x; float32 for complex x.

    Raises:
        ShapeError: If an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.linalg.vector_norm(pt.asarray([3.0, 4.0])).item()
    5.0
    """
    tensor = floating("vector_norm", x)
    axes = some_axes("vector_norm", axis, tensor.ndim)
    size = elementwise.abs(wide(tensor))
    keepdims = flag("vector_norm", "keepdims", keepdims)
    total = partial(statistical.sum, axis=axes, keepdims=keepdims)
    ord = number("vector_norm", "ord", ord)
    if ord in (math.inf, -math.inf):
        if ord > 0 and any(tensor.shape[a] == 0 for a in axes):
            result = total(size)
        else:
            extreme = statistical.max if ord > 0 else statistical.min
            result = extreme(size, axis=axes, keepdims=keepdims)
    elif ord == 0:
        result = total(astype(size != 0.0, size.dtype))
    elif ord == 1:
        result = total(size)
    elif ord == 2:
        result = sqrt(total(size * size))
    else:
        result = total(size ** float(ord)) ** (1.0 / ord)
    return astype(result, size.dtype if tensor.dtype.kind == "c" else tensor.dtype, copy=False)


@remembered_without_gradients
def matrix_norm(
    x: ArrayLike, /, *, keepdims: bool = False, ord: float | str | None = "fro"
) -> Tensor:
    """Norm of each matrix.

    Args:
        x: Tensor of shape (..., m, n) and a floating or complex dtype.
        keepdims: Keep the last two axes with length 1; False by default.
        ord: "fro" (default) for the root of the sum of squares; "nuc" for the sum of singular
            values; 2 and -2 for the largest and the smallest of them; 1 and -1 for the largest and
            the smallest sum of absolute values of a column; infinity and -infinity for those of a
            row.

    Returns:
        Tensor of shape (...) and the dtype of x; float32 for complex x.

    Raises:
        ArgumentError: If `ord` is unknown.
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.linalg.matrix_norm(pt.asarray([[3.0, 0.0], [0.0, -4.0]]), ord="fro").item()
    5.0
    """
    stack = MatrixStack("matrix_norm", x)
    empty = 0 in stack.matrices.shape[1:]
    if not isinstance(ord, str | int | float | None):
        raise wrong_type("matrix_norm", "ord", "a number or a name", ord)
    if ord == "fro" or ord is None:
        result = vector_norm(stack.matrices, axis=(-2, -1))
    elif ord in _SINGULAR:
        reduce = statistical.sum if empty and ord != -2 else _SINGULAR[ord]
        result = reduce(svdvals(stack.matrices), axis=-1)
    elif ord in _SUMS:
        reduce, axis = _SUMS[ord]
        sums = statistical.sum(elementwise.abs(stack.matrices), axis=axis)
        if sums.shape[-1] == 0 and reduce is statistical.max:
            reduce = statistical.sum
        result = reduce(sums, axis=-1)
    else:
        raise ArgumentError(
            f'matrix_norm: unknown ord; got {ord!r}; use "fro", "nuc", 1, -1, 2, -2, '
            "float('inf') or -float('inf')"
        )
    result = stack.restored(result, real=True)
    return (
        expand_dims(expand_dims(result, axis=-1), axis=-1)
        if flag("matrix_norm", "keepdims", keepdims)
        else result
    )


@remembered_without_gradients
def cond(x: ArrayLike, /, p: float | str | None = None) -> Tensor:
    """Condition number of each matrix: the norm times the norm of the inverse.

    Args:
        x: Tensor of shape (..., m, n), square for most `p`, and of a floating or complex dtype.
        p: An `ord` of `matrix_norm`; None (default) for 2, the quotient of the largest and the
            smallest singular value, which is also defined for matrices that are not square.

    Returns:
        Tensor of shape (...) and the dtype of x (float32 for complex x); infinite for singular
        matrices.

    Raises:
        ArgumentError: If `p` is unknown.
        ShapeError: If the matrices are not square and `p` needs the inverse.

    >>> import py_tensor as pt
    >>> round(pt.linalg.cond(pt.asarray([[4.0, 0.0], [0.0, 2.0]])).item(), 4)
    2.0
    """
    stack = MatrixStack("cond", x)
    if not isinstance(p, str | int | float | None):
        raise wrong_type("cond", "p", "a number or a name", p)
    if p is None or p == 2 or p == -2:
        values = svdvals(stack.matrices)
        largest, smallest = values[:, 0], values[:, -1]
        result = smallest / largest if p == -2 else largest / smallest
    else:
        result = matrix_norm(stack.matrices, ord=p) * matrix_norm(inv(stack.matrices), ord=p)
        # A singular matrix has NaN for its inverse.
        result = where(isnan(result), math.inf, result)
    return stack.restored(result, real=True)
