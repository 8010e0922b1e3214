"""Linear algebra under the names of `jax.scipy.linalg`."""

from __future__ import annotations

from typing import Any, Literal

from .. import linalg
from ..errors import ArgumentError
from ..functions import statistical
from ..functions.creation import arange, eye, tril, triu, zeros
from ..functions.elementwise import abs, ceil, clip, log2, where
from ..functions.indexing import take
from ..functions.joining import concat
from ..functions.linear_algebra import matmul
from ..functions.manipulation import expand_dims, flip, matrix_transpose, reshape
from ..linalg import det, inv
from ..tensor import Tensor, as_tensor
from ..transforms.autodiff import stop_gradient
from ..typing import ArrayLike

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "expm",
    "inv",
    "qr",
    "solve",
    "solve_triangular",
    "svd",
    "toeplitz",
]

SQUARINGS = 16
"""Most times that `expm` squares a matrix."""


def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Tensor:
    """Return the triangular factor of a positive definite matrix.

    Args:
        a: Matrix, or a stack of them.
        lower: If True, the lower triangle L of L L^H is returned; False (default) for the upper
            one, its adjoint.
        overwrite_a: For compatibility; ignored.
        check_finite: For compatibility; ignored.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.cholesky(pt.asarray([[4.0, 2.0], [2.0, 2.0]])).tolist()
    [[2.0, 1.0], [0.0, 1.0]]
    """
    return linalg.cholesky(a, upper=not lower)


def cho_factor(a: ArrayLike, lower: bool = False) -> tuple[Tensor, bool]:
    """Return (`cholesky(a, lower)`, lower), for `cho_solve`.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.cho_factor(pt.asarray([[4.0]]))[0].item()
    2.0
    """
    return cholesky(a, lower), lower


def cho_solve(c_and_lower: tuple[ArrayLike, bool], b: ArrayLike) -> Tensor:
    """Solve A x = b, given the factor of A that `cho_factor` returned.

    >>> import py_tensor as pt
    >>> factor = pt.scipy.linalg.cho_factor(pt.asarray([[4.0]]))
    >>> pt.scipy.linalg.cho_solve(factor, pt.asarray([8.0])).tolist()
    [2.0]
    """
    factor, lower = c_and_lower
    first, second = (0, 2) if lower else (2, 0)
    inner = solve_triangular(factor, b, first, lower)
    return solve_triangular(factor, inner, second, lower)


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Tensor:
    """Solve A x = b for a triangular matrix A.

    Args:
        a: Matrix, or a stack of them, of which one triangle is used.
        b: Right sides: a vector, or a matrix with one in each column.
        trans: 0 or "N" (default) for A, 1 or "T" for its transpose, 2 or "C" for its adjoint.
        lower: If True, the lower triangle is used; False (default) for the upper one.
        unit_diagonal: If True, the diagonal is taken as 1; False by default.

    Raises:
        ArgumentError: If `trans` is none of these.

    >>> import py_tensor as pt
    >>> a = pt.asarray([[2.0, 0.0], [1.0, 1.0]])
    >>> pt.scipy.linalg.solve_triangular(a, pt.asarray([4.0, 5.0]), lower=True).tolist()
    [2.0, 3.0]
    """
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ArgumentError(
            f"solve_triangular: trans does not exist; got {trans!r}; use 0, 1, 2, N, T or C"
        )
    x = as_tensor("solve_triangular", a)
    x = tril(x) if lower else triu(x)
    if unit_diagonal:
        unit = eye(x.shape[-1], dtype=x.dtype)
        x = where(unit != 0, unit, x)
    if trans not in (0, "N"):
        x = matrix_transpose(x.conj() if trans in (2, "C") else x)
    return linalg.solve(x, b)


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    debug: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> Tensor:
    """Solve A x = b; only `a` and `b` change the result.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.solve(pt.asarray([[2.0]]), pt.asarray([4.0])).tolist()
    [2.0]
    """
    return linalg.solve(a, b)


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: object = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> Any:
    """Return the QR decomposition (Q, R) of a matrix.

    Args:
        a: Matrix, or a stack of them.
        overwrite_a: For compatibility; ignored.
        lwork: For compatibility; ignored.
        mode: "full" (default) for a square Q, "economic" for a reduced one, "r" for (R,) alone.
        pivoting: Must be False.
        check_finite: For compatibility; ignored.

    Raises:
        ArgumentError: If `mode` does not exist, or for pivoting.

    >>> import py_tensor as pt
    >>> [part.shape for part in pt.scipy.linalg.qr(pt.ones((3, 2)))]
    [(3, 3), (3, 2)]
    """
    if mode not in ("full", "economic", "r") or pivoting:
        raise ArgumentError(
            f"qr: mode does not exist; got {mode!r}, pivoting={pivoting}; use full, economic or r "
            "without pivoting"
        )
    q, r = linalg.qr(a, "reduced" if mode == "economic" else "complete")
    return (r,) if mode == "r" else (q, r)


def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular value decomposition (U, s, Vh), or s alone without `compute_uv`.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.svd(pt.asarray([[3.0]]), compute_uv=False).tolist()
    [3.0]
    """
    return linalg.svd(a, full_matrices=full_matrices) if compute_uv else linalg.svdvals(a)


def eigh(a: ArrayLike, b: None = None, lower: bool = True, eigvals_only: bool = False) -> Any:
    """Return the eigenvalues and eigenvectors of a Hermitian matrix.

    Args:
        a: Matrix, or a stack of them.
        b: Must be None.
        lower: If True (default), the lower triangle is used, else the upper one.
        eigvals_only: If True, only the eigenvalues are returned; False by default.

    Raises:
        ArgumentError: If `b` is given.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.eigh(pt.asarray([[2.0, 0.0], [0.0, 1.0]]), eigvals_only=True).tolist()
    [1.0, 2.0]
    """
    if b is not None:
        raise ArgumentError("eigh: generalized problems are not supported; got b; omit it")
    side: Literal["L", "U"] = "L" if lower else "U"
    return linalg.eigvalsh(a, side) if eigvals_only else linalg.eigh(a, side)


def expm(A: ArrayLike, *, upper_triangular: bool = False, max_squarings: int = SQUARINGS) -> Tensor:
    """Return the exponential of a matrix, by a Taylor polynomial with scaling and squaring.

    Args:
        A: Square matrix, or a stack of them.
        upper_triangular: For compatibility; ignored.
        max_squarings: Most squarings, which limit the norm to about 2 ** this; 16 by default.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.expm(pt.asarray([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    x = as_tensor("expm", A)
    norm = stop_gradient(statistical.max(statistical.sum(abs(x), axis=-2), axis=-1))
    count = clip(ceil(log2(where(norm > 0.5, norm, 0.5))) + 1.0, 0.0, float(max_squarings))
    count = expand_dims(count, axis=(-2, -1))
    scaled = x / 2.0**count
    unit = eye(x.shape[-1], dtype=x.dtype)
    result = unit
    for n in range(9, 0, -1):
        result = unit + matmul(scaled, result) / float(n)
    for step in range(max_squarings):
        result = where(count > step, matmul(result, result), result)
    return result


def block_diag(*arrs: ArrayLike) -> Tensor:
    """Return a matrix with other matrices on its diagonal.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.block_diag(pt.asarray([[1.0]]), pt.asarray([[2.0, 3.0]])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 2.0, 3.0]]
    """
    blocks = [as_tensor("block_diag", block) for block in arrs] or [zeros((1, 0))]
    blocks = [reshape(block, (1, -1)) if block.ndim < 2 else block for block in blocks]
    width, left, rows = sum(block.shape[1] for block in blocks), 0, []
    for block in blocks:
        height, own = block.shape
        parts = [zeros((height, left)), block, zeros((height, width - left - own))]
        rows.append(concat([part.astype(block.dtype) for part in parts], axis=1))
        left += own
    return concat(rows)


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Tensor:
    """Return the matrix with constant diagonals whose first column is c, and first row r.

    >>> import py_tensor as pt
    >>> pt.scipy.linalg.toeplitz(pt.asarray([1, 2]), pt.asarray([1, 5])).tolist()
    [[1, 5], [2, 1]]
    """
    column = reshape(as_tensor("toeplitz", c), (-1,))
    row = column.conj() if r is None else reshape(as_tensor("toeplitz", r), (-1,))
    values = concat([flip(column), row[1:]])
    places = expand_dims(arange(column.size - 1, -1, -1), axis=1) + arange(row.size)
    return reshape(take(values, reshape(places, (-1,))), places.shape)
