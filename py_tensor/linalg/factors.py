"""Decompositions of matrices into factors."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..autodiff import stop_gradient
from ..errors import ArgumentError
from ..functions.joining import concat
from ..functions.linear_algebra import matmul
from ..functions.manipulation import matrix_transpose
from ..tensor import Tensor, apply
from .spectra import EIGH, QR, SVD
from .stacks import Stack
from .systems import CHOLESKY


class EighResult(NamedTuple):
    """What `eigh` gives."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """What `qr` gives."""

    Q: Tensor
    R: Tensor


class SVDResult(NamedTuple):
    """What `svd` gives."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def _symmetric(stack: Stack) -> Tensor:
    """The mean of each matrix and its transpose, so that both triangles have gradients."""
    return (stack.matrices + matrix_transpose(stack.matrices)) * 0.5


def cholesky(x: Any, /, *, upper: bool = False) -> Tensor:
    """The triangular factor L of each symmetric positive definite matrix, which is L L^T.

    `x` has shape (..., n, n) and a floating dtype; with `upper` the result is L^T. Of matrices that
    are not symmetric the mean with the transpose is taken. Matrices that are not positive definite
    give NaN. Raises ShapeError for matrices that are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.cholesky(pt.asarray([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    stack = Stack("cholesky", x, square=True)
    factor = apply(CHOLESKY, (_symmetric(stack),))
    return stack.restored(matrix_transpose(factor) if upper else factor)


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Q with orthonormal columns and R, an upper triangle, with Q R the matrix.

    For `x` of shape (..., m, n) and k = min(m, n), Q is (..., m, k) and R (..., k, n), or with mode
    "complete" (..., m, m) and (..., m, n). By Householder's reflections, with LAPACK's signs.
    Raises ArgumentError for other modes.

    >>> import py_tensor as pt
    >>> q, r = pt.linalg.qr(pt.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> [[round(value, 5) + 0.0 for value in row] for row in r.tolist()]
    [[-5.0, -2.2], [0.0, 0.4]]
    """
    if mode not in ("reduced", "complete"):
        raise ArgumentError(f'qr: mode is neither "reduced" nor "complete"; got {mode!r}')
    stack = Stack("qr", x)
    _, rows, columns = stack.matrices.shape
    complete = mode == "complete" and rows > columns
    # Of a wide matrix the square in front has the same Q.
    square = stack.matrices[:, :, : min(rows, columns)]
    packed = apply(QR, (square,), complete)
    if complete:
        q, r = packed[:, :, :rows], packed[:, :, rows:]
    else:
        q, r = packed[:, :rows], packed[:, rows:]
    if columns > rows:
        rest = matmul(matrix_transpose(q), stack.matrices[:, :, rows:])
        r = concat([r, rest], axis=2)
    return QRResult(stack.restored(q), stack.restored(r))


def _eigh(operation: str, x: Any) -> tuple[Stack, Tensor]:
    stack = Stack(operation, x, square=True)
    return stack, apply(EIGH, (_symmetric(stack),))


def eigh(x: Any, /) -> EighResult:
    """Eigenvalues of each symmetric matrix, smallest first, and eigenvectors, as columns.

    `x` has shape (..., n, n); the results (..., n) and (..., n, n). Of matrices that are not
    symmetric the mean with the transpose is taken. The vectors' signs are not defined. By Jacobi's
    rotations. Raises ShapeError for matrices that are not square.

    >>> import py_tensor as pt
    >>> values, vectors = pt.linalg.eigh(pt.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> [round(value, 5) for value in values.tolist()]
    [1.0, 3.0]
    """
    stack, packed = _eigh("eigh", x)
    n = packed.shape[2]
    return EighResult(stack.restored(packed[:, n]), stack.restored(packed[:, :n]))


def eigvalsh(x: Any, /) -> Tensor:
    """Eigenvalues of each symmetric matrix, smallest first; as `eigh`, without the vectors.

    >>> import py_tensor as pt
    >>> values = pt.linalg.eigvalsh(pt.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> [round(value, 5) for value in values.tolist()]
    [1.0, 3.0]
    """
    stack, packed = _eigh("eigvalsh", x)
    return stack.restored(packed[:, packed.shape[2]])


def _completed(x: Tensor) -> Tensor:
    """Orthonormal columns, with as many others behind as make them square; those are constant."""
    rows, columns = x.shape[1:]
    if rows == columns:
        return x
    whole = apply(QR, (stop_gradient(x),), True)[:, :, columns:rows]
    return concat([x, whole], axis=2)


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """U, S and Vh of the singular value decomposition: the matrix is U diag(S) Vh.

    For `x` of shape (..., m, n) and k = min(m, n), S is (..., k), largest first; U is (..., m, m)
    and Vh (..., n, n), or without `full_matrices` (..., m, k) and (..., k, n). The vectors' signs
    are not defined. By Jacobi's one-sided rotations.

    >>> import py_tensor as pt
    >>> u, s, vh = pt.linalg.svd(pt.asarray([[0.0, 2.0], [3.0, 0.0]]))
    >>> [round(value, 5) for value in s.tolist()]
    [3.0, 2.0]
    """
    stack = Stack("svd", x)
    _, rows, columns = stack.matrices.shape
    wide = columns > rows
    tall = matrix_transpose(stack.matrices) if wide else stack.matrices
    packed = apply(SVD, (tall,), True)
    longest, count = tall.shape[1:]
    left, right = packed[:, :longest], packed[:, longest : longest + count]
    if full_matrices:
        left = _completed(left)
    u, v = (right, left) if wide else (left, right)
    return SVDResult(
        stack.restored(u),
        stack.restored(packed[:, longest + count]),
        stack.restored(matrix_transpose(v)),
    )


def svdvals(x: Any, /) -> Tensor:
    """Singular values of each matrix, largest first: (..., min(m, n)) for `x` (..., m, n).

    >>> import py_tensor as pt
    >>> values = pt.linalg.svdvals(pt.asarray([[0.0, 2.0], [3.0, 0.0]]))
    >>> [round(value, 5) for value in values.tolist()]
    [3.0, 2.0]
    """
    stack = Stack("svdvals", x)
    wide = stack.matrices.shape[2] > stack.matrices.shape[1]
    tall = matrix_transpose(stack.matrices) if wide else stack.matrices
    return stack.restored(apply(SVD, (tall,), False))
