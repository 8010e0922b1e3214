"""Comparison of a call's results with NumPy and with py_tensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import py_tensor as pt

from .call import Call

_ARRAYS = (np.ndarray, np.generic, pt.Tensor)


def leaves(value: Any, path: str = "result") -> Iterator[tuple[str, Any]]:
    """Yield the arrays and numbers of a result with their paths, also those in attributes."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield from leaves(item, f"{path}[{position}]")
    elif isinstance(value, (*_ARRAYS, bool, int, float, complex, str)):
        yield path, value
    else:
        for key, item in getattr(value, "__dict__", {}).items():
            if not key.startswith("_"):
                yield from leaves(item, f"{path}.{key}")


def compare(call: Call) -> None:
    """Assert that a call has the same result with NumPy and with py_tensor.

    Arrays must be tensors, unless the library returns arrays of NumPy for all others (`host`).
    Precision may differ: NumPy computes some results in 64 bits.
    """
    expected, got = dict(leaves(call.run(np))), dict(leaves(call.run(pt)))
    assert list(got) == list(expected)
    assert expected, "there is nothing to compare"
    for path, wanted in expected.items():
        found = got[path]
        if isinstance(wanted, str):
            assert found == wanted, path
            continue
        if isinstance(wanted, np.ndarray) or (call.host and isinstance(wanted, np.generic)):
            kind = (np.ndarray, np.generic) if call.host else pt.Tensor
            assert isinstance(found, kind), f"{path} is a {type(found).__name__}"
        elif isinstance(wanted, np.generic):
            assert not isinstance(found, (np.ndarray, np.generic)), f"{path} is of NumPy"
        a, b = np.asarray(wanted), np.asarray(found)
        assert (b.shape, b.dtype.kind) == (a.shape, a.dtype.kind), path
        np.testing.assert_allclose(
            b.astype("complex128"), a.astype("complex128"), call.rtol, call.atol, err_msg=path
        )
