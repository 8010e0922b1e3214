"""max_pool2d and avg_pool2d: stride, padding, dilation, dtypes, against loops over windows."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, ops_in, sample
from plans import kernels, leaf

import py_tensor as pt


def amounts(padding, n, size, stride, dilation, side):
    if padding == "valid":
        return 0, 0
    if padding == "same":
        total = max(0, (-(-n // stride) - 1) * stride + dilation * (size - 1) + 1 - n)
        return total // 2, total - total // 2
    return (padding, padding) if isinstance(padding, int) else padding[side]


def two(value):
    return (value, value) if isinstance(value, int) else value


def pooled(x, size, kind, stride=None, padding="valid", dilation=1, count_include_pad=False):
    """Reduce the elements of one window after the other."""
    size = two(size)
    stride, dilation = two(size if stride is None else stride), two(dilation)
    batch, height, width, channels = x.shape
    pads = [
        amounts(padding, (height, width)[i], size[i], stride[i], dilation[i], i) for i in (0, 1)
    ]
    oh, ow = (
        ((height, width)[i] + sum(pads[i]) - dilation[i] * (size[i] - 1) - 1) // stride[i] + 1
        for i in (0, 1)
    )
    result = np.zeros((batch, oh, ow, channels), x.dtype)
    for i in range(oh):
        for j in range(ow):
            rows = [i * stride[0] - pads[0][0] + dilation[0] * k for k in range(size[0])]
            columns = [j * stride[1] - pads[1][0] + dilation[1] * k for k in range(size[1])]
            inside = [
                x[:, r, c].astype("float64" if kind == "avg" else x.dtype)
                for r in rows
                for c in columns
                if 0 <= r < height and 0 <= c < width
            ]
            if kind == "max":
                result[:, i, j] = np.max(inside, axis=0)
            else:
                count = size[0] * size[1] if count_include_pad else len(inside)
                result[:, i, j] = np.sum(inside, axis=0) / count
    return result


def check_max(x, size, **options):
    got = pt.max_pool2d(pt.asarray(x), size, **options)
    assert_values(got, pooled(x, size, "max", **options))


def check_avg(x, size, **options):
    got = pt.avg_pool2d(pt.asarray(x), size, **options)
    assert_values(got, pooled(x, size, "avg", **options), rtol=1e-5, atol=1e-6)


WINDOWS = [
    ((2, 8, 8, 4), 2, {}),
    ((2, 8, 8, 3), 2, {}),
    ((1, 7, 9, 5), 3, {"stride": 2}),
    ((1, 7, 9, 8), (3, 2), {"stride": (2, 1)}),
    ((1, 7, 9, 8), 3, {"stride": 1, "padding": "same"}),
    ((2, 6, 5, 4), 2, {"padding": "same"}),
    ((1, 8, 8, 1), 3, {"stride": 2, "padding": 1}),
    ((1, 8, 9, 6), (3, 5), {"stride": (1, 2), "padding": ((1, 0), (2, 3))}),
    ((1, 9, 10, 4), 3, {"stride": 1, "dilation": 2}),
    ((1, 9, 10, 4), 3, {"stride": 2, "dilation": (2, 3), "padding": "same"}),
    ((1, 9, 10, 3), 2, {"stride": 1, "dilation": 3, "padding": 2}),
    ((1, 4, 4, 4), 4, {}),
    ((1, 5, 5, 7), 1, {}),
    ((1, 3, 3, 4), 5, {"stride": 1, "padding": 2}),
    ((0, 8, 8, 4), 2, {}),
    ((1, 8, 8, 0), 2, {}),
]


@pytest.mark.parametrize(("shape", "size", "options"), WINDOWS, ids=str)
def test_windows(shape, size, options, rng):
    x = sample(rng, shape, "float32")
    check_max(x - 10, size, **options)  # negative: the padding must not win
    check_avg(x, size, **options)
    check_avg(x, size, count_include_pad=True, **options)


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8"]
)
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_largest_of_every_dtype(dtype, padding, rng):
    x = sample(rng, (1, 5, 6, 4), dtype, -100, -1 if dtype[0] in "fi" else 100)
    check_max(x, 3, stride=2, padding=padding)


def test_largest_of_large_integers(rng):
    x = rng.integers(-(2**31), 2**31, (1, 6, 6, 4)).astype("int32")
    check_max(x, 3, stride=1, padding="same")
    check_max(x.view("uint32"), 3, stride=1, padding="same")


@pytest.mark.parametrize("padding", ["valid", "same"])
def test_mean_of_halves(padding, rng):
    x = sample(rng, (1, 6, 7, 4), "float16")
    got = pt.avg_pool2d(pt.asarray(x), 3, stride=2, padding=padding)
    want = pooled(x, 3, "avg", stride=2, padding=padding)
    assert_values(got, want, rtol=HALF, atol=HALF)


def test_halves_accumulate_in_float32():
    x = np.full((1, 64, 64, 1), 40.0, "float16")  # 163840 exceeds float16
    assert_values(pt.avg_pool2d(pt.asarray(x), 64), np.full((1, 1, 1, 1), 40.0, "float16"))


def test_nan_and_infinity():
    x = np.zeros((1, 4, 4, 4), "float32")
    x[0, 1, 1, 0], x[0, 2, 2, 1], x[0, 0, 3, 2] = np.nan, -np.inf, np.inf
    x[0, 2:, 2:, 3] = -np.inf
    check_max(x, 2)
    check_avg(x, 2)


def test_windows_of_padding_alone():
    x = np.ones((1, 1, 1, 4), "float32")
    got = pt.max_pool2d(pt.asarray(x), 1, padding=((1, 0), (0, 0)))
    assert_values(got, np.float32([-np.inf, 1])[None, :, None, None] * np.ones(4, "float32"))
    got = pt.max_pool2d(pt.asarray(x.astype("int8")), 1, padding=((1, 0), (0, 0)))
    assert_values(got, np.int8([-128, 1])[None, :, None, None] * np.ones(4, "int8"))
    got = pt.avg_pool2d(pt.asarray(x), 1, padding=((1, 0), (0, 0)))
    assert_values(got, np.float32([np.nan, 1])[None, :, None, None] * np.ones(4, "float32"))


def test_one_image_without_a_batch(rng):
    x = sample(rng, (6, 6, 4), "float32")
    assert_values(pt.max_pool2d(pt.asarray(x), 2), pooled(x[None], 2, "max")[0])
    assert_values(pt.avg_pool2d(pt.asarray(x), 2), pooled(x[None], 2, "avg")[0], rtol=1e-5)


def test_views_and_fusion(rng):
    x = sample(rng, (2, 8, 8, 4), "float32")
    got = pt.max_pool2d(pt.asarray(x)[:, ::-1] * 2.0, 2) + 1.0
    assert_values(got, pooled(x[:, ::-1] * 2, 2, "max") + 1)
    got = pt.avg_pool2d(pt.permute_dims(pt.asarray(x), (0, 3, 1, 2)), 2, padding=1)
    assert_values(got, pooled(x.transpose(0, 3, 1, 2), 2, "avg", padding=1), rtol=1e-5, atol=1e-6)


def test_a_million_elements(rng):
    x = rng.integers(-9, 9, (1, 128, 128, 64)).astype("float32")
    got = pt.max_pool2d(pt.asarray(x), 2)
    assert_values(got, x.reshape(1, 64, 2, 64, 2, 64).max(axis=(2, 4)))
    got = pt.avg_pool2d(pt.asarray(x), 2)
    assert_values(got, x.reshape(1, 64, 2, 64, 2, 64).mean(axis=(2, 4)))


# --- kernels ---


@pytest.mark.parametrize(
    "pool",
    [
        lambda x: pt.relu(pt.max_pool2d(x * 2.0, 2) + 1.0),
        lambda x: pt.max_pool2d(x, 3, stride=2, padding="same"),
        lambda x: pt.relu(pt.avg_pool2d(x * 2.0, 2) + 1.0),
        lambda x: pt.avg_pool2d(x, 3, stride=2, padding="same"),
        lambda x: pt.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=True),
    ],
    ids=["max", "max of a padded image", "avg", "avg of a padded image", "avg with the padding"],
)
def test_pooling_is_one_kernel(pool):
    names = kernels(pool(leaf(1, 16, 16, 8)))
    assert len(names) == 1
    assert names[0].startswith("reduce ")


def test_explain_shows_the_pooling():
    assert ops_in(pt.max_pool2d(pt.ones((4, 4, 4)) * 2.0, 2)) == ["reduce max"]


# --- errors ---


@pytest.mark.parametrize("pool", [pt.max_pool2d, pt.avg_pool2d], ids=["max_pool2d", "avg_pool2d"])
def test_errors(pool):
    name, x = pool.__name__, pt.ones((1, 5, 5, 3))
    error = pt.errors
    cases = [
        (
            error.ShapeError,
            lambda: pool(pt.ones((5, 5)), 2),
            (
                "input must have 3 or 4 axes; got shape (5, 5); x must have shape (batch, "
                "height, width, channels) or (height, width, channels)"
            ),
        ),
        (
            error.ArgumentError,
            lambda: pool(x, 0),
            "size is invalid; got 0; use a number or two of at least 1",
        ),
        (
            error.ArgumentError,
            lambda: pool(x, 2, stride=(1, 0)),
            "stride is invalid; got (1, 0); use a number or two of at least 1",
        ),
        (
            error.ArgumentError,
            lambda: pool(x, 2, dilation=0),
            "dilation is invalid; got 0; use a number or two of at least 1",
        ),
        (
            error.ArgumentError,
            lambda: pool(x, 2, padding=-1),
            (
                'padding is invalid; got -1; use "valid", "same", a number or ((top, bottom), '
                "(left, right))"
            ),
        ),
        (
            error.ShapeError,
            lambda: pool(x, 3, dilation=3),
            (
                "window is larger than the image; got window (3, 3) and image (5, 5) with padding "
                '[(0, 0), (0, 0)]; use padding="same"'
            ),
        ),
    ]
    for kind, call, text in cases:
        assert_raises(kind, f"{name}: {text}", call)


def test_errors_about_dtypes():
    assert_raises(
        pt.errors.DTypeError,
        'max_pool2d: dtype bool is not numeric; use x.astype("int32")',
        lambda: pt.max_pool2d(pt.ones((4, 4, 1), dtype="bool"), 2),
    )
    assert_raises(
        pt.errors.DTypeError,
        'avg_pool2d: dtype int32 is not floating; use x.astype("float32")',
        lambda: pt.avg_pool2d(pt.ones((4, 4, 1), dtype="int32"), 2),
    )
