"""Eigenvalues and eigenvectors of matrices that need not be Hermitian.

They are found on the host, by `schur`, so values are read; gradients are computed on the device, by
Boeddeker et al., "On the computation of complex-valued gradients with application to statistically
optimum beamforming" (2017).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..autodiff import custom_gradient
from ..conversion import nest, unpack
from ..dtypes import complex64
from ..functions.complexes import complex, real
from ..functions.creation import eye
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.manipulation import matrix_transpose, reshape
from ..tensor import Tensor, asarray
from . import schur
from .spectra import differences, on_diagonal
from .stacks import Stack
from .systems import adjoint, parts_of, product, solved


class EigResult(NamedTuple):
    """What `eig` gives."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eig(x: Any, /) -> EigResult:
    """Eigenvalues of each square matrix, in no order, and eigenvectors, as columns; complex64.

    `x` has shape (..., n, n); the results (..., n) and (..., n, n). Eigenvectors have length 1 and
    a real element where they are largest; those of a matrix that has fewer than n are repeated.
    Matrices with elements that are not finite give NaN. Reads x and computes on the host, in double
    precision; `eigh`, for Hermitian matrices, does neither. Raises ShapeError for matrices that are
    not square.

    >>> import py_tensor as pt
    >>> values, vectors = pt.linalg.eig(pt.asarray([[0.0, 1.0], [-4.0, 0.0]]))
    >>> values.tolist()
    [2j, -2j]
    """
    stack = Stack("eig", x, square=True)
    values, vectors = _pairs("eig", stack.matrices)
    n = values.shape[1]
    shape = (*stack.leading, n)
    return EigResult(reshape(values, shape), reshape(vectors, (*shape, n)))


def eigvals(x: Any, /) -> Tensor:
    """Eigenvalues of each square matrix, in no order; complex64, as `eig`, without the vectors.

    >>> import py_tensor as pt
    >>> pt.linalg.eigvals(pt.asarray([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [(1+0j), (3+0j)]
    """
    stack = Stack("eigvals", x, square=True)
    values = _values(stack.matrices)
    return reshape(values, (*stack.leading, values.shape[1]))


def _numbers(operation: str, matrices: Tensor) -> Any:
    """The matrices as lists of rows of numbers: read."""
    return nest(unpack(matrices._bytes(operation), matrices.dtype), matrices.shape)


def _stored(numbers: list[Any], *shape: int) -> Tensor:
    return reshape(asarray(numbers, dtype=complex64), shape)


@custom_gradient
def _values(matrices: Tensor) -> tuple[Tensor, Any]:
    found = [x for matrix in _numbers("eigvals", matrices) for x in schur.eigenvalues(matrix)]

    def rule(cotangent: Tensor) -> Tensor:
        _, vectors = _pairs("eigvals", matrices)
        return _in_basis(matrices, vectors, on_diagonal(cotangent))

    return _stored(found, *matrices.shape[:2]), rule


def _pairs(operation: str, matrices: Tensor) -> tuple[Tensor, Tensor]:
    found = [schur.eigenpairs(matrix) for matrix in _numbers(operation, matrices)]
    values = _stored([x for pairs in found for x in pairs[0]], *matrices.shape[:2])
    rows = _stored([x for pairs in found for row in pairs[1] for x in row], *matrices.shape)
    vectors = matrix_transpose(rows)

    @custom_gradient
    def attached(matrices: Tensor) -> tuple[tuple[Tensor, Tensor], Any]:
        return (values, vectors), rule

    def rule(cotangents: tuple[Tensor, Tensor]) -> Tensor:
        # Attached anew, for derivatives of the second order.
        values, vectors = attached(matrices)
        to_values, to_vectors = cotangents
        across = adjoint(vectors)
        inner = product(across, to_vectors)
        # Lengths stay 1.
        own = real(inner) * eye(inner.shape[1])
        inner = inner - product(across, vectors, complex(own, 0.0))
        inner = inner * ELEMENTWISE["conj"](differences(values)) + on_diagonal(to_values)
        return _in_basis(matrices, vectors, inner)

    result: tuple[Tensor, Tensor] = attached(matrices)
    return result


def _in_basis(matrices: Tensor, vectors: Tensor, inner: Tensor) -> Tensor:
    """The cotangent of the matrices, by that of what they are in the basis of the vectors."""
    across = adjoint(vectors)
    whole = solved(across, product(inner, across))
    return whole if parts_of(matrices) == 2 else real(whole)
