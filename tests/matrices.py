"""Matrices shared by the tests of linear algebra, and comparisons with NumPy in float64."""

from __future__ import annotations

from typing import Any

import half_storage
import numpy as np

import py_tensor as pt

EPSILON = half_storage.epsilon(float(np.finfo("float32").eps))


def random(rng: np.random.Generator, *shape: int, dtype: str = "float32") -> Any:
    values = rng.normal(size=shape)
    if dtype == "complex64":
        values = values + 1j * rng.normal(size=shape)
    return values.astype(dtype)


def double(x: Any) -> Any:
    """Convert to double precision."""
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def with_values(
    rng: np.random.Generator, values: Any, columns: int | None = None, dtype: str = "float32"
) -> Any:
    """Make a matrix with these singular values, or these eigenvalues if `columns` is not given."""
    rows = len(values)
    left = np.linalg.qr(double(random(rng, rows, rows, dtype=dtype)))[0]
    if columns is None:
        return ((left * values) @ adjoint(left)).astype(dtype)
    right = np.linalg.qr(double(random(rng, columns, columns, dtype=dtype)))[0][:, :rows]
    return ((left * values) @ adjoint(right)).astype(dtype)


def adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def size_of(x: Any) -> Any:
    """Largest singular value of each matrix, at least a tiny number: (..., 1, 1)."""
    values = np.linalg.norm(double(x), 2, axis=(-2, -1), keepdims=True)
    return np.maximum(values, 1e-300)


FACTORS = {"jax": 12}
"""LAPACK in float32, which JAX calls, was off by 5.95 times n rounding errors (complex SVD)."""


def bound(x: Any) -> float:
    """Error bound of the factors of such a matrix, relative to its size.

    Each of n steps rounds once, in both directions. The factor 4 is twice the largest error seen.
    """
    return FACTORS.get(pt.get_backend(), 4) * EPSILON * max(x.shape[-2:])


def assert_close(got: Any, expected: Any, size: Any, relative: float) -> None:
    """Assert that no element is off by more than `relative` times `size`."""
    assert got.shape == expected.shape, f"got shape {got.shape}, not {expected.shape}"
    worst = np.max(np.abs(double(got) - expected) / size, initial=0.0)
    assert worst <= relative, f"off by {worst}, where {relative} is allowed"


def assert_same_values(got: Any, expected: Any, size: Any, relative: float) -> None:
    """Assert that the last axis holds the expected numbers in any order, within a bound.

    Each expected number takes the closest remaining one.
    """
    rest = double(got).copy()
    paired = np.empty_like(rest)
    for at in range(rest.shape[-1]):
        place = np.argmin(np.abs(rest - expected[..., at, None]), axis=-1)[..., None]
        paired[..., at] = np.take_along_axis(rest, place, axis=-1)[..., 0]
        np.put_along_axis(rest, place, np.inf, axis=-1)
    assert_close(paired, expected, size, relative)


def assert_orthonormal(q: Any) -> None:
    """Assert that the columns have length 1 and are orthogonal."""
    q = double(q)
    unit = np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *(q.shape[-1],) * 2))
    assert_close(adjoint(q) @ q, unit, 1.0, bound(q))
