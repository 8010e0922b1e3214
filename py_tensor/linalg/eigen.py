"""Eigenvalues and eigenvectors of matrices that need not be Hermitian.

They are computed on the host, so the values are read back: by NumPy if the program has imported it,
else by `schur`. Gradients are computed on the device, by Boeddeker et al., "On the computation of
complex-valued gradients with application to statistically optimum beamforming" (2017).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .. import functions as F
from ..dtypes import complex64
from ..late import imported
from ..runtime.host_data import nest, unpack
from ..tensor import Tensor
from ..transforms.autodiff import custom_gradient
from ..typing import ArrayLike
from . import numpy_references, schur
from .batching import MatrixStack
from .eigen_ops import differences, on_diagonal
from .solve_ops import adjoint, parts_of, product, solved


class EigResult(NamedTuple):
    """Eigenvalues and eigenvectors, made by `eig`."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eig(x: ArrayLike, /) -> EigResult:
    """Eigenvalues and eigenvectors of each square matrix.

    Reads x back and computes on the host, in double precision; `eigh`, for Hermitian matrices, does
    neither. A page waits meanwhile: without NumPy, about 40 ms for n = 32 and 2 s for n = 128.
    Matrices with elements that are not finite give NaN.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.

    Returns:
        EigResult of `eigenvalues`, of shape (..., n), in no order, and `eigenvectors`, the columns
        of matrices of shape (..., n, n); complex64. Eigenvectors have length 1 and their
        largest element is real. Defective matrices repeat eigenvectors.

    Raises:
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> values, vectors = pt.linalg.eig(pt.asarray([[0.0, 1.0], [-4.0, 0.0]]))
    >>> values.tolist()
    [2j, -2j]
    """
    stack = MatrixStack("eig", x, square=True)
    values, vectors = _pairs("eig", stack.matrices)
    n = values.shape[1]
    shape = (*stack.leading, n)
    return EigResult(F.reshape(values, shape), F.reshape(vectors, (*shape, n)))


def eigvals(x: ArrayLike, /) -> Tensor:
    """Eigenvalues of each square matrix; as `eig`, without the eigenvectors.

    Args:
        x: Tensor of shape (..., n, n) and a floating or complex dtype.

    Returns:
        Tensor of shape (..., n), in no order; complex64.

    Raises:
        ShapeError: If the matrices are not square.

    >>> import py_tensor as pt
    >>> pt.linalg.eigvals(pt.asarray([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [(1+0j), (3+0j)]
    """
    stack = MatrixStack("eigvals", x, square=True)
    values = _values(stack.matrices)
    return F.reshape(values, (*stack.leading, values.shape[1]))


def _numbers(operation: str, matrices: Tensor) -> list[schur.HostMatrix]:
    """Read back the matrices as lists of rows of numbers."""
    rows: list[schur.HostMatrix]
    rows = nest(unpack(matrices._bytes(operation), matrices.dtype), matrices.shape)
    return rows


def _pairs_of(
    matrix: schur.HostMatrix, *, vectors: bool = True
) -> tuple[schur.Vector, schur.HostMatrix]:
    """Return the eigenvalues of a matrix on the host, and its eigenvectors as rows."""
    if imported("numpy") and matrix:
        return numpy_references.eigenpairs(matrix)
    return schur.eigenpairs(matrix) if vectors else (schur.eigenvalues(matrix), [])


def _uploaded(numbers: schur.Vector, *shape: int) -> Tensor:
    return F.reshape(F.asarray(numbers, dtype=complex64), shape)


@custom_gradient
def _values(matrices: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    values = [
        x for matrix in _numbers("eigvals", matrices) for x in _pairs_of(matrix, vectors=False)[0]
    ]

    def rule(cotangent: Tensor) -> Tensor:
        _, vectors = _pairs("eigvals", matrices)
        return _in_basis(matrices, vectors, on_diagonal(cotangent))

    return _uploaded(values, *matrices.shape[:2]), rule


def _pairs(operation: str, matrices: Tensor) -> tuple[Tensor, Tensor]:
    pairs = [_pairs_of(matrix) for matrix in _numbers(operation, matrices)]
    values = _uploaded([x for own, _ in pairs for x in own], *matrices.shape[:2])
    rows = _uploaded([x for _, own in pairs for row in own for x in row], *matrices.shape)
    vectors = F.matrix_transpose(rows)

    @custom_gradient
    def attached(
        matrices: Tensor,
    ) -> tuple[tuple[Tensor, Tensor], Callable[[tuple[Tensor, Tensor]], Tensor]]:
        return (values, vectors), rule

    def rule(cotangents: tuple[Tensor, Tensor]) -> Tensor:
        # Attach the results again, for second-order derivatives.
        values, vectors = attached(matrices)
        to_values, to_vectors = cotangents
        across = adjoint(vectors)
        inner = product(across, to_vectors)
        # Eigenvectors keep length 1.
        own = F.real(inner) * F.eye(inner.shape[1])
        inner = inner - product(across, vectors, F.complex(own, 0.0))
        inner = inner * F.conj(differences(values)) + on_diagonal(to_values)
        return _in_basis(matrices, vectors, inner)

    result: tuple[Tensor, Tensor] = attached(matrices)
    return result


def _in_basis(matrices: Tensor, vectors: Tensor, inner: Tensor) -> Tensor:
    """Return the cotangent of the matrices, given it in the basis of their eigenvectors."""
    across = adjoint(vectors)
    whole = solved(across, product(inner, across))
    return whole if parts_of(matrices) == 2 else F.real(whole)
