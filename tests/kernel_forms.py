"""Compare the forms of a kernel: on the backend of the session, and its function in Python."""

from __future__ import annotations

import numpy as np


def assert_like_python(kernel, *args, rtol=2e-6, atol=2e-6, dtype=None):
    """Assert that a kernel gives on this backend what its function gives in Python."""
    given, expected = kernel(*args), kernel.python(*args)
    many = isinstance(given, tuple)
    for got, wanted in zip(*((given, expected) if many else ((given,), (expected,))), strict=True):
        assert got.dtype is wanted.dtype
        assert dtype is None or got.dtype == dtype
        np.testing.assert_allclose(
            got.numpy().astype("float64"), wanted.numpy().astype("float64"), rtol=rtol, atol=atol
        )
