"""Pooling of one and of three axes, adaptive and global: against loops over windows."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, sample
from test_nn_convolution import amounts, every

import py_tensor as pt
from py_tensor import errors

nn = pt.nn


def pooled(x, size, kind, stride=None, padding="valid", dilation=1, count_include_pad=False):
    """Reduce the elements of one window after the other."""
    image = x.shape[1:-1]
    count = len(image)
    size, dilation = every(size, count), every(dilation, count)
    stride = size if stride is None else every(stride, count)
    reach = [d * (k - 1) + 1 for k, d in zip(size, dilation, strict=True)]
    pads = amounts(padding, image, reach, stride)
    out = [
        (n + sum(pad) - r) // s + 1 for n, pad, r, s in zip(image, pads, reach, stride, strict=True)
    ]
    result = np.zeros((len(x), *out, x.shape[-1]), x.dtype)
    for place in product(*map(range, out)):
        inside = []
        for tap in product(*map(range, size)):
            at = tuple(
                p * s - pad[0] + k * d
                for p, s, pad, k, d in zip(place, stride, pads, tap, dilation, strict=True)
            )
            if all(0 <= a < n for a, n in zip(at, image, strict=True)):
                inside.append(x[(slice(None), *at)])
        if kind == "max":
            value = np.max(inside, axis=0)
        else:
            count_of = int(np.prod(size)) if count_include_pad else len(inside)
            value = np.sum(np.asarray(inside, "float64"), axis=0) / count_of
        result[(slice(None), *place)] = value
    return result


def adaptive(x, out, kind):
    """Reduce the elements of one part after the other."""
    image = x.shape[1:-1]
    out = every(out, len(image))
    result = np.zeros((len(x), *out, x.shape[-1]), x.dtype)
    for place in product(*map(range, out)):
        part = tuple(
            slice(int(np.floor(p * n / m)), int(np.ceil((p + 1) * n / m)))
            for p, n, m in zip(place, image, out, strict=True)
        )
        elements = x[(slice(None), *part)].reshape(len(x), -1, x.shape[-1])
        if kind == "max":
            result[(slice(None), *place)] = elements.max(axis=1)
        else:
            result[(slice(None), *place)] = elements.astype("float64").mean(axis=1)
    return result


WINDOWS = [
    ((2, 9, 4), 2, {}),
    ((1, 9, 3), 3, {"stride": 2, "padding": "same"}),
    ((1, 10, 5), 3, {"stride": 1, "dilation": 2, "padding": 1}),
    ((1, 4, 6, 8, 4), 2, {}),
    ((1, 5, 4, 6, 3), 3, {"stride": 2, "padding": "same"}),
    ((1, 5, 5, 5, 2), (2, 3, 1), {"stride": (1, 2, 1), "padding": ((1, 0), (0, 1), (0, 0))}),
    ((0, 4, 4, 4, 3), 2, {}),
]


@pytest.mark.parametrize(("shape", "size", "options"), WINDOWS, ids=str)
def test_windows(shape, size, options, rng):
    # Negative values, so that a padding of 0 would be the largest.
    x = sample(rng, shape, "float32") - 10
    axes = len(shape) - 2
    largest, mean = getattr(nn, f"max_pool{axes}d"), getattr(nn, f"avg_pool{axes}d")
    t = pt.asarray(x)
    assert_values(largest(t, size, **options), pooled(x, size, "max", **options))
    # Sums of at most 27 numbers of one sign.
    assert_values(mean(t, size, **options), pooled(x, size, "avg", **options), rtol=2e-6)
    got = mean(t, size, count_include_pad=True, **options)
    assert_values(got, pooled(x, size, "avg", count_include_pad=True, **options), rtol=2e-6)


@pytest.mark.parametrize("dtype", ["float16", "int32", "uint8"])
def test_largest_of_other_dtypes(dtype, rng):
    x = sample(rng, (1, 7, 4), dtype, 0, 100)
    got = nn.max_pool1d(pt.asarray(x), 3, stride=2, padding="same")
    assert_values(got, pooled(x, 3, "max", stride=2, padding="same"))


def test_means_of_halves_accumulate_in_float32():
    x = np.full((1, 4, 2, 2, 2), 30000.0, "float16")
    assert_values(nn.avg_pool3d(pt.asarray(x), 2), x[:, :2, :1, :1] * 1)
    assert_values(nn.adaptive_avg_pool3d(pt.asarray(x), 1), x[:, :1, :1, :1] * 1)
    assert_values(nn.global_avg_pool(pt.asarray(x)), x[:, 0, 0, 0])


def test_without_a_batch(rng):
    x = sample(rng, (6, 3), "float32")
    assert_values(nn.max_pool1d(pt.asarray(x), 2), pooled(x[None], 2, "max")[0])
    assert_values(nn.adaptive_max_pool1d(pt.asarray(x), 4), adaptive(x[None], 4, "max")[0])
    got = nn.adaptive_avg_pool1d(pt.asarray(x), 4)
    assert_values(got, adaptive(x[None], 4, "avg")[0], rtol=2e-6, atol=1e-6)


PARTS = [
    ((2, 10, 4), 5),
    ((2, 10, 3), 3),
    ((1, 5, 4), 7),
    ((1, 8, 6, 4), (2, 4)),
    ((1, 7, 9, 3), (2, 3)),
    ((1, 7, 9, 3), 1),
    ((1, 3, 5, 4, 2), (2, 3, 4)),
]


@pytest.mark.parametrize(("shape", "out"), PARTS, ids=str)
def test_parts(shape, out, rng):
    x = sample(rng, shape, "float32")
    axes = len(shape) - 2
    t = pt.asarray(x)
    assert_values(getattr(nn, f"adaptive_max_pool{axes}d")(t, out), adaptive(x, out, "max"))
    # Means of means, of numbers up to 4 that may cancel.
    got = getattr(nn, f"adaptive_avg_pool{axes}d")(t, out)
    assert_values(got, adaptive(x, out, "avg"), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize(("length", "out"), [(12, 5), (13, 5), (9, 7), (20, 9), (3, 8)], ids=str)
def test_lengths_of_parts(length, out, rng):
    x = sample(rng, (length, 1), "float32")
    assert_values(nn.adaptive_max_pool1d(pt.asarray(x), out), adaptive(x[None], out, "max")[0])


def test_positions_in_long_sequences():
    """Part i begins at i * 1,000,000 / 3,001; the product does not fit int32."""
    x = np.arange(1_000_000, dtype="float32")
    got = nn.adaptive_max_pool1d(pt.asarray(x.reshape(-1, 1)), 3001)
    ends = [-(-(i + 1) * 1_000_000 // 3001) for i in range(3001)]
    assert_values(got, x[np.asarray(ends) - 1].reshape(-1, 1))


def test_largest_parts_of_integers(rng):
    x = rng.integers(-(2**31), 2**31, (1, 7, 4)).astype("int32")
    assert_values(nn.adaptive_max_pool1d(pt.asarray(x), 3), adaptive(x, 3, "max"))


@pytest.mark.parametrize("shape", [(2, 7, 3), (2, 5, 6, 4), (1, 3, 4, 5, 2)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_global_pooling(shape, dtype, rng):
    x = sample(rng, shape, dtype)
    axes = tuple(range(1, len(shape) - 1))
    want = x.astype("float64").mean(axis=axes).astype(dtype)
    tolerance = 2e-6 if dtype == "float32" else HALF
    assert_values(nn.global_avg_pool(pt.asarray(x)), want, rtol=tolerance, atol=tolerance)
    assert_values(nn.global_max_pool(pt.asarray(x)), x.max(axis=axes))


CASES = {
    "max_pool1d of an image": (
        errors.ShapeError,
        lambda: nn.max_pool1d(pt.zeros((1, 4, 4, 3)), 2),
        "max_pool1d: input must have 2 or 3 axes; got shape (1, 4, 4, 3); x must have shape "
        "(batch, width, channels) or (width, channels)",
    ),
    "max_pool3d of a large window": (
        errors.ShapeError,
        lambda: nn.max_pool3d(pt.zeros((2, 2, 2, 1)), 3),
        "max_pool3d: window is larger than the image; got window (3, 3, 3) and image (2, 2, 2) "
        'with padding [(0, 0), (0, 0), (0, 0)]; use padding="same"',
    ),
    "max_pool1d of bool": (
        errors.DTypeError,
        lambda: nn.max_pool1d(pt.zeros((4, 1), dtype="bool"), 2),
        'max_pool1d: dtype bool is not numeric; use x.astype("int32")',
    ),
    "avg_pool3d of integers": (
        errors.DTypeError,
        lambda: nn.avg_pool3d(pt.zeros((2, 2, 2, 1), dtype="int32"), 2),
        'avg_pool3d: dtype int32 is not floating; use x.astype("float32")',
    ),
    "adaptive_avg_pool2d with three lengths": (
        errors.ArgumentError,
        lambda: nn.adaptive_avg_pool2d(pt.zeros((4, 4, 1)), (1, 2, 3)),
        "adaptive_avg_pool2d: size of the result is invalid; got (1, 2, 3); use a number or two "
        "of at least 1",
    ),
    "adaptive_max_pool1d of nothing": (
        errors.ShapeError,
        lambda: nn.adaptive_max_pool1d(pt.zeros((1, 0, 3)), 2),
        "adaptive_max_pool1d: there are no elements to pool; got shape (1, 0, 3); use lengths of "
        "at least 1 for width",
    ),
    "adaptive_avg_pool1d in too many parts": (
        errors.ShapeError,
        lambda: nn.adaptive_avg_pool1d(pt.zeros((4, 1)), 50000),
        "adaptive_avg_pool1d: result is too large; got (50000,); use at most 46340",
    ),
    "adaptive_max_pool2d of bool": (
        errors.DTypeError,
        lambda: nn.adaptive_max_pool2d(pt.zeros((4, 4, 1), dtype="bool"), 2),
        'adaptive_max_pool2d: dtype bool is not numeric; use x.astype("int32")',
    ),
    "global_avg_pool of a matrix": (
        errors.ShapeError,
        lambda: nn.global_avg_pool(pt.zeros((4, 3))),
        "global_avg_pool: input must have 3 to 5 axes; got shape (4, 3); x must have shape "
        "(batch, ..., channels)",
    ),
    "global_max_pool of bool": (
        errors.DTypeError,
        lambda: nn.global_max_pool(pt.zeros((1, 4, 3), dtype="bool")),
        'global_max_pool: dtype bool is not numeric; use x.astype("int32")',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)


@pytest.mark.parametrize("function", [pt.max, pt.min])
@pytest.mark.parametrize("width", [((0, 0), (0, 4)), ((0, 0), (3, 2)), ((1, 2), (4, 0))], ids=str)
@pytest.mark.parametrize("fill", [0.0, -9.0, 9.0, math.nan])
def test_padded_extremes(function, width, fill, rng):
    """A padded maximum is computed as the maximum of a padding."""
    x = rng.random((5, 6, 8), dtype=np.float32)
    y = rng.random((5 + sum(width[0]), 8 + sum(width[1])), dtype=np.float32)
    got = pt.pad(function(pt.asarray(x), axis=1), width, constant_values=fill) + pt.asarray(y)
    wanted = np.pad(getattr(np, function.__name__)(x, axis=1), width, constant_values=fill) + y
    assert_values(got, wanted)
