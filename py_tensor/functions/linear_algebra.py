"""Matrix products and the functions built from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from ..dtypes import bool_, float32, int32, promote
from ..errors import AxesError, DTypeError, ShapeError
from ..ir.node import OpNode, node_of
from ..ops.contractions import DOT
from ..ops.op_def import broadcast
from ..ops.views import BROADCAST, CONCAT, PERMUTE, RESHAPE
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike
from . import statistical
from .arguments import ddof_or, flag, integer, lengths_of, one_axis
from .data_types import promoted
from .decorators import can_convert, named, remembered
from .elementwise import astype, conj, multiply
from .manipulation import matrix_transpose, permute_dims, reshape
from .parts import part_of
from .precision import contraction
from .statistical import mean


@remembered
def matmul(x1: ArrayLike, x2: ArrayLike, /, out: Tensor | None = None) -> Tensor:
    """Matrix product over the last axis of x1 and the second-to-last axis of x2.

    A vector as x1 is a row, as x2 a column; its axis is missing from the result.

    Args:
        x1: Tensor or array-like of shape (..., m, k) or (k,).
        x2: Tensor or array-like of shape (..., k, n) or (k,). The leading axes broadcast.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of shape (..., m, n) in the promoted dtype.

    Raises:
        ShapeError: If an operand has no axes, the inner lengths differ or the leading axes do not
            broadcast.

    >>> import py_tensor as pt
    >>> pt.matmul(pt.asarray([[1.0, 2.0]]), pt.asarray([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    x1, x2 = as_tensor("matmul", x1), as_tensor("matmul", x2)
    a, b = node_behind("matmul", x1), node_behind("matmul", x2)
    if a.spec.dtype is bool_ and b.spec.dtype is bool_:
        return astype(matmul(astype(x1, int32), x2), bool_)
    p, q = a.spec.shape, b.spec.shape
    if not p or not q:
        raise ShapeError(
            f"matmul: operands must have at least one axis; got shapes {p} and {q}; use multiply"
        )
    a_shape = (1, *p) if len(p) == 1 else p
    b_shape = (*q, 1) if len(q) == 1 else q
    if a_shape[-1] != b_shape[-2]:
        axis = -2 if len(q) > 1 else 0
        raise ShapeError(
            f"matmul: inner lengths must be equal; got shapes {p} and {q}; axis -1 of the first is "
            f"{a_shape[-1]}, axis {axis} of the second is {b_shape[-2]}"
        )
    batch = broadcast("matmul", [a_shape[:-2], b_shape[:-2]])
    rows, inner, columns = a_shape[-2], a_shape[-1], b_shape[-1]
    if len(q) <= 2 and len(p) > 2:
        # One matrix x2 for the whole batch: merge the batch into the rows of one taller product.
        left = _reshaped(a, (1, math.prod(a_shape[:-1]), inner))
        right = _reshaped(b, (1, inner, columns))
    else:
        count = math.prod(batch)
        left = _reshaped(_spread(a, a_shape, batch), (count, rows, inner))
        right = _reshaped(_spread(b, b_shape, batch), (count, inner, columns))
    result = contraction(DOT, (left, right))
    shape = batch + ((rows,) if len(p) > 1 else ()) + ((columns,) if len(q) > 1 else ())
    return Tensor(_reshaped(result, shape))


@named
def vecdot(x1: ArrayLike, x2: ArrayLike, /, out: Tensor | None = None, *, axis: int = -1) -> Tensor:
    """Sum of products along one axis; the other axes broadcast.

    For complex numbers, x1 is conjugated.

    Args:
        x1: Tensor or array-like of an integer, floating or complex dtype.
        x2: Tensor or array-like with the same length along the axis.
        out: Tensor to write the result to; None (default) for a new one.
        axis: Negative number of the axis, counted from the end; -1 by default.

    Returns:
        Tensor of the broadcast shape without the axis, in the promoted dtype.

    Raises:
        ShapeError: If the lengths differ, or the axis is out of range or not negative.
        DTypeError: If an operand is bool.

    >>> import py_tensor as pt
    >>> pt.vecdot(pt.asarray([[1, 2], [3, 4]]), pt.asarray([5, 6])).tolist()
    [17, 39]
    """
    a, b = as_tensor("vecdot", x1), as_tensor("vecdot", x2)
    if not a.ndim or not b.ndim or not -min(a.ndim, b.ndim) <= integer("vecdot", "axis", axis) < 0:
        raise ShapeError(
            f"vecdot: axis out of range; got axis {axis} for shapes {a.shape} and {b.shape}; count "
            "from the end, because operands may have further leading axes"
        )
    if a.shape[axis] != b.shape[axis]:
        raise ShapeError(
            f"vecdot: lengths must be equal along axis {axis}; got shapes {a.shape} and {b.shape}; "
            "make them equal"
        )
    if a.dtype.kind == "b" or b.dtype.kind == "b":
        raise DTypeError('vecdot: dtype bool is not numeric; use x.astype("int32")')
    conjugate = conj(a) if a.dtype.kind == "c" else a
    total = statistical.sum(multiply(conjugate, b), axis=axis)
    return astype(total, promote("vecdot", a.dtype, b.dtype), copy=False)


@named
def tensordot(
    x1: ArrayLike, x2: ArrayLike, /, axes: int | Sequence[int | Sequence[int]] = 2
) -> Tensor:
    """Sum of products over pairs of axes, one of x1 and one of x2.

    Args:
        x1: Tensor or array-like.
        x2: Tensor or array-like.
        axes: Number n, to pair the last n axes of x1 with the first n of x2 (default 2), or a pair
            of axes or sequences of axes.

    Returns:
        Tensor with the unpaired axes of x1, then those of x2, in the promoted dtype.

    Raises:
        ShapeError: If paired axes differ in length, or an axis does not exist.

    >>> import py_tensor as pt
    >>> pt.tensordot(pt.ones((2, 3, 4)), pt.ones((3, 4, 5))).shape
    (2, 5)
    """
    a, b = as_tensor("tensordot", x1), as_tensor("tensordot", x2)
    if isinstance(axes, Sequence) and not isinstance(axes, str):
        pairs = [lengths_of("tensordot", listed, "axis") for listed in axes]
        if len(pairs) != 2:
            raise ShapeError(
                f"tensordot: axes must be two lists; got {len(pairs)}; pass both operands' axes"
            )
        first = [one_axis("tensordot", axis, a.ndim) for axis in pairs[0]]
        second = [one_axis("tensordot", axis, b.ndim) for axis in pairs[1]]
    else:
        count = integer("tensordot", "axes", axes)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise ShapeError(
                f"tensordot: wrong number of axes; got {count} for shapes {a.shape} and {b.shape}; "
                f"use at most {min(a.ndim, b.ndim)}"
            )
        first, second = list(range(a.ndim - count, a.ndim)), list(range(count))
    lengths = [a.shape[axis] for axis in first]
    if lengths != [b.shape[axis] for axis in second]:
        raise ShapeError(
            f"tensordot: lengths of paired axes must be equal; got shapes {a.shape} along {first} "
            f"and {b.shape} along {second}; make them equal"
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
def kron(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Kronecker product: replace each element of x1 by its product with the whole of x2.

    Args:
        x1: Tensor or array-like of any shape.
        x2: Tensor or array-like of any shape. If the numbers of axes differ, axes of length 1 are
            added in front.

    Returns:
        Tensor in the promoted dtype; its lengths are the products of the operands' lengths.

    Raises:
        DTypeError: If both operands are bool.

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
    return reshape(multiply(left, right), shape)


@named
def cov(
    x: ArrayLike,
    /,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    *,
    correction: float = 1.0,
) -> Tensor:
    """Covariance matrix of variables whose observations are the columns of x.

    The sum of products of distances from the means, over (observations - correction).

    Args:
        x: Tensor or array-like of shape (variables, observations), or (observations,) for a single
            variable.
        y: Further variables in the form of x; None (default) for none.
        rowvar: False if the variables are columns; True by default.
        bias: Divide by the number of observations, that is `correction` 0; False by default.
        ddof: NumPy's name of `correction`, which it replaces; None by default.
        correction: Number subtracted from the count of observations; 1 by default.

    Returns:
        Tensor of shape (variables, variables), or () for a single variable; floating as x, else
        float32.

    Raises:
        DTypeError: If x is complex.
        ShapeError: If x has neither one nor two axes.

    >>> import py_tensor as pt
    >>> pt.cov(pt.asarray([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    samples = [as_tensor("cov", part) for part in (x, y) if part is not None]
    for part in samples:
        if part.ndim not in (1, 2):
            raise ShapeError(
                f"cov: input must have one or two axes; got shape {part.shape}; reshape it first"
            )
    if not samples:
        raise ShapeError("cov: there are no variables; got None; pass a vector or a matrix")
    single = len(samples) == 1 and samples[0].ndim == 1
    parts = [part if part.ndim == 2 else reshape(part, (1, -1)) for part in samples]
    if not flag("cov", "rowvar", rowvar):
        parts = [matrix_transpose(part) if part.shape[0] != 1 else part for part in parts]
    common = promoted("cov", parts)
    dtype = common if common.kind in "fc" else float32
    nodes = tuple(astype(part, dtype, copy=False)._node for part in parts)
    rows = Tensor(node_of(CONCAT, nodes, 0)) if len(nodes) > 1 else Tensor(nodes[0])
    less = ddof_or("cov", 0.0 if flag("cov", "bias", bias) else correction, ddof)
    distance = rows - mean(rows, axis=1, keepdims=True)
    other = conj(distance) if dtype.kind == "c" else distance
    total = matmul(distance, matrix_transpose(other))
    result = total / float(max(rows.shape[1] - less, 0.0))
    return reshape(result, ()) if single else result


def _reshaped(node: OpNode, shape: tuple[int, ...]) -> OpNode:
    return node if node.spec.shape == shape else node_of(RESHAPE, (node,), shape)


def _spread(node: OpNode, shape: tuple[int, ...], batch: tuple[int, ...]) -> OpNode:
    node = _reshaped(node, shape)
    full = batch + shape[-2:]
    return node if shape == full else node_of(BROADCAST, (node,), full)


def transposed(self: Tensor) -> Tensor:
    """Reverse the order of all axes; the property `T` of tensors."""
    node = node_behind("T", self)
    return part_of(self, node_of(PERMUTE, (node,), tuple(range(len(node.spec.shape)))[::-1]))


def matrix_transposed(self: Tensor) -> Tensor:
    """Swap the last two axes; the property `mT` of tensors.

    Raises AxesError for fewer than two axes.
    """
    shape = node_behind("mT", self).spec.shape
    if len(shape) < 2:
        raise AxesError(f"mT: input must have two axes; got shape {shape}; use reshape first")
    return matrix_transpose(self)


def matmul_operator(self: Tensor, other: ArrayLike) -> Tensor:
    """Return the matrix product with `other`, which may define it, as packed matrices do."""
    return matmul(self, other) if can_convert(other) else cast("Tensor", NotImplemented)


def reflected_matmul(self: Tensor, other: ArrayLike) -> Tensor:
    """Return the matrix product of `other` and a tensor."""
    return matmul(other, self)
