"""Convolutions: stride, padding, dilation, groups and channels, against loops over pixels."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import HALF, alternating, assert_values
from reference_convolution import convolve

import py_tensor as pt
from py_tensor.ops import OP_DEFS

RTOL = OP_DEFS["convolve"].tolerance


def small(rng, *shape):
    return rng.integers(-3, 4, shape).astype("float32")


def check(rng, image, kernel, **options):
    x, w = small(rng, *image), small(rng, *kernel)
    both = {
        name: (v, v) if name in ("stride", "dilation") and isinstance(v, int) else v
        for name, v in options.items()
    }
    assert_values(pt.conv2d(pt.asarray(x), pt.asarray(w), **options), convolve(x, w, **both))


@pytest.mark.parametrize("channels", range(1, 10))
@pytest.mark.parametrize("outs", [1, 3, 4, 8, 9])
def test_channels(channels, outs, rng):
    check(rng, (2, 5, 6, channels), (3, 3, channels, outs), padding="same")


@pytest.mark.parametrize(
    ("stride", "padding", "channels"),
    alternating(
        [1, 2, 3, (2, 1), (1, 3)],
        ["valid", "same", 0, 1, 2, ((1, 0), (0, 2)), ((2, 2), (1, 1))],
        [3, 4],
    ),
    ids=str,
)
def test_stride_and_padding(stride, padding, channels, rng):
    check(rng, (1, 7, 9, channels), (3, 2, channels, 4), stride=stride, padding=padding)


@pytest.mark.parametrize("dilation", [2, (1, 3), (3, 2)], ids=str)
@pytest.mark.parametrize("padding", ["valid", "same", 1], ids=str)
@pytest.mark.parametrize("stride", [1, 2])
def test_dilation(dilation, padding, stride, rng):
    check(rng, (1, 9, 10, 4), (3, 3, 4, 5), dilation=dilation, padding=padding, stride=stride)


@pytest.mark.parametrize(
    ("channels", "outs", "groups"),
    [(4, 4, 2), (6, 4, 2), (6, 9, 3), (8, 8, 2), (16, 8, 2), (16, 16, 4), (8, 12, 2)],
)
@pytest.mark.parametrize(
    "options", [{"padding": "same"}, {"padding": 1, "dilation": 2}, {"stride": 2}], ids=str
)
def test_groups(channels, outs, groups, options, rng):
    check(rng, (2, 7, 6, channels), (3, 3, channels // groups, outs), groups=groups, **options)


@pytest.mark.parametrize("channels", [1, 3, 4, 8, 9])
@pytest.mark.parametrize("multiplier", [1, 2, 4])
@pytest.mark.parametrize(
    "options", [{"padding": "same"}, {"stride": 2, "padding": "same"}], ids=str
)
def test_depthwise(channels, multiplier, options, rng):
    check(rng, (2, 6, 5, channels), (3, 3, 1, channels * multiplier), groups=channels, **options)


def test_depthwise_without_neighbours(rng):
    check(rng, (1, 4, 5, 5), (1, 1, 1, 5), groups=5)


@pytest.mark.parametrize("kernel", [(1, 1), (1, 5), (5, 1), (5, 5), (7, 7)], ids=str)
@pytest.mark.parametrize("channels", [3, 8])
def test_kernel_sizes(kernel, channels, rng):
    check(rng, (1, 8, 9, channels), (*kernel, channels, 4), padding="same")


COLUMNS = [
    {"padding": "same"},
    {"padding": ((1, 2), (1, 1))},
    {"padding": ((0, 3), (1, 3)), "stride": (2, 3)},
    {"padding": ((4, 0), (2, 2)), "dilation": (2, 2)},
]


@pytest.mark.parametrize("options", COLUMNS, ids=str)
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_images_of_one_column(options, width, groups, rng):
    check(rng, (2, 9, 1, 4), (4, width, 4 // groups, 6), groups=groups, **options)


def test_one_image_without_a_batch(rng):
    x, w = small(rng, 5, 6, 3), small(rng, 3, 3, 3, 2)
    assert_values(pt.conv2d(pt.asarray(x), pt.asarray(w)), convolve(x[None], w)[0])


@pytest.mark.parametrize("channels", [3, 8])
def test_operands_and_results_are_fused(channels, rng):
    x, w, bias = small(rng, 2, 6, 6, channels), small(rng, 3, 3, channels, 8), small(rng, 8)
    s, t, u = map(pt.asarray, (x, w, bias))
    got = pt.relu(pt.conv2d(s * 2 - 1, t[::-1] + 1) + u)
    assert_values(got, np.maximum(convolve(x * 2 - 1, w[::-1] + 1) + bias, 0))


def test_two_layers(rng):
    x, a, b = small(rng, 1, 8, 8, 3), small(rng, 3, 3, 3, 5), small(rng, 3, 3, 5, 2)
    got = pt.conv2d(
        pt.relu(pt.conv2d(pt.asarray(x), pt.asarray(a), padding="same")), pt.asarray(b), stride=2
    )
    assert_values(got, convolve(np.maximum(convolve(x, a, padding="same"), 0), b, stride=(2, 2)))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int16", "int8", "uint8"])
@pytest.mark.parametrize("channels", [3, 4])
def test_integers_are_exact_and_wrap(dtype, channels, rng):
    x = rng.integers(0, 99, (1, 5, 5, channels)).astype(dtype)
    w = rng.integers(0, 9, (3, 3, channels, 4)).astype(dtype)
    with np.errstate(over="ignore"):
        want = convolve(x.astype("int64"), w.astype("int64")).astype(dtype)
    assert_values(pt.conv2d(pt.asarray(x), pt.asarray(w)), want)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_random_floats(dtype, rng):
    x, w = (
        rng.standard_normal((1, 9, 9, 16)).astype(dtype),
        rng.standard_normal((3, 3, 16, 8)).astype(dtype),
    )
    want = convolve(x.astype("float64"), w.astype("float64"), padding="same")
    size = convolve(np.abs(x.astype("float64")), np.abs(w.astype("float64")), padding="same").max()
    rtol = RTOL if dtype == "float32" else HALF
    got = pt.conv2d(pt.asarray(x), pt.asarray(w), padding="same")
    assert_values(got, want.astype(dtype), rtol=rtol, atol=rtol * size)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"stride": 0}, "conv2d: stride is invalid; got 0; use a number or two of at least 1"),
        (
            {"dilation": (1, 0)},
            "conv2d: dilation is invalid; got (1, 0); use a number or two of at least 1",
        ),
        (
            {"padding": "full"},
            (
                'conv2d: padding is invalid; got \'full\'; use "valid", "same", a number or '
                "((top, bottom), (left, right))"
            ),
        ),
        (
            {"groups": 2},
            (
                "conv2d: wrong number of channels; got 3 in x, 3 in w, 4 outputs, 2 groups; x must "
                "have the channels of w times groups, and outputs must be a multiple of groups"
            ),
        ),
        (
            {"dilation": 4},
            (
                "conv2d: kernel is larger than the image; got kernel (3, 3) and image (5, 5) with "
                'padding [(0, 0), (0, 0)]; use padding="same"'
            ),
        ),
    ],
    ids=str,
)
def test_wrong_arguments(options, text):
    with pytest.raises(pt.errors.TensorError) as raised:
        pt.conv2d(pt.zeros((1, 5, 5, 3)), pt.zeros((3, 3, 3, 4)), **options)
    assert str(raised.value) == text


def test_wrong_shapes():
    with pytest.raises(
        pt.errors.ShapeError,
        match=r"^conv2d: inputs must have 4 axes each; got shapes \(5, 5\) and \(3, 3, 3, 4\)",
    ):
        pt.conv2d(pt.zeros((5, 5)), pt.zeros((3, 3, 3, 4)))
