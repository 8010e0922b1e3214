"""Systems of linear equations: solutions, inverses, determinants, ranks."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..autodiff import custom_gradient
from ..dtypes import int32, promote
from ..errors import ShapeError
from ..functions.creation import eye
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.elementwise import astype
from ..functions.linear_algebra import matmul
from ..functions.manipulation import (
    broadcast_to,
    expand_dims,
    matrix_transpose,
    permute_dims,
    reshape,
)
from ..functions.statistical import PUBLIC as STATISTICAL
from ..ops.rows import broadcast
from ..tensor import Tensor, apply, asarray
from .factors import svd, svdvals
from .stacks import EPSILON, Stack, floating, wide
from .systems import DET, SLOGDET, SOLVE


class SlogdetResult(NamedTuple):
    """What `slogdet` gives."""

    sign: Tensor
    logabsdet: Tensor


class LstsqResult(NamedTuple):
    """What `lstsq` gives."""

    x: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def solve(x1: Any, x2: Any, /) -> Tensor:
    """The solution X of A X = B, for square matrices A and right-hand sides B.

    `x1` is A, of shape (..., n, n), `x2` is B, of shape (n,) or (..., n, k); leading axes
    broadcast. Both are floating. By elimination with partial pivoting. A singular A gives NaN.
    Raises ShapeError where the shapes do not fit.

    >>> import py_tensor as pt
    >>> a = pt.asarray([[2.0, 0.0], [0.0, 4.0]])
    >>> pt.linalg.solve(a, pt.asarray([2.0, 2.0])).tolist()
    [1.0, 0.5]
    """
    left, b = Stack("solve", x1, square=True), floating("solve", x2)
    dtype = promote("solve", left.dtype, b.dtype)
    n = left.matrices.shape[1]
    right = expand_dims(b, axis=1) if b.ndim == 1 else b
    if b.ndim == 0 or right.shape[-2] != n:
        raise ShapeError(
            f"solve: lengths differ; got shapes {(*left.leading, n, n)} and {b.shape}; "
            f"give right-hand sides of length {n}"
        )
    batch = broadcast("solve", [left.leading, right.shape[:-2]])
    count, columns = math.prod(batch), right.shape[-1]
    if not left.leading and batch:
        # One matrix for all right-hand sides: they stand beside each other.
        last = right.ndim - 1
        sides = permute_dims(wide(right), (last - 1, *range(last - 1), last))
        solution = apply(SOLVE, (left.matrices, reshape(sides, (1, n, count * columns))))
        solution = reshape(solution, (n, *batch, columns))
        solution = permute_dims(solution, (*range(1, last), 0, last))
    else:
        matrices = reshape(left.matrices, (*left.leading, n, n))
        matrices = reshape(broadcast_to(matrices, (*batch, n, n)), (count, n, n))
        sides = reshape(broadcast_to(wide(right), (*batch, n, columns)), (count, n, columns))
        solution = reshape(apply(SOLVE, (matrices, sides)), (*batch, n, columns))
    if b.ndim == 1:
        solution = reshape(solution, (*batch, n))
    return astype(solution, dtype, copy=False)


def inv(x: Any, /) -> Tensor:
    """The inverse of each square matrix; NaN where there is none.

    `x` has shape (..., n, n) and a floating dtype. Where the inverse is multiplied by something,
    `solve` is more accurate. Raises ShapeError for matrices that are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.inv(pt.asarray([[0.0, 2.0], [4.0, 0.0]])).tolist()
    [[0.0, 0.25], [0.5, 0.0]]
    """
    stack = Stack("inv", x, square=True)
    identity = broadcast_to(eye(stack.matrices.shape[1]), stack.matrices.shape)
    return stack.restored(apply(SOLVE, (stack.matrices, identity)))


def det(x: Any, /) -> Tensor:
    """The determinant of each square matrix: (...) for `x` (..., n, n).

    Its gradient is by the inverse, so it is NaN where the determinant is zero. Raises ShapeError
    for matrices that are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.det(pt.asarray([[1.0, 2.0], [4.0, 3.0]])).item()
    -5.0
    """
    stack = Stack("det", x, square=True)
    return stack.restored(apply(DET, (stack.matrices,)))


def slogdet(x: Any, /) -> SlogdetResult:
    """The sign of each matrix's determinant, and the logarithm of its absolute value.

    For `x` (..., n, n) both have shape (...); they do not overflow where `det` would. A singular
    matrix gives 0 and -inf. Raises ShapeError for matrices that are not square.

    >>> import py_tensor as pt
    >>> sign, logarithm = pt.linalg.slogdet(pt.asarray([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign.item(), logarithm.item()
    (-1.0, 0.0)
    """
    stack = Stack("slogdet", x, square=True)
    packed = apply(SLOGDET, (stack.matrices,))
    return SlogdetResult(stack.restored(packed[:, 0]), stack.restored(packed[:, 1]))


def _limit(s: Tensor, shape: tuple[int, ...], rtol: Any) -> Tensor:
    """(..., 1): what singular values count as zero up to."""
    relative = EPSILON * max(shape[-2:]) if rtol is None else rtol
    if isinstance(relative, (int, float)):
        relative = float(relative)
    else:
        relative = expand_dims(astype(asarray(relative), s.dtype), axis=-1)
    return relative * s[..., :1]


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Tensor:
    """How many singular values of each matrix are larger than `rtol` times the largest; int32.

    `x` has shape (..., m, n), the result and `rtol`, a number or tensor, (...); by default `rtol`
    is max(m, n) times float32's epsilon.

    >>> import py_tensor as pt
    >>> pt.linalg.matrix_rank(pt.asarray([[1.0, 2.0], [2.0, 4.0]])).item()
    1
    """
    stack = Stack("matrix_rank", x)
    values = stack.restored(svdvals(stack.matrices), wide(stack.matrices).dtype)
    counted = astype(values > _limit(values, stack.matrices.shape, rtol), int32)
    return STATISTICAL["sum"](counted, axis=-1)


def pinv(x: Any, /, *, rtol: Any = None) -> Tensor:
    """The Moore-Penrose inverse of each matrix: (..., n, m) for `x` (..., m, n).

    Singular values up to `rtol` times the largest count as zero, as in `matrix_rank`. Its gradient
    is Golub and Pereyra's (1973), for a rank that stays as it is.

    >>> import py_tensor as pt
    >>> pt.linalg.pinv(pt.asarray([[2.0], [0.0]])).tolist()
    [[0.5, 0.0]]
    """
    stack = Stack("pinv", x)
    a = reshape(stack.matrices, (*stack.leading, *stack.matrices.shape[1:]))
    return astype(_pseudo_inverse(a, rtol), stack.dtype, copy=False)


@custom_gradient
def _pseudo_inverse(a: Tensor, rtol: Any) -> tuple[Tensor, Any]:
    u, s, vh = svd(a, full_matrices=False)
    kept = s > _limit(s, a.shape, rtol)
    where = ELEMENTWISE["where"]
    factors = where(kept, 1.0 / where(kept, s, 1.0), 0.0)
    inverse = matmul(matrix_transpose(vh) * expand_dims(factors, axis=-2), matrix_transpose(u))

    def rule(g: Tensor) -> tuple[Tensor, None]:
        across, turned = matrix_transpose(inverse), matrix_transpose(g)
        both = matmul(turned, inverse)
        left = matmul(both - matmul(a, matmul(inverse, both)), across)
        both = matmul(across, matmul(inverse, turned))
        right = both - matmul(matmul(both, inverse), a)
        return left + right - matmul(across, matmul(g, across)), None

    return inverse, rule


def lstsq(a: Any, b: Any, /, *, rcond: float | None = None) -> LstsqResult:
    """The shortest x that makes the sum of squares of b - a x smallest.

    `a` has shape (..., m, n), `b` (m,) or (..., m, k), and x (n,) or (..., n, k). Beside it, the
    sums of squares that remain (they are always given), the rank and the singular values of `a`, of
    which those up to `rcond` times the largest count as zero.

    >>> import py_tensor as pt
    >>> a = pt.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> [round(value, 4) for value in pt.linalg.lstsq(a, pt.asarray([1.0, 3.0, 5.0])).x.tolist()]
    [1.0, 2.0]
    """
    left, right = floating("lstsq", a), floating("lstsq", b)
    solution = matmul(pinv(left, rtol=rcond), right)
    rest = right - matmul(left, solution)
    residuals = STATISTICAL["sum"](rest * rest, axis=-1 if right.ndim == 1 else -2)
    values = svdvals(left)
    return LstsqResult(solution, residuals, matrix_rank(left, rtol=rcond), values)
