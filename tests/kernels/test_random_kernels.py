"""Random kernels give the same on this backend, in typed plain Python, and as their functions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from random_kernels import Writer, function

import py_tensor as pt
from py_tensor.runtime import executor
from py_tensor.runtime.backends.python import PythonBackend

FLOATS = np.asarray([-3.5, -1.0, -0.25, 0.0, 0.5, 1.25, 2.0, 7.75], "float32")
WHOLE = np.asarray([-7, -2, -1, 0, 1, 3, 8, 30], "int32")


def on_python(call):
    """Return the values of a call on the Python backend."""
    before = executor.backend()
    executor.use(PythonBackend())
    try:
        return [part.numpy() for part in call()]
    finally:
        executor.use(before)


def test_random_elementwise_kernels(request):
    count = max(10, request.config.getoption("examples") // 6)
    x, n = FLOATS, WHOLE
    y, m = np.roll(FLOATS, 3), np.roll(WHOLE, 5)
    for seed in range(count):
        text = Writer(seed, indexed=False).text()
        kernel = pt.kernel(function(text))

        def call(kernel=kernel):
            return kernel(
                pt.asarray(x[:, None]), pt.asarray(y), pt.asarray(n), pt.asarray(m[:, None])
            )

        expected = kernel.python(x[:, None], y, n, m[:, None])
        for got, typed, wanted in zip(call(), on_python(call), expected, strict=True):
            assert_values(got, wanted.numpy(), what=text)
            np.testing.assert_array_equal(typed, wanted.numpy(), err_msg=text)


@pytest.mark.parametrize("border", ["clamp", "wrap", "zero"])
def test_random_indexed_kernels(request, border):
    count = max(5, request.config.getoption("examples") // 20)
    t = (np.arange(12, dtype="float32").reshape(3, 4) - 5) / 4
    for seed in range(count):
        text = Writer(1000 + seed, indexed=True).text()
        # Neighbours share texels if the last axes are equal.
        kernel = pt.kernel(function(text), shape=(4, 4 if seed % 3 else 3), border=border)

        def call(kernel=kernel):
            return kernel(0.5, -1.25, 3, -2, pt.asarray(t))

        expected = kernel.python(0.5, -1.25, 3, -2, t)
        for got, typed, wanted in zip(call(), on_python(call), expected, strict=True):
            assert_values(got, wanted.numpy(), what=text)
            np.testing.assert_array_equal(typed, wanted.numpy(), err_msg=text)
