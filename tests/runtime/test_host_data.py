"""Conversion of arrays and buffers at the limits of dtypes."""

from __future__ import annotations

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import errors


def test_fractions_are_truncated_before_limits_are_checked():
    inside = np.float64([-128.9, 127.9])
    assert pt.asarray(inside, dtype="int8").tolist() == [-128, 127]
    for outside in (-129.0, 128.0):
        with pytest.raises(errors.DTypeError, match="does not fit dtype int8"):
            pt.asarray(np.float64([0.0, outside]), dtype="int8")


def test_buffers_of_wide_complex_numbers():
    numbers = np.complex128([[1 + 2j, -3j], [0.5, 4]])
    x = pt.asarray(memoryview(numbers))
    assert (x.dtype, x.tolist()) == (pt.complex64, numbers.tolist())
