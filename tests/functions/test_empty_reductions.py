"""Reductions of no elements: their results are not folded as literal zeros or ones."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt

NAN = np.full(3, np.nan, "float32")
EMPTY = np.zeros((0, 3), "float32")


@pytest.mark.parametrize(
    "combine",
    [
        lambda total, nan, xp: total * nan,
        lambda total, nan, xp: total / xp.zeros(3, dtype="float32"),
        lambda total, nan, xp: total * xp.asarray([np.inf] * 3, dtype="float32"),
        lambda total, nan, xp: xp.reshape(total, (3, 1)) * xp.reshape(nan, (1, 3)),
    ],
)
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_results_of_no_elements_are_combined_as_numbers(name, combine):
    with np.errstate(all="ignore"):
        want = combine(getattr(np, name)(EMPTY, axis=0), NAN, np)
    got = combine(getattr(pt, name)(pt.asarray(EMPTY), axis=0), pt.asarray(NAN), pt)
    assert_values(got, want)


@pytest.mark.parametrize("shape", [(1, 0), (3, 0)])
def test_covariance_of_no_observations_is_nan(shape):
    assert_values(pt.cov(pt.zeros(shape)), np.full((shape[0], shape[0]), np.nan, "float32"))
