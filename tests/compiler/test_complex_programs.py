"""Random programs of complex numbers: the same steps on tensors and on NumPy arrays."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.errors import TensorError

SHAPES = ((3, 7), (4, 8), (5,), (2, 3, 4), (1, 6), (8,), (2, 5, 6))
LARGE = 1e3
"""Values beyond this are dropped, so that errors stay comparable."""


STEPS = (
    lambda t, a: (pt.matrix_transpose(t), np.swapaxes(a, -1, -2)),
    lambda t, a: (t[..., ::2], a[..., ::2]),
    lambda t, a: (pt.flip(t, axis=-1), a[..., ::-1]),
    lambda t, a: (pt.reshape(t, (-1,)), a.reshape(-1)),
    lambda t, a: (t * (0.5 - 1j), a * (0.5 - 1j)),
    lambda t, a: (pt.conj(t), a.conj()),
    lambda t, a: (pt.concat([t, t[..., :2]], axis=-1), np.concatenate([a, a[..., :2]], -1)),
    lambda t, a: (pt.pad(t, 1, constant_values=2), np.pad(a, 1, constant_values=2)),
    lambda t, a: (pt.sum(t, axis=-1), a.sum(-1)),
    lambda t, a: (pt.exp(t * 0.3), np.exp(a * 0.3)),
    lambda t, a: (pt.abs(t), np.abs(a)),
    lambda t, a: (pt.where(t == t, t, 1j), a + 0j),
    lambda t, a: (pt.take(t, [0, 1, 0], axis=-1), a[..., [0, 1, 0]]),
)
JOINS = ("add", "subtract", "multiply")


def leaf(g):
    a = g.uniform(-1, 1, (2, *SHAPES[g.integers(len(SHAPES))])).astype("float32")
    a = a[0] if g.random() < 0.25 else a[0] + np.complex64(1j) * a[1]
    return pt.asarray(a), a.astype("complex128" if a.dtype.kind == "c" else "float64")


def step(values, g):
    """Apply a step to a tensor and its array; None if the step does not fit."""
    kind = g.integers(len(STEPS) + len(JOINS))
    t, a = values[g.integers(len(values))]
    try:
        if kind < len(STEPS):
            return STEPS[kind](t, a)
        u, b = values[g.integers(len(values))]
        np.broadcast_shapes(a.shape, b.shape)
        name = JOINS[kind - len(STEPS)]
        return getattr(pt, name)(t, u), getattr(np, name)(a, b)
    except (ValueError, IndexError, TensorError):
        return None


@pytest.mark.parametrize("seed", range(10))
def test_programs(seed):
    g = np.random.default_rng(seed)
    values = [leaf(g), leaf(g)]
    for _ in range(9):
        found = step(values, g)
        if found is not None and found[1].size and np.abs(found[1]).max() < LARGE:
            values.append(found)
    if seed % 4 == 0:
        pt.realize(*(t for t, _ in values))
    for t, a in values[::-1] if seed % 3 else values:
        got = t.numpy()
        assert got.dtype.kind == a.dtype.kind
        np.testing.assert_allclose(got, a, rtol=2e-5, atol=2e-4)
