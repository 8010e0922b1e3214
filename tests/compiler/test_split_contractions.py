"""Contractions with few results, which are split by channels."""

import numpy as np
import pytest
from helpers import assert_values
from plans import leaf, plan_of

import py_tensor as pt


def parts(y):
    """Return into how many parts each contraction of a plan is split."""
    plan = plan_of(y)
    roots = [draw.kernel.root for draw in plan.draws if draw.kernel.kind == "contract"]
    return [plan.lowered.spec(at).shape[0] for at in roots]


def test_few_results_are_split():
    assert parts(pt.conv2d(leaf(1, 4, 4, 128), leaf(4, 4, 128, 128))) == [16]
    assert parts(pt.conv2d(leaf(1, 8, 8, 64), leaf(3, 3, 64, 512), padding="same")) == [2]
    assert parts(leaf(4, 128) @ leaf(128, 64)) == [4]


def test_many_results_are_not_split():
    assert parts(pt.conv2d(leaf(1, 64, 64, 64), leaf(3, 3, 64, 64), padding="same")) == [1]
    assert parts(leaf(512, 512) @ leaf(512, 512)) == [1]


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8"])
def test_sums_of_parts(dtype, rng):
    x, w = (rng.integers(-3, 4, shape).astype(dtype) for shape in ((2, 5, 4, 64), (3, 2, 64, 5)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2), axis=(1, 2))
    expected = np.einsum("bijcyx,yxco->bijo", windows.astype("int64"), w.astype("int64"))
    assert_values(pt.conv2d(x, w), expected.astype(dtype))
    a, b = x.reshape(40, 64)[:6], w.reshape(30, 64)[:9].T
    product = a.astype("int64") @ b.astype("int64")
    assert_values(pt.asarray(a) @ pt.asarray(b), product.astype(dtype))
