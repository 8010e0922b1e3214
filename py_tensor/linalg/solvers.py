"""Systems of linear equations: solutions, inverses, determinants, ranks."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .. import functions as F
from ..dtypes import float32, int32, promote
from ..errors import ShapeError
from ..functions import elementwise
from ..functions.arguments import number
from ..functions.decorators import named, remembered_without_gradients
from ..ops.op_def import broadcast
from ..tensor import Tensor, operand_of
from ..transforms.autodiff import custom_gradient
from ..typing import ArrayLike
from .batching import EPSILON, MatrixStack, floating, wide
from .factors import svd, svdvals
from .solve_ops import adjoint, determinant, identity, product, sign_and_logarithm, solved


class SlogdetResult(NamedTuple):
    """Sign and logarithm of determinants, made by `slogdet`."""

    sign: Tensor
    logabsdet: Tensor


class LstsqResult(NamedTuple):
    """Least-squares solution, made by `lstsq`."""

    x: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


@remembered_without_gradients
def solve(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """Solve A X = B for square matrices A and right-hand sides B.

    Uses elimination with partial pivoting. A singular A gives NaN.

    Args:
        x1: A, of shape (..., n, n) and a floating or complex dtype.
        x2: B, of shape (n,) or (..., n, k) and a floating or complex dtype; leading axes broadcast.

    Returns:
        X, a tensor of shape (..., n) or (..., n, k) in the promoted dtype.

    Raises:
        ShapeError: If A is not square or the shapes are incompatible.
        DTypeError: If an operand is neither floating nor complex.

    >>> import py_tensor as pt
    >>> a = pt.asarray([[2.0, 0.0], [0.0, 4.0]])
    >>> pt.linalg.solve(a, pt.asarray([2.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    left, b = MatrixStack("solve", x1, square=True), floating("solve", x2)
    dtype = promote("solve", left.dtype, b.dtype)
    n = left.matrices.shape[1]
    # Convert real operands to complex if the other operand is complex.
    joint = promote("solve", float32, dtype)
    matrices = F.astype(left.matrices, joint, copy=False)
    right = F.astype(F.expand_dims(b, axis=1) if b.ndim == 1 else b, joint, copy=False)
    if b.ndim == 0 or right.shape[-2] != n:
        raise ShapeError(
            f"solve: lengths must match; got shapes {(*left.leading, n, n)} and {b.shape}; pass "
            f"right-hand sides of length {n}"
        )
    batch = broadcast("solve", [left.leading, right.shape[:-2]])
    count, columns = math.prod(batch), right.shape[-1]
    if not left.leading and batch:
        # One matrix for all right-hand sides: make them columns of one matrix.
        last = right.ndim - 1
        sides = F.permute_dims(right, (last - 1, *range(last - 1), last))
        solution = solved(matrices, F.reshape(sides, (1, n, count * columns)))
        solution = F.reshape(solution, (n, *batch, columns))
        solution = F.permute_dims(solution, (*range(1, last), 0, last))
    else:
        matrices = F.reshape(matrices, (*left.leading, n, n))
        matrices = F.reshape(F.broadcast_to(matrices, (*batch, n, n)), (count, n, n))
        sides = F.reshape(F.broadcast_to(right, (*batch, n, columns)), (count, n, columns))
        solution = F.reshape(solved(matrices, sides), (*batch, n, columns))
    if b.ndim == 1:
        solution = F.reshape(solution, (*batch, n))
    return F.astype(solution, dtype, copy=False)


@remembered_without_gradients
def inv(x: ArrayLike, /) -> Tensor:
    """Inverse of each square matrix; NaN if it is singular.

    To multiply by the inverse, use `solve`, which is more accurate.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.inv(pt.asarray([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    stack = MatrixStack("inv", x, square=True)
    return stack.restored(solved(stack.matrices, identity(stack.matrices)))


@remembered_without_gradients
def det(x: ArrayLike, /) -> Tensor:
    """Determinant of each square matrix.

    The gradient uses the inverse, so it is NaN if the determinant is zero.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.

    Returns:
        Tensor of shape (...) and the dtype of x.

    Raises:
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.det(pt.asarray([[1.0, 2.0], [4.0, 3.0]])).item()
    -5.0
    """
    stack = MatrixStack("det", x, square=True)
    return stack.restored(determinant(stack.matrices))


def slogdet(x: ArrayLike, /) -> SlogdetResult:
    """Sign of each matrix's determinant, and the logarithm of its absolute value.

    They do not overflow if `det` does. A singular matrix gives 0 and -inf.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.

    Returns:
        SlogdetResult of two tensors of shape (...): `sign` in the dtype of x and `logabsdet`, real.

    Raises:
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> sign, logarithm = pt.linalg.slogdet(pt.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign.item(), logarithm.item()
    (-1.0, 0.0)
    """
    stack = MatrixStack("slogdet", x, square=True)
    sign, logarithm = sign_and_logarithm(stack.matrices)
    return SlogdetResult(stack.restored(sign), stack.restored(logarithm, real=True))


def _tolerance(operation: str, rtol: ArrayLike | None) -> Tensor | float | None:
    tolerance = rtol if rtol is None else operand_of(operation, rtol)
    is_number = isinstance(tolerance, int | float)
    return number(operation, "tolerance", tolerance) if is_number else tolerance


def _limit(s: Tensor, shape: tuple[int, ...], rtol: Tensor | float | None) -> Tensor:
    """Return the value, of shape (..., 1), up to which singular values count as zero."""
    if rtol is None:
        rtol = EPSILON * max(shape[-2:])
    elif isinstance(rtol, Tensor):
        rtol = F.expand_dims(F.astype(rtol, s.dtype), axis=-1)
    limit: Tensor = s[..., :1] * rtol
    return limit


@remembered_without_gradients
def matrix_rank(x: ArrayLike, /, rtol: ArrayLike | None = None) -> Tensor:
    """Number of singular values of each matrix larger than `rtol` times the largest.

    Args:
        x: Tensor of shape (..., m, n) and a floating or complex dtype.
        rtol: Number, or tensor of shape (...); None (default) for max(m, n) times float32's
            epsilon.

    Returns:
        Tensor of shape (...); int32.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.linalg.matrix_rank(pt.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
    1
    """
    stack = MatrixStack("matrix_rank", x)
    shape = stack.matrices.shape
    values = F.reshape(svdvals(stack.matrices), (*stack.leading, min(shape[1:])))
    return _rank(values, shape, _tolerance("matrix_rank", rtol))


def _rank(values: Tensor, shape: tuple[int, ...], rtol: Tensor | float | None) -> Tensor:
    """Count the singular values above the limit for matrices of the given shape."""
    counted = F.astype(values > _limit(values, shape, rtol), int32)
    return F.sum(counted, axis=-1)


@remembered_without_gradients
def pinv(x: ArrayLike, /, rtol: ArrayLike | None = None) -> Tensor:
    """Moore-Penrose inverse of each matrix.

    The gradient is that of Golub and Pereyra (1973), for constant rank.

    Args:
        x: Tensor of shape (..., m, n) and a floating or complex dtype.
        rtol: Singular values up to `rtol` times the largest count as zero; None (default) for
            max(m, n) times float32's epsilon.

    Returns:
        Tensor of shape (..., n, m) and the dtype of x.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> pt.linalg.pinv(pt.asarray([[2.0], [0.0]])).tolist()
    [[0.5, 0.0]]
    """
    stack = MatrixStack("pinv", x)
    inverse, _ = _pseudo_inverse(stack.restored_shape(), _tolerance("pinv", rtol))
    return F.astype(inverse, stack.dtype, copy=False)


@custom_gradient
def _pseudo_inverse(a: Tensor, rtol: Any) -> tuple[Any, Any]:
    """Return the pseudo-inverses, and the singular values they are computed from."""
    u, s, vh = svd(a, full_matrices=False)
    kept = s > _limit(s, a.shape, rtol)
    where = elementwise.where
    factors = where(kept, 1.0 / where(kept, s, 1.0), 0.0)
    inverse = product(adjoint(vh) * F.expand_dims(factors, axis=-2), adjoint(u))

    def rule(cotangents: tuple[Tensor, Tensor]) -> tuple[Tensor, None]:
        g, to_values = cotangents
        across, adjoint_g = adjoint(inverse), adjoint(g)
        both = product(adjoint_g, inverse)
        left = product(both - product(a, inverse, both), across)
        both = product(across, inverse, adjoint_g)
        right = both - product(both, inverse, a)
        by_values = product(u * F.expand_dims(to_values, axis=-2), vh)
        return left + right + by_values - product(across, g, across), None

    return (inverse, s), rule


@named
def lstsq(a: ArrayLike, b: ArrayLike, /, rcond: float | None = None) -> LstsqResult:
    """Least-squares solution: the shortest x that minimizes the sum of squares of b - a x.

    Args:
        a: Tensor of shape (..., m, n) and a floating or complex dtype.
        b: Tensor of shape (m,) or (..., m, k) and a floating or complex dtype.
        rcond: Singular values up to `rcond` times the largest count as zero; None (default) for
            max(m, n) times float32's epsilon.

    Returns:
        LstsqResult of `x`, of shape (n,) or (..., n, k); `residuals`, the remaining sums of squares
        (always computed); `rank`, int32; and `singular_values` of `a`.

    Raises:
        ShapeError: If the shapes are incompatible.
        DTypeError: If an operand is neither floating nor complex.

    >>> import py_tensor as pt
    >>> a = pt.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> [round(value, 4) for value in pt.linalg.lstsq(a, pt.asarray([1.0, 3.0, 5.0])).x.tolist()]
    [1.0, 2.0]
    """
    stack, sides = MatrixStack("lstsq", a), floating("lstsq", b)
    dtype = promote("lstsq", stack.dtype, sides.dtype)
    left, right = stack.restored_shape(), wide(sides)
    if right.ndim == 0 or right.shape[-1 if right.ndim == 1 else -2] != left.shape[-2]:
        raise ShapeError(
            f"lstsq: lengths must match; got shapes {left.shape} and {right.shape}; pass "
            f"right-hand sides of length {left.shape[-2]}"
        )
    tolerance = _tolerance("lstsq", rcond)
    inverse, values = _pseudo_inverse(left, tolerance)
    solution = F.matmul(inverse, right)
    rest = right - F.matmul(left, solution)
    squares = elementwise.abs(rest) ** 2.0
    residuals = F.sum(squares, axis=-1 if right.ndim == 1 else -2)
    real = float32 if dtype.kind == "c" else dtype
    return LstsqResult(
        F.astype(solution, dtype, copy=False),
        F.astype(residuals, real, copy=False),
        _rank(values, left.shape, tolerance),
        F.astype(values, real, copy=False),
    )
