"""Sliding windows are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import py_tensor as pt

X = np.arange(60, dtype="float32").reshape(3, 4, 5)


@pytest.mark.parametrize(
    ("lengths", "axis"),
    [
        ((2, 3, 1), None),
        (3, 1),
        ((2,), (-1,)),
        ((2, 2), (0, 2)),
        ((2, 3), (2, 0)),
        ((2, 2), (1, 1)),
    ],
)
def test_windows(lengths, axis):
    result = pt.lib.stride_tricks.sliding_window_view(pt.asarray(X), lengths, axis)
    expected = sliding_window_view(X, lengths, axis)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


def test_errors():
    windows = pt.lib.stride_tricks.sliding_window_view
    with pytest.raises(pt.errors.ShapeError, match="lengths do not fit the axes; got \\(2, 2\\)"):
        windows(X, (2, 2))
    with pytest.raises(pt.errors.ShapeError, match="window does not fit; got length 6 for 5"):
        windows(X, 6, -1)
    with pytest.raises(pt.errors.ShapeError, match="axis out of range"):
        windows(X, 2, 3)
