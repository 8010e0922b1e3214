"""Normalization functions: axes, groups, scales, dtypes, against means and variances in float64."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, ops_in

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
FLOAT = 4e-6
"""Results are of size 1; means of about a hundred float32 numbers, then rsqrt and a product."""


def unit(x, axes, epsilon):
    wide = x.astype("float64")
    mean, variance = wide.mean(axis=axes, keepdims=True), wide.var(axis=axes, keepdims=True)
    return (wide - mean) / np.sqrt(variance + epsilon)


def numbers(rng, shape, dtype="float32"):
    return (rng.standard_normal(shape) * 2 + 3).astype(dtype)


def check(got, want, dtype):
    tolerance = FLOAT if dtype == "float32" else HALF * 2
    assert_values(got, want.astype(dtype), rtol=tolerance, atol=tolerance)


dtypes = pytest.mark.parametrize("dtype", ["float32", "float16"])


@dtypes
@pytest.mark.parametrize("shape", [(6, 5), (2, 5, 4), (2, 4, 3, 8)], ids=str)
def test_batch_norm(shape, dtype, rng):
    x = numbers(rng, shape, dtype)
    channels = shape[-1]
    mean, scale, offset = (numbers(rng, (channels,)) for _ in range(3))
    variance = rng.uniform(0.5, 2, channels).astype("float32")
    t = [pt.asarray(value) for value in (x, mean, variance)]
    want = (x.astype("float64") - mean) / np.sqrt(variance.astype("float64") + 1e-3)
    # The difference from the mean may cancel, and is then scaled by up to 5 / sqrt(0.5).
    tolerance = 8e-6 if dtype == "float32" else 16 * HALF
    assert_values(nn.batch_norm(*t), want.astype(dtype), rtol=tolerance, atol=tolerance)
    got = nn.batch_norm(*t, scale=pt.asarray(scale), offset=pt.asarray(offset), epsilon=0.1)
    want = (x.astype("float64") - mean) / np.sqrt(variance.astype("float64") + 0.1)
    want = want * scale + offset
    assert_values(got, want.astype(dtype), rtol=tolerance, atol=4 * tolerance)


@dtypes
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((3, 8), -1), ((3, 7), -1), ((2, 5, 6), (1, 2)), ((2, 5, 6), (-1, -2)), ((4, 3, 5), 0)],
    ids=str,
)
def test_layer_norm(shape, axis, dtype, rng):
    x = numbers(rng, shape, dtype)
    axes = axis if isinstance(axis, tuple) else (axis,)
    kept = tuple(shape[a] if a in {b % len(shape) for b in axes} else 1 for a in range(len(shape)))
    scale, offset = numbers(rng, kept), numbers(rng, kept)
    check(nn.layer_norm(pt.asarray(x), axis=axis), unit(x, axes, 1e-5), dtype)
    got = nn.layer_norm(
        pt.asarray(x), scale=pt.asarray(scale), offset=pt.asarray(offset), axis=axis, epsilon=0.5
    )
    want = unit(x, axes, 0.5) * scale + offset
    tolerance = 4 * FLOAT if dtype == "float32" else HALF * 8
    assert_values(got, want.astype(dtype), rtol=tolerance, atol=tolerance)


@dtypes
@pytest.mark.parametrize(("shape", "axis"), [((3, 8), -1), ((2, 5, 6), (1, 2))], ids=str)
def test_rms_norm(shape, axis, dtype, rng):
    x = numbers(rng, shape, dtype)
    wide = x.astype("float64")
    want = wide / np.sqrt((wide**2).mean(axis=axis, keepdims=True) + 1e-6)
    check(nn.rms_norm(pt.asarray(x), axis=axis), want, dtype)
    scale = numbers(rng, shape[-1:])
    got = nn.rms_norm(pt.asarray(x), scale=pt.asarray(scale), axis=axis)
    tolerance = 4 * FLOAT if dtype == "float32" else HALF * 8
    assert_values(got, (want * scale).astype(dtype), rtol=tolerance, atol=tolerance)


@dtypes
@pytest.mark.parametrize(
    ("shape", "groups"),
    [((3, 8), 2), ((2, 5, 6), 3), ((2, 3, 4, 8), 1), ((2, 3, 4, 6), 6)],
    ids=str,
)
def test_group_norm(shape, groups, dtype, rng):
    x = numbers(rng, shape, dtype)
    channels = shape[-1]
    scale, offset = numbers(rng, (channels,)), numbers(rng, (channels,))
    parts = x.reshape(shape[0], -1, groups, channels // groups)
    want = unit(parts, (1, 3), 1e-5).reshape(shape)
    if channels // groups > 1 or len(shape) > 2:
        check(nn.group_norm(pt.asarray(x), groups), want, dtype)
    got = nn.group_norm(pt.asarray(x), groups, scale=pt.asarray(scale), offset=pt.asarray(offset))
    tolerance = 4 * FLOAT if dtype == "float32" else HALF * 8
    want = want * scale + offset
    assert_values(got, want.astype(dtype), rtol=tolerance, atol=tolerance)


@dtypes
@pytest.mark.parametrize("shape", [(2, 9, 3), (2, 3, 4, 8)], ids=str)
def test_instance_norm(shape, dtype, rng):
    x = numbers(rng, shape, dtype)
    scale, offset = numbers(rng, shape[-1:]), numbers(rng, shape[-1:])
    want = unit(x, tuple(range(1, len(shape) - 1)), 1e-5)
    check(nn.instance_norm(pt.asarray(x)), want, dtype)
    got = nn.instance_norm(pt.asarray(x), scale=pt.asarray(scale), offset=pt.asarray(offset))
    tolerance = 4 * FLOAT if dtype == "float32" else HALF * 8
    assert_values(got, (want * scale + offset).astype(dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("axis", [None, 0, (0, 2)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_moments(axis, keepdims, rng):
    x = numbers(rng, (3, 4, 5))
    wide = x.astype("float64")
    mean, variance = nn.moments(pt.asarray(x), axis=axis, keepdims=keepdims)
    check(mean, wide.mean(axis=axis, keepdims=keepdims), "float32")
    check(variance, wide.var(axis=axis, keepdims=keepdims), "float32")


def test_squares_of_halves_do_not_overflow():
    x = np.float16([[40000.0, -40000.0, 20000.0, -20000.0]])
    check(nn.layer_norm(pt.asarray(x)), unit(x, (1,), 1e-5), "float16")
    check(nn.rms_norm(pt.asarray(x)), unit(x, (1,), 1e-6), "float16")


def test_variance_is_accurate_for_a_large_mean():
    x = np.float32([[10000.0, 10001.0, 10002.0, 10003.0]])
    check(nn.layer_norm(pt.asarray(x)), unit(x, (1,), 1e-5), "float32")


def test_few_kernels(engine):
    x, scale = pt.ones((64, 32)), pt.ones(32)
    pt.realize(x, scale)
    assert len(ops_in(nn.layer_norm(x, scale=scale, offset=scale))) <= 3
    assert len(ops_in(nn.batch_norm(x, scale, scale, scale=scale, offset=scale))) == (
        # Linear memory stores what all rows need, because a kernel costs little to start.
        2 if engine.name == "wasm" else 1
    )


CASES = {
    "batch_norm of integers": (
        errors.DTypeError,
        lambda: nn.batch_norm(pt.asarray([[1]]), pt.zeros(1), pt.ones(1)),
        'batch_norm: dtype int32 is not floating; use x.astype("float32")',
    ),
    "layer_norm along an axis out of range": (
        errors.ShapeError,
        lambda: nn.layer_norm(pt.zeros((2, 3)), axis=2),
        "layer_norm: axis out of range; got axis 2 for 2 axes; use -2 to 1",
    ),
    "layer_norm with a scale that does not fit": (
        errors.ShapeError,
        lambda: nn.layer_norm(pt.zeros((2, 3)), scale=pt.ones(4)),
        "layer_norm: shapes (2, 3) and (4,) do not broadcast; axis -1 is 3 and 4",
    ),
    "group_norm of groups that do not divide": (
        errors.ShapeError,
        lambda: nn.group_norm(pt.zeros((2, 6)), 4),
        "group_norm: wrong number of channels; got shape (2, 6) and 4 groups; x must have shape "
        "(batch, ..., channels), channels a multiple of groups",
    ),
    "instance_norm of a matrix": (
        errors.ShapeError,
        lambda: nn.instance_norm(pt.zeros((2, 6))),
        "instance_norm: input must have at least 3 axes; got shape (2, 6); x must have shape "
        "(batch, ..., channels)",
    ),
    "moments of bool": (
        errors.DTypeError,
        lambda: nn.moments(pt.asarray([True])),
        'moments: dtype bool is not floating; use x.astype("float32")',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
