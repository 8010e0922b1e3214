"""Products of vectors and matrices under NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import functions as F, linalg
from ..dtypes import int32, uint32
from ..errors import ShapeError
from ..functions.arguments import one_axis
from ..functions.decorators import named
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike


def _numeric(operation: str, *values: Any) -> list[Tensor]:
    tensors = [as_tensor(operation, value) for value in values]
    if {x.dtype for x in tensors} == {int32, uint32}:
        # Integers of a list fit the other operand, as Python's numbers do.
        tensors = [
            as_tensor(operation, value, uint32) if isinstance(value, list | tuple) else x
            for value, x in zip(values, tensors, strict=True)
        ]
    if {x.dtype.kind for x in tensors} == {"b"}:
        return tensors
    return [F.astype(x, "int32") if x.dtype.kind == "b" else x for x in tensors]


@named
def dot(a: ArrayLike, b: ArrayLike, out: Tensor | None = None) -> Tensor:
    """Return sums of products over the last axis of a and the second-to-last one of b.

    Args:
        a: Tensor or array-like; a number multiplies.
        b: Tensor or array-like; a vector is summed over its only axis.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Tensor of the other axes of a, then the other axes of b.

    Raises:
        ShapeError: If the lengths differ.

    >>> import py_tensor as pt
    >>> pt.dot([1, 2], [3, 4]).item()
    11
    """
    first, second = _numeric("dot", a, b)
    if not first.ndim or not second.ndim:
        return F.multiply(first, second)
    if second.ndim < 3:
        return F.matmul(first, second)
    return F.tensordot(first, second, axes=((-1,), (-2,)))


@named
def inner(a: ArrayLike, b: ArrayLike, /) -> Tensor:
    """Return sums of products over the last axes of both operands.

    Args:
        a: Tensor or array-like; a number multiplies.
        b: Tensor or array-like.

    Returns:
        Tensor of the other axes of a, then the other axes of b.

    Raises:
        ShapeError: If the lengths differ.

    >>> import py_tensor as pt
    >>> pt.inner([[1, 2], [3, 4]], [5, 6]).tolist()
    [17, 39]
    """
    first, second = _numeric("inner", a, b)
    if not first.ndim or not second.ndim:
        return F.multiply(first, second)
    return F.tensordot(first, second, axes=((-1,), (-1,)))


@named
def outer(a: ArrayLike, b: ArrayLike, out: Tensor | None = None) -> Tensor:
    """Return the products of each element of a with each element of b.

    Args:
        a: Tensor or array-like; it is flattened.
        b: Tensor or array-like; it is flattened.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Matrix in the promoted dtype.

    >>> import py_tensor as pt
    >>> pt.outer([1, 2], [3, 4]).tolist()
    [[3, 4], [6, 8]]
    """
    first, second = _numeric("outer", a, b)
    return F.expand_dims(F.flatten(first), axis=1) * F.flatten(second)


@named
def vdot(a: ArrayLike, b: ArrayLike, /) -> Tensor:
    """Return the sum of products of the flattened operands; a is conjugated.

    Args:
        a: Tensor or array-like.
        b: Tensor or array-like of the same size.

    Returns:
        Tensor of shape ().

    Raises:
        ShapeError: If the sizes differ.

    >>> import py_tensor as pt
    >>> pt.vdot([1 + 2j], [3j]).item()
    (6+3j)
    """
    first, second = (F.flatten(x) for x in _numeric("vdot", a, b))
    return F.vecdot(first, second)


@named
def matvec(x1: ArrayLike, x2: ArrayLike, /, out: Tensor | None = None) -> Tensor:
    """Return the products of matrices with vectors.

    Args:
        x1: Matrices in the last two axes.
        x2: Vectors in the last axis.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Vectors in the last axis; the other axes broadcast.

    Raises:
        ShapeError: If the lengths differ.

    >>> import py_tensor as pt
    >>> pt.matvec([[1, 2], [3, 4]], [1, 1]).tolist()
    [3, 7]
    """
    matrices, vectors = _numeric("matvec", x1, x2)
    return F.matmul(matrices, F.expand_dims(vectors, axis=-1))[..., 0]


@named
def vecmat(x1: ArrayLike, x2: ArrayLike, /, out: Tensor | None = None) -> Tensor:
    """Return the products of conjugated vectors with matrices.

    Args:
        x1: Vectors in the last axis.
        x2: Matrices in the last two axes.
        out: Tensor to write the result to; None (default) for a new one.

    Returns:
        Vectors in the last axis; the other axes broadcast.

    Raises:
        ShapeError: If the lengths differ.

    >>> import py_tensor as pt
    >>> pt.vecmat([1, 1], [[1, 2], [3, 4]]).tolist()
    [4, 6]
    """
    vectors, matrices = _numeric("vecmat", x1, x2)
    vectors = F.conj(vectors) if vectors.dtype.kind == "c" else vectors
    return F.matmul(F.expand_dims(vectors, axis=-2), matrices)[..., 0, :]


@named
def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """Return the cross products of vectors of 3 elements.

    Args:
        a: Vectors along `axisa`.
        b: Vectors along `axisb`; the other axes broadcast.
        axisa: Axis of the vectors of a; -1 by default.
        axisb: Axis of the vectors of b; -1 by default.
        axisc: Axis of the vectors of the result; -1 by default.
        axis: One axis for all three; None (default) for those above.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        ShapeError: If vectors have not 3 elements.

    >>> import py_tensor as pt
    >>> pt.cross([1, 0, 0], [0, 1, 0]).tolist()
    [0, 0, 1]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = _numeric("cross", a, b)
    first = F.moveaxis(first, one_axis("cross", axisa, first.ndim), -1)
    second = F.moveaxis(second, one_axis("cross", axisb, second.ndim), -1)
    if first.shape[-1] != 3 or second.shape[-1] != 3:
        raise ShapeError(
            f"cross: vectors are not of 3 elements; got shapes {first.shape} and {second.shape}"
        )
    return F.moveaxis(linalg.cross(first, second), -1, axisc)


@named
def einsum_path(
    subscripts: str, *operands: ArrayLike, optimize: bool | str | Sequence[Any] = "greedy"
) -> tuple[list[Any], str]:
    """Return the order in which `einsum` contracts its operands.

    Args:
        subscripts: Labels as for `einsum`.
        operands: Tensors or array-likes.
        optimize: Ignored; the order is always the greedy one.

    Returns:
        Tuple of NumPy's form of the path, a list that begins with "einsum_path", and a text.

    >>> import py_tensor as pt
    >>> pt.einsum_path("ij,jk->ik", pt.ones((2, 3)), pt.ones((3, 4)))[0]
    ['einsum_path', (0, 1)]
    """
    path = F.contraction_path(subscripts, *operands)
    return ["einsum_path", *path], f"  Contraction of {subscripts}: {path}"
