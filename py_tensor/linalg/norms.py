"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

from ..errors import ArgumentError
from ..functions.axes import some_axes
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.elementwise import astype
from ..functions.manipulation import expand_dims
from ..functions.naming import named
from ..functions.statistical import PUBLIC as STATISTICAL
from ..tensor import Tensor
from .factors import svdvals
from .solving import inv
from .stacks import Stack, floating, wide

_SINGULAR = {"nuc": "sum", 2: "max", -2: "min"}
"""What of the singular values a norm is."""
_SUMS = {1: ("max", -2), -1: ("min", -2), math.inf: ("max", -1), -math.inf: ("min", -1)}
"""Which of the sums of absolute values, along which axis, a norm is."""


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The norm of all elements, or of the vectors along an axis or several.

    `ord` is 2 for the Euclidean norm, any other p for the sum of |x|**p, to the power of 1 / p,
    infinity for the largest size, -infinity for the smallest, 0 for the number of elements that
    are not zero. Floating dtypes.

    >>> import py_tensor as pt
    >>> pt.linalg.vector_norm(pt.asarray([3.0, 4.0])).item()
    5.0
    """
    tensor = floating("vector_norm", x)
    axes = some_axes("vector_norm", axis, tensor.ndim)
    size = ELEMENTWISE["abs"](wide(tensor))
    total = STATISTICAL["sum"]
    given = {"axis": axes, "keepdims": keepdims}
    if ord in (math.inf, -math.inf):
        if ord > 0 and any(tensor.shape[a] == 0 for a in axes):
            result = total(size, **given)
        else:
            result = STATISTICAL["max" if ord > 0 else "min"](size, **given)
    elif ord == 0:
        result = total(astype(size != 0.0, size.dtype), **given)
    elif ord == 1:
        result = total(size, **given)
    elif ord == 2:
        result = ELEMENTWISE["sqrt"](total(size * size, **given))
    else:
        result = total(size ** float(ord), **given) ** (1.0 / ord)
    return astype(result, size.dtype if tensor.dtype.kind == "c" else tensor.dtype, copy=False)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The norm of each matrix: (...) for `x` of shape (..., m, n).

    `ord` is "fro" for the root of the sum of squares, "nuc" for the sum of singular values, 2 and
    -2 for the largest and smallest of them, 1 and -1 for the largest and smallest sum of sizes of
    a column, infinity and -infinity for those of a row. Raises ArgumentError for others.

    >>> import py_tensor as pt
    >>> pt.linalg.matrix_norm(pt.asarray([[3.0, 0.0], [0.0, -4.0]]), ord="fro").item()
    5.0
    """
    stack = Stack("matrix_norm", x)
    empty = 0 in stack.matrices.shape[1:]
    if ord == "fro" or ord is None:
        result = vector_norm(stack.matrices, axis=(-2, -1))
    elif ord in _SINGULAR:
        name = "sum" if empty and ord != -2 else _SINGULAR[ord]
        result = STATISTICAL[name](svdvals(stack.matrices), axis=-1)
    elif ord in _SUMS:
        name, axis = _SUMS[ord]
        sums = STATISTICAL["sum"](ELEMENTWISE["abs"](stack.matrices), axis=axis)
        name = "sum" if sums.shape[-1] == 0 and name == "max" else name
        result = STATISTICAL[name](sums, axis=-1)
    else:
        raise ArgumentError(
            f'matrix_norm: ord is unknown; got {ord!r}; use "fro", "nuc", 1, -1, 2, -2, '
            "float('inf') or -float('inf')"
        )
    result = stack.restored(result, real=True)
    return expand_dims(expand_dims(result, axis=-1), axis=-1) if keepdims else result


@named
def cond(x: Any, /, *, p: Any = None) -> Tensor:
    """How much each matrix may enlarge relative errors: the norm times the inverse's norm.

    `p` is an `ord` of `matrix_norm`; by default 2, the quotient of the largest and the smallest
    singular value, also for matrices that are not square. Infinite for singular matrices.

    >>> import py_tensor as pt
    >>> round(pt.linalg.cond(pt.asarray([[4.0, 0.0], [0.0, 2.0]])).item(), 4)
    2.0
    """
    stack = Stack("cond", x)
    if p is None or p == 2 or p == -2:
        values = svdvals(stack.matrices)
        largest, smallest = values[:, 0], values[:, -1]
        result = smallest / largest if p == -2 else largest / smallest
    else:
        result = matrix_norm(stack.matrices, ord=p) * matrix_norm(inv(stack.matrices), ord=p)
        # Without an inverse, NaN.
        result = ELEMENTWISE["where"](ELEMENTWISE["isnan"](result), math.inf, result)
    return stack.restored(result, real=True)
