"""NumPy references of the linear algebra ops, in double precision.

Input: an array namespace `xp`, operands (batch, rows, columns) and the static argument. Output:
results in the layout of the ops; NaN if NumPy raises, for example for singular matrices. Only
`eigenpairs` takes and returns lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def eigenpairs(matrix: list[list[complex]]) -> tuple[list[complex], list[list[complex]]]:
    """Return eigenvalues and eigenvectors, as `schur.eigenpairs` does."""
    import numpy as np

    try:
        values, vectors = np.linalg.eig(np.asarray(matrix))
    except np.linalg.LinAlgError:
        values = np.full(len(matrix), complex(np.nan, np.nan))
        vectors = np.full((len(matrix), len(matrix)), values[0])
    return values.astype(complex).tolist(), vectors.T.astype(complex).tolist()


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply a function to one matrix after another; NaN for matrices that NumPy rejects."""

    def reference(xp: Any, *operands: Any) -> Any:
        *arrays, arg = operands
        parts = arg if isinstance(arg, int) else arg[0]
        results = []
        for packed in zip(*arrays, strict=True):
            matrices = [_unpacked(xp, matrix, parts) for matrix in packed]
            try:
                results.append(function(xp, *matrices, arg))
            except xp.linalg.LinAlgError:
                matrices[0] = xp.eye(*matrices[0].shape, dtype=matrices[0].dtype)
                results.append(xp.full_like(function(xp, *matrices, arg), xp.nan))
        return xp.asarray(results)

    return reference


def _unpacked(xp: Any, matrix: Any, parts: int) -> Any:
    matrix = matrix.astype(xp.float64)
    if parts == 1:
        return matrix
    half = matrix.shape[-1] // 2
    return matrix[..., :half] + 1j * matrix[..., half:]


def _packed(xp: Any, matrix: Any, parts: int) -> Any:
    if parts == 1:
        return matrix
    return xp.concatenate((xp.real(matrix), xp.imag(matrix)), axis=-1)


@_each
def cholesky(xp: Any, a: Any, parts: int) -> Any:
    return _packed(xp, xp.linalg.cholesky(a), parts)


@_each
def solve(xp: Any, a: Any, b: Any, parts: int) -> Any:
    return _packed(xp, xp.linalg.solve(a, b), parts)


@_each
def det(xp: Any, a: Any, parts: int) -> Any:
    return _packed(xp, xp.linalg.det(a)[None], parts)


@_each
def slogdet(xp: Any, a: Any, parts: int) -> Any:
    sign, logarithm = xp.linalg.slogdet(a)
    return xp.concatenate((_packed(xp, sign[None], parts), logarithm[None]))


@_each
def qr(xp: Any, a: Any, arg: tuple[int, bool]) -> Any:
    parts, complete = arg
    q, r = xp.linalg.qr(a, mode="complete" if complete else "reduced")
    factors = (_packed(xp, q, parts), _packed(xp, r, parts))
    return xp.concatenate(factors, axis=1 if complete else 0)


@_each
def eigh(xp: Any, a: Any, parts: int) -> Any:
    values, vectors = xp.linalg.eigh(a)
    return xp.concatenate((_packed(xp, vectors, parts), _beside(xp, values, parts)))


@_each
def svd(xp: Any, a: Any, arg: tuple[int, bool]) -> Any:
    parts, vectors = arg
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    if not vectors:
        return s
    factors = (_packed(xp, u, parts), _packed(xp, vh.conj().T, parts))
    return xp.concatenate((*factors, _beside(xp, s, parts)))


def _beside(xp: Any, values: Any, parts: int) -> Any:
    """Return one row of real values in the layout of matrices with `parts` parts."""
    return _packed(xp, values[None, :] + 0j if parts == 2 else values[None, :], parts)
