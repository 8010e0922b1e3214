"""Activations and softmaxes: against their formulas in float64, at special values, on axes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, ops_in, sample
from scipy import special

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
INF = math.inf


def _selu(x):
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return scale * np.where(x > 0, x, alpha * np.expm1(x))


def _celu(x, alpha):
    return np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha))


def _gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _shrunk(x, by):
    return np.sign(x) * np.maximum(np.abs(x) - by, 0)


FUNCTIONS = {
    "relu": (nn.relu, lambda x: np.maximum(x, 0)),
    "sigmoid": (nn.sigmoid, special.expit),
    "tanh": (nn.tanh, np.tanh),
    "relu6": (nn.relu6, lambda x: np.clip(x, 0, 6)),
    "leaky_relu": (nn.leaky_relu, lambda x: np.where(x > 0, x, 0.2 * x)),
    "leaky_relu 0.01": (
        lambda x: nn.leaky_relu(x, alpha=0.01),
        lambda x: np.where(x > 0, x, 0.01 * x),
    ),
    "rrelu": (
        lambda x: nn.rrelu(x, training=False),
        lambda x: np.where(x > 0, x, x * (1 / 8 + 1 / 3) / 2),
    ),
    "elu": (nn.elu, lambda x: np.where(x > 0, x, np.expm1(x))),
    "elu 0.3": (lambda x: nn.elu(x, alpha=0.3), lambda x: np.where(x > 0, x, 0.3 * np.expm1(x))),
    "selu": (nn.selu, _selu),
    "celu": (nn.celu, lambda x: _celu(x, 1)),
    "celu 0.7": (lambda x: nn.celu(x, alpha=0.7), lambda x: _celu(x, 0.7)),
    "gelu": (nn.gelu, lambda x: x * special.ndtr(x)),
    "gelu approximate": (lambda x: nn.gelu(x, approximate=True), _gelu_tanh),
    "silu": (nn.silu, lambda x: x * special.expit(x)),
    "swish": (nn.swish, lambda x: x * special.expit(x)),
    "mish": (nn.mish, lambda x: x * np.tanh(np.logaddexp(0, x))),
    "softplus": (nn.softplus, lambda x: np.logaddexp(0, x)),
    "softsign": (nn.softsign, lambda x: x / (1 + np.abs(x))),
    "log_sigmoid": (nn.log_sigmoid, special.log_expit),
    "hard_tanh": (nn.hard_tanh, lambda x: np.clip(x, -1, 1)),
    "hard_tanh wide": (
        lambda x: nn.hard_tanh(x, low=-2.5, high=0.5),
        lambda x: np.clip(x, -2.5, 0.5),
    ),
    "hard_sigmoid": (nn.hard_sigmoid, lambda x: np.clip(x + 3, 0, 6) / 6),
    "hard_swish": (nn.hard_swish, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "tanh_shrink": (nn.tanh_shrink, lambda x: x - np.tanh(x)),
    "soft_shrink": (nn.soft_shrink, lambda x: _shrunk(x, 0.5)),
    "soft_shrink 2": (lambda x: nn.soft_shrink(x, threshold=2.0), lambda x: _shrunk(x, 2)),
    "hard_shrink": (nn.hard_shrink, lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    "hard_shrink 2": (
        lambda x: nn.hard_shrink(x, threshold=2.0),
        lambda x: np.where(np.abs(x) > 2, x, 0),
    ),
    "threshold": (lambda x: nn.threshold(x, 1.0, -3.0), lambda x: np.where(x > 1, x, -3)),
    "step": (nn.step, lambda x: np.where(x > 0, 1.0, 0.0)),
    "step 0.5": (lambda x: nn.step(x, alpha=0.5), lambda x: np.where(x > 0, 1.0, 0.5)),
}
"""The function, and its value by NumPy and SciPy in float64."""
EPSILON = 2.0**-23
RTOL = 6e-6
"""At most three functions of the table (exp, log1p, tanh, erf: 2e-6 each) are chained."""


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_formula(name, dtype, rng):
    function, formula = FUNCTIONS[name]
    x = sample(rng, (5, 13), dtype, -8.0, 8.0)
    want = formula(x.astype("float64"))
    # gelu and tanh_shrink are differences of numbers of the size of x.
    tight = (RTOL, 2 * EPSILON * 8) if dtype == "float32" else (4 * HALF, 4 * HALF)
    assert_values(function(pt.asarray(x)), want.astype(dtype), rtol=tight[0], atol=tight[1])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name):
    function, formula = FUNCTIONS[name]
    x = np.float32([0.0, 60.0, -60.0, math.nan])
    with np.errstate(all="ignore"):
        want = np.where(np.isnan(x), x, formula(x.astype("float64")))
    got = function(pt.asarray(x)).numpy()
    np.testing.assert_allclose(got, want, rtol=RTOL, atol=1e-5)


LIMITS = {
    "relu6": (0.0, 6.0),
    "leaky_relu": (-INF, INF),
    "elu": (-1.0, INF),
    "selu": (-1.7580993175506592, INF),
    "celu": (-1.0, INF),
    "softplus": (0.0, INF),
    "log_sigmoid": (-INF, 0.0),
    "hard_tanh": (-1.0, 1.0),
    "hard_sigmoid": (0.0, 1.0),
    "tanh_shrink": (-INF, INF),
    "soft_shrink": (-INF, INF),
    "hard_shrink": (-INF, INF),
    "step": (0.0, 1.0),
}
"""Values at minus and plus infinity."""


@pytest.mark.parametrize("name", LIMITS)
def test_at_infinity(name):
    got = FUNCTIONS[name][0](pt.asarray([-INF, INF])).tolist()
    assert got == pytest.approx(LIMITS[name], rel=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_kernel(name):
    x = pt.ones((4, 4))
    pt.realize(x)
    assert len(ops_in(FUNCTIONS[name][0](x))) == 1


def test_accurate_far_from_zero():
    x = np.float32([-5.0, -10.0, -13.0])
    got = nn.gelu(pt.asarray(x), approximate=True)
    assert_values(got, _gelu_tanh(x.astype("float64")).astype("float32"), atol=1e-7)
    u = math.sqrt(2 / math.pi) * (x.astype("float64") + 0.044715 * x.astype("float64") ** 3)
    assert_values(got, (x * special.expit(2 * u)).astype("float32"), rtol=1e-4)
    # 1e-4: the sigmoid's exponent is about 100 here and is rounded to a relative error of 6e-8.


def test_prelu(rng):
    x, alpha = sample(rng, (2, 3, 5), "float32"), sample(rng, (5,), "float32")
    assert_values(nn.prelu(pt.asarray(x), pt.asarray(alpha)), np.where(x > 0, x, alpha * x))


@pytest.mark.parametrize(("shape", "axis"), [((6,), -1), ((3, 8), 1), ((4, 3, 5), 0)], ids=str)
def test_glu(shape, axis, rng):
    x = sample(rng, shape, "float32")
    a, b = np.split(x.astype("float64"), 2, axis=axis)
    assert_values(
        nn.glu(pt.asarray(x), axis=axis), (a * special.expit(b)).astype("float32"), rtol=RTOL
    )


def test_random_slopes(rng):
    pt.random.seed(3)
    x = np.full((50, 40), -1.0, "float32")
    slopes = -nn.rrelu(pt.asarray(x), lower=0.25, upper=0.75).numpy()
    assert 0.25 <= slopes.min() < 0.26 and 0.74 < slopes.max() <= 0.75
    assert nn.rrelu(pt.asarray(-x)).numpy().min() == 1.0


def test_random_slopes_vary(rng):
    pt.random.seed(8)
    x = np.float32([0.0, math.log(2), math.log(5)])
    draws = nn.gumbel_softmax(pt.asarray(np.tile(x, (4000, 1))), hard=True).numpy()
    assert set(np.unique(draws)) == {0.0, 1.0} and (draws.sum(axis=1) == 1).all()
    # At most four standard deviations of the mean of 4,000 draws.
    np.testing.assert_allclose(draws.mean(axis=0), np.float32([1, 2, 5]) / 8, atol=4 * 0.5 / 63)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_soft_choices(axis, dtype, rng):
    x = sample(rng, (3, 4, 5), dtype)
    key = pt.random.key(5)
    soft = nn.gumbel_softmax(pt.asarray(x), temperature=0.5, axis=axis, key=key)
    u = pt.random.uniform(x.shape, key=key).numpy().astype("float64")
    want = special.softmax((x.astype("float64") - np.log(-np.log(u))) / 0.5, axis=axis)
    # The noise, up to 17, is rounded in float32, and its error doubled and exponentiated.
    tolerance = 2e-5 if dtype == "float32" else 2 * HALF
    assert_values(soft, want.astype(dtype), rtol=tolerance, atol=1e-6)
    hard = nn.gumbel_softmax(pt.asarray(x), temperature=0.5, axis=axis, hard=True, key=key)
    chosen = want == want.max(axis=axis, keepdims=True)
    assert_values(hard, chosen.astype(dtype))


SOFTMAX_SHAPES = [((5,), -1), ((7, 13), 0), ((6, 12), 1), ((2, 3, 4), 1), ((3, 1), -1)]


@pytest.mark.parametrize(("shape", "axis"), SOFTMAX_SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_softmaxes(shape, axis, dtype, rng):
    x = (rng.standard_normal(shape) * 3).astype(dtype)
    wide = x.astype("float64")
    rtol = 5e-6 if dtype == "float32" else 4 * HALF
    # A logarithm near 0 is a difference of numbers of the size of x.
    atol = 4e-6 if dtype == "float32" else 4 * HALF
    t = pt.asarray(x)
    want = special.log_softmax(wide, axis=axis)
    assert_values(nn.log_softmax(t, axis=axis), want.astype(dtype), rtol=rtol, atol=atol)
    want = special.softmax(-wide, axis=axis)
    assert_values(nn.softmin(t, axis=axis), want.astype(dtype), rtol=rtol, atol=atol / 4)
    want = special.logsumexp(wide, axis=axis)
    assert_values(nn.logsumexp(t, axis=axis), want.astype(dtype), rtol=rtol, atol=atol)
    want = special.logsumexp(wide, keepdims=True)
    assert_values(nn.logsumexp(t, keepdims=True), want.astype(dtype), rtol=rtol, atol=atol)


def test_logarithms_of_extremes():
    x = np.float32([[1000.0, 0.0, -1000.0], [-INF, 0.0, -INF], [3e38, -3e38, 0.0]])
    want = special.log_softmax(x.astype("float64"), axis=-1)
    with np.errstate(over="ignore"):  # minus 6e38 is minus infinity in float32
        assert_values(nn.log_softmax(pt.asarray(x)), want.astype("float32"))
    assert_values(nn.logsumexp(pt.asarray(x), axis=1), np.float32([1000.0, 0.0, 3e38]))
    assert nn.logsumexp(pt.asarray([-INF, -INF])).item() == -INF
    assert nn.logsumexp(pt.asarray([INF, 0.0])).item() == INF


def test_empty():
    assert_values(nn.log_softmax(pt.zeros((3, 0))), np.zeros((3, 0), "float32"))
    assert_values(nn.logsumexp(pt.zeros((2, 0)), axis=1), np.float32([-INF, -INF]))
    assert_values(nn.logsumexp(pt.zeros((0, 2)), axis=1), np.zeros((0,), "float32"))


CONVERTING = ("relu", "relu6", "swish", "threshold", "sigmoid", "tanh")
INTEGERS = [name for name in FUNCTIONS if " " not in name and name not in CONVERTING]


@pytest.mark.parametrize(
    "name", [*INTEGERS, "glu", "log_softmax", "logsumexp", "softmin", "gumbel_softmax"]
)
def test_integers_are_refused(name):
    assert_raises(
        errors.DTypeError,
        f'{name}: dtype int32 is not floating; use x.astype("float32")',
        lambda: getattr(nn, name)(pt.asarray([1, 2])),
    )


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32"])
def test_relu6_of_integers(dtype):
    got = nn.relu6(pt.asarray([0, 5, 6, 100], dtype=dtype))
    assert_values(got, np.asarray([0, 5, 6, 6], dtype))
    assert nn.relu6(pt.asarray([-3, 3])).tolist() == [0, 3]


CASES = {
    "glu of an odd length": (
        errors.ShapeError,
        lambda: nn.glu(pt.zeros((2, 3))),
        "glu: axis must have an even length; got length 3 of axis 1 of shape (2, 3); use an even "
        "length",
    ),
    "glu along an axis out of range": (
        errors.ShapeError,
        lambda: nn.glu(pt.zeros((2, 3)), axis=2),
        "glu: axis out of range; got axis 2 for 2 axes; use -2 to 1",
    ),
    "celu of alpha 0": (
        errors.ArgumentError,
        lambda: nn.celu(pt.zeros(2), alpha=0.0),
        "celu: alpha must not be zero; got 0; use another value, or relu",
    ),
    "rrelu with limits the wrong way round": (
        errors.ArgumentError,
        lambda: nn.rrelu(pt.zeros(2), lower=0.5, upper=0.25),
        "rrelu: lower must not exceed upper; got 0.5 and 0.25; swap them",
    ),
    "gumbel_softmax without a temperature": (
        errors.ArgumentError,
        lambda: nn.gumbel_softmax(pt.zeros(2), temperature=0.0),
        "gumbel_softmax: temperature must be positive; got 0.0; use for example 1.0",
    ),
    "prelu of slopes that are integers": (
        errors.DTypeError,
        lambda: nn.prelu(pt.zeros(2), pt.asarray([1, 2])),
        'prelu: dtype int32 is not floating; use x.astype("float32")',
    ),
    "threshold of integers": (
        errors.DTypeError,
        lambda: nn.threshold(pt.asarray([1]), 0.0, 0.0),
        'threshold: dtype int32 is not floating; use x.astype("float32")',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
