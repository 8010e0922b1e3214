"""Decompositions of matrices into factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from ..functions.arguments import choice, flag
from ..functions.complex_numbers import real
from ..functions.creation import eye, tril, triu
from ..functions.decorators import remembered_without_gradients
from ..functions.elementwise import astype, where
from ..functions.joining import concat
from ..functions.linear_algebra import matmul
from ..tensor import Tensor
from ..transforms.autodiff import custom_gradient, stop_gradient
from ..typing import ArrayLike
from .batching import MatrixStack
from .eigen_ops import eigenvalues, singular_values, singular_vectors, triangular
from .solve_ops import adjoint, lower_factor


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors, made by `eigh`."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """QR decomposition, made by `qr`."""

    Q: Tensor
    R: Tensor


class SVDResult(NamedTuple):
    """Singular value decomposition, made by `svd`."""

    U: Tensor
    S: Tensor
    Vh: Tensor


@custom_gradient
def _of_triangle(x: Tensor, upper: bool) -> tuple[Tensor, Callable[[Tensor], Any]]:
    """Return the Hermitian matrices that one triangle of each matrix defines.

    Their gradient is divided between both triangles, as if the mean with the adjoint was taken.
    """
    strict = triu(x, k=1) if upper else tril(x, k=-1)
    diagonal = eye(x.shape[-1], dtype="bool")
    whole = strict + where(diagonal, astype(real(x), x.dtype), adjoint(strict))
    return whole, lambda g: ((g + adjoint(g)) * 0.5, None)


def _hermitian(operation: str, stack: MatrixStack, uplo: str = "L") -> Tensor:
    choice(operation, "UPLO", uplo, ("L", "U"))
    return _of_triangle(stack.matrices, uplo == "U")


@remembered_without_gradients
def cholesky(x: ArrayLike, /, *, upper: bool = False) -> Tensor:
    """Cholesky factor of each positive definite Hermitian matrix: the lower triangle L of L L^H.

    A matrix that is not positive definite gives NaN. Only the lower triangle is used, as in NumPy;
    gradients are divided between both triangles.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.
        upper: Return L^H instead of L; False by default.

    Returns:
        Tensor of the shape and dtype of x.

    Raises:
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.cholesky(pt.asarray([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    stack = MatrixStack("cholesky", x, square=True)
    factor = lower_factor(_hermitian("cholesky", stack))
    return stack.restored(adjoint(factor) if flag("cholesky", "upper", upper) else factor)


def qr(x: ArrayLike, /, mode: str = "reduced") -> QRResult:
    """QR decomposition of each matrix: orthonormal columns Q times an upper triangle R.

    Uses Householder reflections, with LAPACK's signs.

    Args:
        x: Tensor of shape (..., m, n) and a floating or complex dtype; k = min(m, n).
        mode: "reduced" (default) for Q of shape (..., m, k) and R of shape (..., k, n); "complete"
            for (..., m, m) and (..., m, n).

    Returns:
        QRResult of `Q` and `R`, in the dtype of x.

    Raises:
        ArgumentError: If the mode is unknown.
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> q, r = pt.linalg.qr(pt.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> [[round(value, 5) + 0.0 for value in row] for row in r.tolist()]
    [[-5.0, -2.2], [0.0, 0.4]]
    """
    choice("qr", "mode", mode, ("reduced", "complete"))
    stack = MatrixStack("qr", x)
    _, rows, columns = stack.matrices.shape
    complete = mode == "complete" and rows > columns
    # A wide matrix has the same Q as its first square block.
    square = stack.matrices[:, :, : min(rows, columns)]
    q, r = triangular(square, complete=complete)
    if columns > rows:
        rest = matmul(adjoint(q), stack.matrices[:, :, rows:])
        r = concat([r, rest], axis=2)
    return QRResult(stack.restored(q), stack.restored(r))


def eigh(x: ArrayLike, /, UPLO: Literal["L", "U"] = "L") -> EighResult:
    """Eigenvalues and eigenvectors of each Hermitian matrix, by Jacobi rotations.

    Only one triangle is used; gradients are divided between both. The signs of eigenvectors are
    not defined.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.
        UPLO: "L" (default) for the lower triangle, "U" for the upper one.

    Returns:
        EighResult of `eigenvalues`, of shape (..., n), real and ascending, and `eigenvectors`, the
        columns of matrices of shape (..., n, n).

    Raises:
        ArgumentError: If UPLO is unknown.
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> values, vectors = pt.linalg.eigh(pt.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> [round(value, 5) for value in values.tolist()]
    [1.0, 3.0]
    """
    stack = MatrixStack("eigh", x, square=True)
    values, vectors = eigenvalues(_hermitian("eigh", stack, UPLO))
    return EighResult(stack.restored(values, real=True), stack.restored(vectors))


def eigvalsh(x: ArrayLike, /, UPLO: Literal["L", "U"] = "L") -> Tensor:
    """Eigenvalues of each Hermitian matrix; as `eigh`, without the eigenvectors.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.
        UPLO: "L" (default) for the lower triangle, "U" for the upper one.

    Returns:
        Tensor of shape (..., n), real and ascending.

    Raises:
        ArgumentError: If UPLO is unknown.
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> values = pt.linalg.eigvalsh(pt.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> [round(value, 5) for value in values.tolist()]
    [1.0, 3.0]
    """
    stack = MatrixStack("eigvalsh", x, square=True)
    return stack.restored(eigenvalues(_hermitian("eigvalsh", stack, UPLO))[0], real=True)


def _completed(x: Tensor) -> Tensor:
    """Append orthonormal columns until the matrices are square; the appended ones are constants."""
    rows, columns = x.shape[1:]
    if rows == columns:
        return x
    whole, _ = triangular(stop_gradient(x), complete=True)
    return concat([x, whole[:, :, columns:]], axis=2)


def svd(x: ArrayLike, /, full_matrices: bool = True) -> SVDResult:
    """Singular value decomposition of each matrix: U diag(S) Vh, by one-sided Jacobi rotations.

    The signs of the vectors are not defined.

    Args:
        x: Tensor of shape (..., m, n) and a floating or complex dtype; k = min(m, n).
        full_matrices: True (default) for U of shape (..., m, m) and Vh of shape (..., n, n); False
            for (..., m, k) and (..., k, n).

    Returns:
        SVDResult of `U`, `S`, of shape (..., k), real and descending, and `Vh`.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> u, s, vh = pt.linalg.svd(pt.asarray([[0.0, 2.0], [3.0, 0.0]]))
    >>> [round(value, 5) for value in s.tolist()]
    [3.0, 2.0]
    """
    stack = MatrixStack("svd", x)
    rows, columns = stack.matrices.shape[1:]
    wide = columns > rows
    left, s, right = singular_vectors(adjoint(stack.matrices) if wide else stack.matrices)
    if flag("svd", "full_matrices", full_matrices):
        left = _completed(left)
    u, v = (right, left) if wide else (left, right)
    return SVDResult(stack.restored(u), stack.restored(s, real=True), stack.restored(adjoint(v)))


def svdvals(x: ArrayLike, /) -> Tensor:
    """Singular values of each matrix.

    Args:
        x: Tensor of shape (..., m, n) and a floating or complex dtype.

    Returns:
        Tensor of shape (..., min(m, n)), real and descending.

    Raises:
        ShapeError: If x has fewer than two axes.

    >>> import py_tensor as pt
    >>> values = pt.linalg.svdvals(pt.asarray([[0.0, 2.0], [3.0, 0.0]]))
    >>> [round(value, 5) for value in values.tolist()]
    [3.0, 2.0]
    """
    stack = MatrixStack("svdvals", x)
    wide = stack.matrices.shape[2] > stack.matrices.shape[1]
    tall = adjoint(stack.matrices) if wide else stack.matrices
    return stack.restored(singular_values(tall), real=True)
