"""Iterating over a tensor of many slices reads it once."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.runtime import executor


@pytest.fixture
def reads(monkeypatch):
    """Return the list of sizes of the buffers that are read."""
    found: list[int] = []
    own = executor.backend().read

    def read(buffer):
        found.append(buffer.size)
        return own(buffer)

    monkeypatch.setattr(executor.backend(), "read", read)
    return found


DTYPES = ("float32", "float16", "complex64", "int32", "uint8", "int16", "bool")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40,), (20, 3), (17, 2, 2), (18, 0)])
def test_slices_are_those_of_indexing(dtype, shape):
    values = (np.arange(int(np.prod(shape))).reshape(shape) % 5).astype(dtype)
    x = pt.asarray(values)[::-1][::-1]
    slices = list(x)
    assert len(slices) == shape[0]
    for one, expected in zip(slices, values, strict=True):
        assert one.dtype == dtype
        assert one.shape == shape[1:]
        np.testing.assert_array_equal(one.numpy(), expected)


def test_many_slices_are_read_at_once(reads):
    x = pt.arange(34.0) * 2.0
    total = sum(float(value) for value in x)
    assert total == 34 * 33
    assert reads[0] == 34
    assert set(reads[1:]) == {1}
    x[0] = 5.0
    assert float(next(iter(x))) == 5.0


def test_few_slices_stay_pending(reads):
    a, b = pt.arange(2.0) * 3.0
    assert not reads
    assert float(a + b) == 3.0


def test_large_tensors_are_not_read(reads):
    rows = iter(pt.ones((1 << 8, 1 << 9)) * 2.0)
    assert next(rows).shape == (1 << 9,)
    assert not reads


def test_gradients_follow_the_slices(reads):
    def product(x):
        total = 1.0
        for value in x:
            total = total * value
        return total

    x = np.linspace(0.9, 1.1, 20, dtype="float32")
    gradient = pt.grad(product)(pt.asarray(x))
    np.testing.assert_allclose(gradient.numpy(), np.prod(x) / x, rtol=1e-5)


def test_traces_follow_the_slices():
    @pt.jit
    def total(x):
        return sum(value * i for i, value in enumerate(x))

    for scale in (1.0, 2.0):
        x = scale * pt.ones(20)
        assert total(x).item() == scale * 190
