"""Matrices that the tests of linear algebra share, and comparisons with NumPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

EPSILON = float(np.finfo("float32").eps)


def random(rng: np.random.Generator, *shape: int) -> Any:
    return rng.normal(size=shape).astype("float32")


def with_values(rng: np.random.Generator, values: Any, columns: int | None = None) -> Any:
    """A matrix with these singular values; symmetric with these eigenvalues without `columns`."""
    rows = len(values)
    left = np.linalg.qr(rng.normal(size=(rows, rows)))[0]
    if columns is None:
        return ((left * values) @ left.T).astype("float32")
    right = np.linalg.qr(rng.normal(size=(columns, columns)))[0][:, :rows]
    return ((left * values) @ right.T).astype("float32")


def turned(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def size_of(x: Any) -> Any:
    """The largest singular value of each matrix, at least a tiny number: (..., 1, 1)."""
    values = np.linalg.norm(np.asarray(x, "float64"), 2, axis=(-2, -1), keepdims=True)
    return np.maximum(values, 1e-300)


def bound(x: Any) -> float:
    """What rounding may change in the factors of such a matrix, relative to its size.

    Each of n steps rounds once, in both directions; 4 is the worst met here, with room for 2.
    """
    return 4 * EPSILON * max(x.shape[-2:])


def assert_close(got: Any, expected: Any, size: Any, relative: float) -> None:
    """No element is off by more than `relative` times `size`."""
    assert got.shape == expected.shape, f"got shape {got.shape}, not {expected.shape}"
    worst = np.max(np.abs(np.asarray(got, "float64") - expected) / size, initial=0.0)
    assert worst <= relative, f"off by {worst}, where {relative} is allowed"


def assert_orthonormal(q: Any) -> None:
    """The columns have length 1 and are orthogonal."""
    q = np.asarray(q, "float64")
    unit = np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *(q.shape[-1],) * 2))
    assert_close(turned(q) @ q, unit, 1.0, bound(q))
