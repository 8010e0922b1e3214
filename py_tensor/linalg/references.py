"""What the rows of linear algebra give by NumPy, in double precision.

Comes in: an array namespace `xp`, operands (batch, rows, columns) and the static argument; goes
out: results as the rows lay them out. Where NumPy raises, for singular matrices say, they are NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """The results for one matrix after another; NaN for those NumPy refuses."""

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
    """One row of real values, as long as those of matrices with so many parts."""
    return _packed(xp, values[None, :] + 0j if parts == 2 else values[None, :], parts)
