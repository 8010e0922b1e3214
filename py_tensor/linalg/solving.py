"""Systems of linear equations: solutions, inverses, determinants, ranks."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..autodiff import custom_gradient
from ..dtypes import float32, int32, promote
from ..errors import ShapeError
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.elementwise import astype
from ..functions.linear_algebra import matmul
from ..functions.manipulation import broadcast_to, expand_dims, permute_dims, reshape
from ..functions.statistical import PUBLIC as STATISTICAL
from ..ops.rows import broadcast
from ..tensor import Tensor, operand_of
from .factors import svd, svdvals
from .stacks import EPSILON, Stack, floating, wide
from .systems import adjoint, determinant, identity, product, sign_and_logarithm, solved


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
    # What is real stands beside complex numbers as one of them.
    joint = promote("solve", float32, dtype)
    matrices = astype(left.matrices, joint, copy=False)
    right = astype(expand_dims(b, axis=1) if b.ndim == 1 else b, joint, copy=False)
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
        sides = permute_dims(right, (last - 1, *range(last - 1), last))
        solution = solved(matrices, reshape(sides, (1, n, count * columns)))
        solution = reshape(solution, (n, *batch, columns))
        solution = permute_dims(solution, (*range(1, last), 0, last))
    else:
        matrices = reshape(matrices, (*left.leading, n, n))
        matrices = reshape(broadcast_to(matrices, (*batch, n, n)), (count, n, n))
        sides = reshape(broadcast_to(right, (*batch, n, columns)), (count, n, columns))
        solution = reshape(solved(matrices, sides), (*batch, n, columns))
    if b.ndim == 1:
        solution = reshape(solution, (*batch, n))
    return astype(solution, dtype, copy=False)


def inv(x: Any, /) -> Tensor:
    """The inverse of each square matrix; NaN where there is none.

    `x` has shape (..., n, n) and a floating dtype. Where the inverse is multiplied by something,
    `solve` is more accurate. Raises ShapeError for matrices that are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.inv(pt.asarray([[2.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    stack = Stack("inv", x, square=True)
    return stack.restored(solved(stack.matrices, identity(stack.matrices)))


def det(x: Any, /) -> Tensor:
    """The determinant of each square matrix: (...) for `x` (..., n, n).

    Its gradient is by the inverse, so it is NaN where the determinant is zero. Raises ShapeError
    for matrices that are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.det(pt.asarray([[1.0, 2.0], [4.0, 3.0]])).item()
    -5.0
    """
    stack = Stack("det", x, square=True)
    return stack.restored(determinant(stack.matrices))


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
    sign, logarithm = sign_and_logarithm(stack.matrices)
    return SlogdetResult(stack.restored(sign), stack.restored(logarithm, real=True))


def _tolerance(operation: str, rtol: Any) -> Any:
    return rtol if rtol is None else operand_of(operation, rtol)


def _limit(s: Tensor, shape: tuple[int, ...], rtol: Any) -> Tensor:
    """(..., 1): what singular values count as zero up to."""
    relative = EPSILON * max(shape[-2:]) if rtol is None else rtol
    if isinstance(relative, (int, float)):
        relative = float(relative)
    else:
        relative = expand_dims(astype(relative, s.dtype), axis=-1)
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
    shape = stack.matrices.shape
    values = reshape(svdvals(stack.matrices), (*stack.leading, min(shape[1:])))
    return _rank(values, shape, _tolerance("matrix_rank", rtol))


def _rank(values: Tensor, shape: tuple[int, ...], rtol: Any) -> Tensor:
    """How many of the singular values of matrices of that shape count."""
    counted = astype(values > _limit(values, shape, rtol), int32)
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
    return astype(_pseudo_inverse(a, _tolerance("pinv", rtol))[0], stack.dtype, copy=False)


@custom_gradient
def _pseudo_inverse(a: Tensor, rtol: Any) -> tuple[Any, Any]:
    """The inverses, and the singular values they are made of."""
    u, s, vh = svd(a, full_matrices=False)
    kept = s > _limit(s, a.shape, rtol)
    where = ELEMENTWISE["where"]
    factors = where(kept, 1.0 / where(kept, s, 1.0), 0.0)
    inverse = product(adjoint(vh) * expand_dims(factors, axis=-2), adjoint(u))

    def rule(cotangents: tuple[Tensor, Tensor]) -> tuple[Tensor, None]:
        g, to_values = cotangents
        across, turned = adjoint(inverse), adjoint(g)
        both = product(turned, inverse)
        left = product(both - product(a, inverse, both), across)
        both = product(across, inverse, turned)
        right = both - product(both, inverse, a)
        by_values = product(u * expand_dims(to_values, axis=-2), vh)
        return left + right + by_values - product(across, g, across), None

    return (inverse, s), rule


def lstsq(a: Any, b: Any, /, *, rcond: float | None = None) -> LstsqResult:
    """The shortest x that makes the sum of squares of b - a x smallest.

    `a` has shape (..., m, n), `b` (m,) or (..., m, k), and x (n,) or (..., n, k). Beside it, the
    sums of squares that remain (they are always given), the rank and the singular values of `a`, of
    which those up to `rcond` times the largest count as zero. Raises ShapeError where the shapes do
    not fit.

    >>> import py_tensor as pt
    >>> a = pt.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> [round(value, 4) for value in pt.linalg.lstsq(a, pt.asarray([1.0, 3.0, 5.0])).x.tolist()]
    [1.0, 2.0]
    """
    stack, given = Stack("lstsq", a), floating("lstsq", b)
    dtype = promote("lstsq", stack.dtype, given.dtype)
    left, right = reshape(stack.matrices, (*stack.leading, *stack.matrices.shape[1:])), wide(given)
    if right.ndim == 0 or right.shape[-1 if right.ndim == 1 else -2] != left.shape[-2]:
        raise ShapeError(
            f"lstsq: lengths differ; got shapes {left.shape} and {right.shape}; "
            f"give right-hand sides of length {left.shape[-2]}"
        )
    rcond = _tolerance("lstsq", rcond)
    inverse, values = _pseudo_inverse(left, rcond)
    solution = matmul(inverse, right)
    rest = right - matmul(left, solution)
    squares = ELEMENTWISE["abs"](rest) ** 2.0
    residuals = STATISTICAL["sum"](squares, axis=-1 if right.ndim == 1 else -2)
    real = float32 if dtype.kind == "c" else dtype
    return LstsqResult(
        astype(solution, dtype, copy=False),
        astype(residuals, real, copy=False),
        _rank(values, left.shape, rcond),
        astype(values, real, copy=False),
    )
