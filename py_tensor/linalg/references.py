"""What the rows of linear algebra give by NumPy, in float64.

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
        results = []
        for matrices in zip(*(array.astype(xp.float64) for array in arrays), strict=True):
            try:
                results.append(function(xp, *matrices, arg))
            except xp.linalg.LinAlgError:
                unit = xp.eye(*matrices[0].shape)
                right = matrices[1:]
                results.append(xp.full_like(function(xp, unit, *right, arg), xp.nan))
        return xp.asarray(results)

    return reference


@_each
def cholesky(xp: Any, a: Any, arg: None) -> Any:
    return xp.linalg.cholesky(a)


@_each
def solve(xp: Any, a: Any, b: Any, arg: None) -> Any:
    return xp.linalg.solve(a, b)


@_each
def det(xp: Any, a: Any, arg: None) -> Any:
    return xp.linalg.det(a)


@_each
def slogdet(xp: Any, a: Any, arg: None) -> Any:
    return xp.asarray(xp.linalg.slogdet(a))


@_each
def qr(xp: Any, a: Any, complete: bool) -> Any:
    q, r = xp.linalg.qr(a, mode="complete" if complete else "reduced")
    return xp.concatenate((q, r), axis=1 if complete else 0)


@_each
def eigh(xp: Any, a: Any, arg: None) -> Any:
    values, vectors = xp.linalg.eigh(a)
    return xp.concatenate((vectors, values[None, :]))


@_each
def svd(xp: Any, a: Any, vectors: bool) -> Any:
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    return xp.concatenate((u, vh.T, s[None, :])) if vectors else s
