"""Formulas of internal operations, which no public function computes alone."""

from __future__ import annotations

import numpy as np
import pytest
from formulas import arrays, cases, expected
from numeric_exceptions import absolute
from op_defs import tolerance

import py_tensor as pt
from py_tensor.tensor import apply

INTERNAL = [case for case in cases() if not case.values[0].public]


@pytest.mark.parametrize(("op", "dtype"), INTERNAL)
def test_formulas_compute_values_of_numpy(op, dtype, rng):
    operands = arrays(rng, op, dtype)
    result = apply(op, [pt.asarray(values) for values in operands])
    rtol = max(tolerance(op, result.dtype), 3e-7 if result.dtype.kind == "f" else 0.0)
    np.testing.assert_allclose(
        result.numpy(),
        expected(op, operands).astype(result.dtype.name),
        rtol=rtol,
        atol=absolute(op.name),
    )
