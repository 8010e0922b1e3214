"""Expressions and training programs have the values and gradients that PyTorch computes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from torch_expressions import EXPRESSIONS, computed
from torch_programs import PROGRAMS, losses_of

import py_tensor.torch as torch

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "expressions.json").read_text())
LOSSES = json.loads((DATA / "programs.json").read_text())


def assert_close(got, expected, share):
    """Compare with an error of a share of the largest finite number."""
    got, expected = (np.array(values, dtype="float64") for values in (got, expected))
    finite = np.abs(expected[np.isfinite(expected)])
    np.testing.assert_allclose(got, expected, rtol=share, atol=share * finite.max(initial=0.0))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression_has_values_and_gradients_of_torch(expression):
    got, expected = computed(torch, expression), EXPECTED[expression]
    assert_close(got["value"], expected["value"], 1e-5)
    assert got["gradients"].keys() == expected["gradients"].keys()
    for name, gradient in expected["gradients"].items():
        assert_close(got["gradients"][name], gradient, 2e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_has_losses_of_torch(name):
    assert_close(losses_of(torch, name), LOSSES[name], 2e-5)


def test_every_value_is_used():
    assert EXPECTED.keys() == set(EXPRESSIONS)
    assert LOSSES.keys() == PROGRAMS.keys()
