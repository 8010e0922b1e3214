"""Linear algebra: matrix products."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from ..dtypes import promote
from ..errors import DTypeError, ShapeError
from ..nodes import Node, node_of
from ..ops.contractions import DOT
from ..ops.rows import broadcast
from ..ops.views import BROADCAST, PERMUTE, RESHAPE
from ..tensor import Tensor, as_tensor, node_behind
from .axes import one_axis
from .elementwise import PUBLIC as ELEMENTWISE
from .elementwise import astype
from .manipulation import matrix_transpose, permute_dims, reshape
from .naming import named
from .remembering import remembered
from .statistical import PUBLIC as STATISTICAL


@remembered
def matmul(x1: Any, x2: Any, /) -> Tensor:
    """Matrix product over the last axis of x1 and the one before last of x2.

    Leading axes broadcast. A 1-d operand is a row (x1) or a column (x2), and its axis is gone in
    the result. Raises ShapeError for 0-d operands and lengths that differ.

    >>> import py_tensor as pt
    >>> pt.matmul(pt.asarray([[1.0, 2.0]]), pt.asarray([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    x1, x2 = as_tensor("matmul", x1), as_tensor("matmul", x2)
    a, b = node_behind("matmul", x1), node_behind("matmul", x2)
    p, q = a.spec.shape, b.spec.shape
    if not p or not q:
        raise ShapeError(f"matmul: operand has no axes; got shapes {p} and {q}; use multiply")
    a_shape = (1, *p) if len(p) == 1 else p
    b_shape = (*q, 1) if len(q) == 1 else q
    if a_shape[-1] != b_shape[-2]:
        axis = -2 if len(q) > 1 else 0
        raise ShapeError(
            f"matmul: inner lengths differ; got shapes {p} and {q}; "
            f"axis -1 of the first is {a_shape[-1]}, axis {axis} of the second is {b_shape[-2]}"
        )
    batch = broadcast("matmul", [a_shape[:-2], b_shape[:-2]])
    rows, inner, columns = a_shape[-2], a_shape[-1], b_shape[-1]
    if len(q) <= 2 and len(p) > 2:
        # One matrix for the whole batch: its rows are the batch's rows, one taller product.
        left = _reshaped(a, (1, math.prod(a_shape[:-1]), inner))
        right = _reshaped(b, (1, inner, columns))
    else:
        count = math.prod(batch)
        left = _reshaped(_spread(a, a_shape, batch), (count, rows, inner))
        right = _reshaped(_spread(b, b_shape, batch), (count, inner, columns))
    result = node_of(DOT, (left, right))
    shape = batch + ((rows,) if len(p) > 1 else ()) + ((columns,) if len(q) > 1 else ())
    return Tensor(_reshaped(result, shape))


@named
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Sum of products along an axis, which both have with one length; the others broadcast.

    Of complex numbers, the conjugates of x1 are multiplied.
    Raises ShapeError where the lengths differ.

    >>> import py_tensor as pt
    >>> pt.vecdot(pt.asarray([[1, 2], [3, 4]]), pt.asarray([5, 6])).tolist()
    [17, 39]
    """
    a, b = as_tensor("vecdot", x1), as_tensor("vecdot", x2)
    if not a.ndim or not b.ndim or not -min(a.ndim, b.ndim) <= index(axis) < 0:
        raise ShapeError(
            f"vecdot: axis out of range; got axis {axis} for shapes {a.shape} and {b.shape}; "
            "count from the end, as both may have other axes in front"
        )
    if a.shape[axis] != b.shape[axis]:
        raise ShapeError(
            f"vecdot: lengths differ along axis {axis}; got shapes {a.shape} and {b.shape}; "
            "make them equal"
        )
    if a.dtype.kind == "b" or b.dtype.kind == "b":
        raise DTypeError('vecdot: dtype bool is not numeric; use x.astype("int32")')
    conjugate = ELEMENTWISE["conj"](a) if a.dtype.kind == "c" else a
    total = STATISTICAL["sum"](ELEMENTWISE["multiply"](conjugate, b), axis=axis)
    return astype(total, promote("vecdot", a.dtype, b.dtype), copy=False)


@named
def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Tensor:
    """Sums of products over axes of x1 paired with axes of x2; the others follow one another.

    `axes` is a number, of the last axes of x1 and the first of x2, or a pair of sequences of axes.
    Raises ShapeError where the lengths of paired axes differ.

    >>> import py_tensor as pt
    >>> pt.tensordot(pt.ones((2, 3, 4)), pt.ones((3, 4, 5))).shape
    (2, 5)
    """
    a, b = as_tensor("tensordot", x1), as_tensor("tensordot", x2)
    if isinstance(axes, Sequence):
        first = [one_axis("tensordot", axis, a.ndim) for axis in axes[0]]
        second = [one_axis("tensordot", axis, b.ndim) for axis in axes[1]]
    else:
        count = index(axes)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise ShapeError(
                f"tensordot: number of axes does not fit; got {count} for shapes {a.shape} and "
                f"{b.shape}; give at most {min(a.ndim, b.ndim)}"
            )
        first, second = list(range(a.ndim - count, a.ndim)), list(range(count))
    lengths = [a.shape[axis] for axis in first]
    if lengths != [b.shape[axis] for axis in second]:
        raise ShapeError(
            f"tensordot: lengths of paired axes differ; got shapes {a.shape} along {first} and "
            f"{b.shape} along {second}; make them equal"
        )
    rows = [axis for axis in range(a.ndim) if axis not in first]
    columns = [axis for axis in range(b.ndim) if axis not in second]
    inner = math.prod(lengths)
    left = reshape(permute_dims(a, (*rows, *first)), (math.prod(a.shape[i] for i in rows), inner))
    right = permute_dims(b, (*second, *columns))
    right = reshape(right, (inner, math.prod(b.shape[i] for i in columns)))
    shape = (*(a.shape[i] for i in rows), *(b.shape[i] for i in columns))
    return reshape(matmul(left, right), shape)


@named
def kron(x1: Any, x2: Any, /) -> Tensor:
    """Kronecker product: each element of x1 times the whole of x2, in its place.

    Lengths of the result are products of those of x1 and x2; axes that one lacks stand in front,
    with length 1. Raises DTypeError where both are bool.

    >>> import py_tensor as pt
    >>> pt.kron(pt.asarray([1, 10]), pt.asarray([1, 2, 3])).tolist()
    [1, 2, 3, 10, 20, 30]
    """
    a, b = as_tensor("kron", x1), as_tensor("kron", x2)
    ndim = max(a.ndim, b.ndim)
    first, second = ((1,) * (ndim - x.ndim) + x.shape for x in (a, b))
    left = reshape(a, tuple(n for length in first for n in (length, 1)))
    right = reshape(b, tuple(n for length in second for n in (1, length)))
    shape = tuple(m * n for m, n in zip(first, second, strict=True))
    return reshape(ELEMENTWISE["multiply"](left, right), shape)


@named
def cov(x: Any, /, *, correction: float = 1.0) -> Tensor:
    """Covariances of variables, one a row, whose observations are the columns.

    Sums of products of distances from the means over their number less `correction`. `x` has shape
    (variables, observations), the result (variables, variables); a vector is one variable, and
    gives shape (). Raises DTypeError for complex x, ShapeError for other numbers of axes.

    >>> import py_tensor as pt
    >>> pt.cov(pt.asarray([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    given = as_tensor("cov", x)
    if given.ndim not in (1, 2):
        raise ShapeError(f"cov: needs one or two axes; got shape {given.shape}; reshape it first")
    rows = reshape(given, (1, -1)) if given.ndim == 1 else given
    rows = rows if rows.dtype.kind == "f" else astype(rows, "float32")
    distance = rows - STATISTICAL["mean"](rows, axis=1, keepdims=True)
    total = matmul(distance, matrix_transpose(distance))
    result = total / float(max(rows.shape[1] - correction, 0.0))
    return reshape(result, ()) if given.ndim == 1 else result


def _reshaped(node: Node, shape: tuple[int, ...]) -> Node:
    return node if node.spec.shape == shape else node_of(RESHAPE, (node,), shape)


def _spread(node: Node, shape: tuple[int, ...], batch: tuple[int, ...]) -> Node:
    node = _reshaped(node, shape)
    full = batch + shape[-2:]
    return node if shape == full else node_of(BROADCAST, (node,), full)


def _transposed(self: Tensor) -> Tensor:
    """The transposed matrix. Raises ShapeError unless there are two axes, as the standard has it.

    >>> import py_tensor as pt
    >>> pt.asarray([[1, 2]]).T.tolist()
    [[1], [2]]
    """
    node = node_behind("T", self)
    if len(node.spec.shape) != 2:
        raise ShapeError(f"T: needs two axes; got shape {node.spec.shape}; use mT or permute_dims")
    return Tensor(node_of(PERMUTE, (node,), (1, 0)))


def _reflected(self: Tensor, other: Any) -> Tensor:
    return matmul(other, self)


OPERATORS: dict[str, Any] = {
    "__matmul__": matmul,
    "__rmatmul__": _reflected,
    "T": property(_transposed),
    "mT": property(matrix_transpose),
    "matmul": matmul,
}

PUBLIC: dict[str, Callable[..., Tensor]] = {
    "cov": cov,
    "kron": kron,
    "matmul": matmul,
    "tensordot": tensordot,
    "vecdot": vecdot,
}
