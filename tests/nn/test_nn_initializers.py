"""Initial weights: their spread follows from fan-in and fan-out, their values from the seed."""

from __future__ import annotations

import math

import half_storage
import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values
from scipy import stats

import py_tensor as pt
from py_tensor import errors

initializers = pt.nn.initializers
VARIANCES = {
    "glorot_uniform": lambda fan_in, fan_out: 2 / (fan_in + fan_out),
    "glorot_normal": lambda fan_in, fan_out: 2 / (fan_in + fan_out),
    "he_uniform": lambda fan_in, fan_out: 2 / fan_in,
    "he_normal": lambda fan_in, fan_out: 2 / fan_in,
    "lecun_uniform": lambda fan_in, fan_out: 1 / fan_in,
    "lecun_normal": lambda fan_in, fan_out: 1 / fan_in,
}
SHAPES = [((80, 50), 80, 50), ((3, 3, 20, 30), 180, 270)]


@pytest.mark.parametrize("name", VARIANCES)
@pytest.mark.parametrize(("shape", "fan_in", "fan_out"), SHAPES, ids=str)
def test_spread(name, shape, fan_in, fan_out):
    pt.random.seed(5)
    values = getattr(initializers, name)(shape).numpy().astype("float64")
    variance = VARIANCES[name](fan_in, fan_out)
    assert values.shape == shape
    count = values.size
    # Five standard deviations of the mean and of the variance for this number of draws.
    assert abs(values.mean()) < 5 * math.sqrt(variance / count)
    assert abs(values.var() / variance - 1) < 5 * math.sqrt(2 / count)
    limit = math.sqrt(3 * variance)
    if name.endswith("uniform"):
        assert 0.99 * limit < np.abs(values).max() <= limit * (1 + half_storage.tolerance(1e-6))
    else:
        assert np.abs(values).max() > 1.5 * limit


@pytest.mark.parametrize("name", [*VARIANCES, "orthogonal", "zeros", "ones"])
def test_dtype_and_seed(name):
    make = getattr(initializers, name)
    assert_spec(make((4, 6), dtype="float16"), (4, 6), "float16")
    pt.random.seed(3)
    first = make((4, 6)).numpy()
    pt.random.seed(3)
    assert (make((4, 6)).numpy() == first).all()
    assert (make((4, 6)).numpy() != first).any() == (name not in ("zeros", "ones"))


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (16, 16), (3, 3, 2, 5), (1, 7)], ids=str)
def test_orthogonal(shape):
    pt.random.seed(11)
    w = initializers.orthogonal(shape).numpy().astype("float64").reshape(-1, shape[-1])
    small = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    # Products of matrices in float32, of rows of length 1.
    np.testing.assert_allclose(small, np.eye(len(small)), atol=4e-6)


@pytest.mark.parametrize("name", [*VARIANCES, "orthogonal"])
def test_wrong_shapes(name):
    assert_raises(
        errors.ShapeError,
        f"{name}: shape must have axes for inputs and outputs; got (5,); add an axis, or use "
        "zeros, ones or pt.random",
        lambda: getattr(initializers, name)((5,)),
    )


def test_constants_and_identities():
    assert_values(initializers.constant(0.5)((2, 3)), np.full((2, 3), 0.5, "float32"))
    assert_values(initializers.constant(2)((3,), dtype="float16"), np.full(3, 2, "float16"))
    assert_values(initializers.identity((3, 2)), np.eye(3, 2, dtype="float32"))
    layer = pt.nn.Dense(
        2, 2, weight_init=initializers.identity, bias_init=initializers.constant(1.0)
    )
    assert layer(pt.asarray([[3.0, 4.0]])).tolist() == [[4.0, 5.0]]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_distributions(dtype):
    pt.random.seed(5)
    drawn = {
        "uniform": initializers.uniform(1.0, 2.0)((200, 200), dtype=dtype),
        "normal": initializers.normal(1.0, 0.5)((200, 200), dtype=dtype),
        "truncated_normal": initializers.truncated_normal(1.0, 0.5)((200, 200), dtype=dtype),
    }
    laws = {
        "uniform": stats.uniform(1.0, 1.0),
        "normal": stats.norm(1.0, 0.5),
        "truncated_normal": stats.truncnorm(-2, 2, 1.0, 0.5),
    }
    for name, values in drawn.items():
        assert values.dtype == dtype
        found = np.sort(values.numpy().ravel().astype("float64"))
        # The largest distance of the distributions of 40,000 draws is rarely above 0.01.
        assert stats.kstest(found, laws[name].cdf).statistic < 0.012, name
    cut = drawn["truncated_normal"].numpy()
    assert 0.0 <= cut.min() < 0.05
    assert 1.95 < cut.max() <= 2.0
