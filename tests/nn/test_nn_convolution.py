"""Convolutions of one and of three axes, transposed, depthwise and separable: against loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.ops import OP_DEFS

nn = pt.nn
RTOL = OP_DEFS["convolve"].tolerance


def every(value, count):
    return (value,) * count if isinstance(value, int) else tuple(value)


def amounts(padding, image, reach, stride):
    """(before, after) for each axis."""
    if padding == "valid":
        return [(0, 0)] * len(image)
    if padding == "same":
        totals = [
            max(0, (-(-n // s) - 1) * s + r - n)
            for n, r, s in zip(image, reach, stride, strict=True)
        ]
        return [(total // 2, total - total // 2) for total in totals]
    return [every(p, 2) for p in every(padding, len(image))]


def places(out, size, stride, dilation):
    """Yield each result position with each tap and the tap's position in the padded image."""
    for place in product(*map(range, out)):
        for tap in product(*map(range, size)):
            at = tuple(
                p * s + k * d for p, s, k, d in zip(place, stride, tap, dilation, strict=True)
            )
            yield place, tap, at


def convolve(x, w, stride=1, padding="valid", dilation=1, groups=1):
    """Convolve one position and tap after the other."""
    image, size = x.shape[1:-1], w.shape[:-2]
    count = len(image)
    stride, dilation = every(stride, count), every(dilation, count)
    reach = [d * (k - 1) + 1 for k, d in zip(size, dilation, strict=True)]
    pads = amounts(padding, image, reach, stride)
    out = [
        (n + sum(pad) - r) // s + 1 for n, pad, r, s in zip(image, pads, reach, stride, strict=True)
    ]
    padded = np.pad(x, [(0, 0), *pads, (0, 0)])
    result = np.zeros((len(x), *out, w.shape[-1]), x.dtype)
    each, outs = w.shape[-2], w.shape[-1] // groups
    for place, tap, at in places(out, size, stride, dilation):
        for g in range(groups):
            pixel = padded[(slice(None), *at, slice(g * each, (g + 1) * each))]
            columns = slice(g * outs, (g + 1) * outs)
            result[(slice(None), *place, columns)] += pixel @ w[tap][:, columns]
    return result


def transposed(x, w, stride=1, padding="valid", output_padding=0, dilation=1, groups=1):
    """Add each pixel, through each tap, to the positions that a convolution reads it for."""
    image, size = x.shape[1:-1], w.shape[:-2]
    count = len(image)
    stride, dilation = every(stride, count), every(dilation, count)
    more = every(output_padding, count)
    reach = [d * (k - 1) + 1 for k, d in zip(size, dilation, strict=True)]
    if padding == "same":
        totals = [max(0, r - s) for r, s in zip(reach, stride, strict=True)]
        pads = [(total // 2, 0) for total in totals]
        out = [n * s for n, s in zip(image, stride, strict=True)]
    else:
        pads = amounts(padding, image, reach, stride)
        out = [
            (n - 1) * s + r - sum(pad) + m
            for n, s, r, pad, m in zip(image, stride, reach, pads, more, strict=True)
        ]
    full = [
        max((n - 1) * s + r, pad[0] + o)
        for n, s, r, pad, o in zip(image, stride, reach, pads, out, strict=True)
    ]
    each, channels = w.shape[-2], w.shape[-1] // groups
    whole = np.zeros((len(x), *full, each * groups), x.dtype)
    for place, tap, at in places(image, size, stride, dilation):
        for g in range(groups):
            inputs = slice(g * channels, (g + 1) * channels)
            pixel = x[(slice(None), *place, inputs)]
            columns = slice(g * each, (g + 1) * each)
            whole[(slice(None), *at, columns)] += pixel @ w[tap][:, inputs].T
    kept = [slice(pad[0], pad[0] + o) for pad, o in zip(pads, out, strict=True)]
    return whole[(slice(None), *kept)]


def small(rng, *shape):
    """Draw integers whose sums of products are exact."""
    return rng.integers(-3, 4, shape).astype("float32")


ONE_AXIS = [
    ((2, 9, 3), (3, 3, 4), {}),
    ((2, 9, 4), (3, 4, 8), {"padding": "same"}),
    ((1, 10, 5), (4, 5, 3), {"stride": 3, "padding": "same"}),
    ((1, 10, 4), (3, 4, 5), {"dilation": 2, "padding": 2}),
    ((1, 11, 6), (2, 3, 4), {"groups": 2, "stride": 2}),
    ((1, 7, 4), (3, 4, 2), {"padding": (2, 1)}),
    ((1, 7, 4), (3, 4, 2), {"padding": ((0, 3),)}),
    ((1, 6, 4), (3, 1, 8), {"groups": 4}),
    ((3, 5, 2), (1, 2, 3), {}),
]


@pytest.mark.parametrize(("image", "kernel", "options"), ONE_AXIS, ids=str)
def test_one_axis(image, kernel, options, rng):
    x, w = small(rng, *image), small(rng, *kernel)
    pads = options.get("padding")
    pairs = {**options, "padding": (pads,)} if pads == (2, 1) else options
    assert_values(nn.conv1d(pt.asarray(x), pt.asarray(w), **options), convolve(x, w, **pairs))


THREE_AXES = [
    ((2, 4, 5, 6, 3), (2, 3, 2, 3, 4), {}),
    ((1, 4, 4, 5, 4), (3, 3, 3, 4, 8), {"padding": "same"}),
    ((1, 5, 6, 4, 2), (3, 2, 3, 2, 3), {"stride": 2, "padding": "same"}),
    ((1, 5, 5, 5, 3), (2, 2, 2, 3, 2), {"dilation": (2, 1, 3), "padding": 1}),
    ((1, 4, 4, 4, 6), (2, 3, 2, 3, 4), {"groups": 2, "padding": ((0, 1), (1, 0), (2, 1))}),
    ((1, 3, 4, 4, 4), (3, 1, 1, 1, 4), {"groups": 4, "stride": (1, 2, 3)}),
    ((1, 3, 3, 3, 2), (1, 1, 1, 2, 5), {}),
]


@pytest.mark.parametrize(("image", "kernel", "options"), THREE_AXES, ids=str)
def test_three_axes(image, kernel, options, rng):
    x, w = small(rng, *image), small(rng, *kernel)
    assert_values(nn.conv3d(pt.asarray(x), pt.asarray(w), **options), convolve(x, w, **options))


ONE_AXIS_BACK = [
    ((2, 5, 3), (3, 4, 3), {}),
    ((2, 5, 4), (4, 3, 4), {"stride": 2, "padding": "same"}),
    ((1, 4, 4), (2, 3, 4), {"stride": 3, "padding": "same"}),
    ((1, 5, 4), (3, 2, 4), {"stride": 2, "padding": 1, "output_padding": 1}),
    ((1, 5, 6), (3, 2, 6), {"groups": 2, "dilation": 2}),
]


@pytest.mark.parametrize(("image", "kernel", "options"), ONE_AXIS_BACK, ids=str)
def test_one_axis_transposed(image, kernel, options, rng):
    x, w = small(rng, *image), small(rng, *kernel)
    got = nn.conv1d_transpose(pt.asarray(x), pt.asarray(w), **options)
    assert_values(got, transposed(x, w, **options))


THREE_AXES_BACK = [
    ((2, 3, 2, 4, 3), (2, 3, 2, 4, 3), {}),
    ((1, 3, 3, 2, 4), (3, 3, 3, 2, 4), {"stride": 2, "padding": "same"}),
    ((1, 2, 2, 2, 4), (2, 1, 2, 3, 4), {"stride": 3, "padding": "same"}),
    ((1, 3, 2, 3, 2), (3, 3, 3, 2, 2), {"stride": (2, 1, 3), "padding": 1, "output_padding": 1}),
    ((1, 3, 3, 3, 4), (2, 2, 3, 3, 4), {"groups": 2, "dilation": (2, 1, 2)}),
    ((1, 3, 2, 2, 3), (3, 1, 1, 2, 3), {"padding": ((1, 2), (0, 0), (0, 0)), "stride": (2, 1, 1)}),
]


@pytest.mark.parametrize(("image", "kernel", "options"), THREE_AXES_BACK, ids=str)
def test_three_axes_transposed(image, kernel, options, rng):
    x, w = small(rng, *image), small(rng, *kernel)
    got = nn.conv3d_transpose(pt.asarray(x), pt.asarray(w), **options)
    assert_values(got, transposed(x, w, **options))


DEPTHWISE = [
    ((2, 6, 7, 4), (3, 3, 4, 1), {}),
    ((1, 6, 7, 3), (3, 2, 3, 2), {"padding": "same", "stride": 2}),
    ((1, 7, 7, 5), (3, 3, 5, 1), {"dilation": 2, "padding": 1}),
]


def kernel_of_groups(w):
    height, width, channels, multiplier = w.shape
    return w.reshape(height, width, 1, channels * multiplier)


@pytest.mark.parametrize(("image", "kernel", "options"), DEPTHWISE, ids=str)
def test_depthwise(image, kernel, options, rng):
    x, w = small(rng, *image), small(rng, *kernel)
    got = nn.depthwise_conv2d(pt.asarray(x), pt.asarray(w), **options)
    # Result c * multiplier + m is channel c under kernel m alone.
    want = np.stack(
        [
            convolve(x[..., [c]], w[:, :, [c]][..., [m]], **options)[..., 0]
            for c in range(kernel[2])
            for m in range(kernel[3])
        ],
        axis=-1,
    )
    assert_values(got, want)


@pytest.mark.parametrize(
    "options", [{}, {"padding": "same", "stride": 2}, {"dilation": 2}], ids=str
)
def test_separable(options, rng):
    x, depthwise, pointwise = small(rng, 2, 6, 6, 3), small(rng, 3, 3, 3, 2), small(rng, 1, 1, 6, 5)
    got = nn.separable_conv2d(*map(pt.asarray, (x, depthwise, pointwise)), **options)
    planes = convolve(x, kernel_of_groups(depthwise), groups=3, **options)
    assert_values(got, convolve(planes, pointwise))


UNBATCHED = {
    "conv1d": (convolve, (6, 3), (3, 3, 4)),
    "conv3d": (convolve, (3, 4, 5, 2), (2, 2, 2, 2, 3)),
    "conv1d_transpose": (transposed, (6, 3), (3, 4, 3)),
    "conv3d_transpose": (transposed, (2, 3, 2, 2), (2, 2, 2, 3, 2)),
}


@pytest.mark.parametrize("name", UNBATCHED)
def test_one_image_without_a_batch(name, rng):
    reference, image, kernel = UNBATCHED[name]
    x, w = small(rng, *image), small(rng, *kernel)
    got = getattr(nn, name)(pt.asarray(x), pt.asarray(w))
    assert_values(got, reference(x[None], w)[0])


@pytest.mark.parametrize("name", UNBATCHED)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_random_floats(name, dtype, rng):
    reference, image, kernel = UNBATCHED[name]
    x, w = (rng.standard_normal(shape).astype(dtype) for shape in ((2, *image), kernel))
    wide = x.astype("float64"), w.astype("float64")
    size = reference(*map(np.abs, wide)).max()
    # Halves are rounded once for each summed plane.
    rtol = RTOL if dtype == "float32" else 2 * HALF
    got = getattr(nn, name)(pt.asarray(x), pt.asarray(w))
    assert_values(got, reference(*wide).astype(dtype), rtol=rtol, atol=rtol * size)


def test_empty_batch():
    assert_values(
        nn.conv1d(pt.zeros((0, 5, 3)), pt.zeros((3, 3, 2))), np.zeros((0, 3, 2), "float32")
    )
    assert_values(
        nn.conv3d(pt.zeros((0, 3, 3, 3, 2)), pt.zeros((2, 2, 2, 2, 4))),
        np.zeros((0, 2, 2, 2, 4), "float32"),
    )


X1, W1 = (1, 5, 3), (3, 3, 4)
X3, W3 = (1, 5, 5, 5, 3), (3, 3, 3, 3, 4)
CASES = {
    "conv1d of an image": (
        errors.ShapeError,
        lambda: nn.conv1d(pt.zeros((1, 5, 5, 3)), pt.zeros(W1)),
        "conv1d: inputs must have 3 axes each; got shapes (1, 5, 5, 3) and (3, 3, 4); x must have "
        "shape (batch, width, channels) and w (width, channels / groups, outputs)",
    ),
    "conv1d of other channels": (
        errors.ShapeError,
        lambda: nn.conv1d(pt.zeros((1, 5, 2)), pt.zeros(W1)),
        "conv1d: wrong number of channels; got 2 in x, 3 in w, 4 outputs, 1 groups; x must have "
        "the channels of w times groups, and outputs must be a multiple of groups",
    ),
    "conv1d with two strides": (
        errors.ArgumentError,
        lambda: nn.conv1d(pt.zeros(X1), pt.zeros(W1), stride=(1, 2)),
        "conv1d: stride is invalid; got (1, 2); use a number of at least 1",
    ),
    "conv1d with padding of two axes": (
        errors.ArgumentError,
        lambda: nn.conv1d(pt.zeros(X1), pt.zeros(W1), padding=((1, 1), (2, 2))),
        'conv1d: padding is invalid; got ((1, 1), (2, 2)); use "valid", "same", a number or '
        "(left, right)",
    ),
    "conv1d of a short sequence": (
        errors.ShapeError,
        lambda: nn.conv1d(pt.zeros((1, 2, 3)), pt.zeros(W1)),
        "conv1d: kernel is larger than the image; got kernel (3,) and image (2,) with padding "
        '[(0, 0)]; use padding="same"',
    ),
    "conv3d of an image": (
        errors.ShapeError,
        lambda: nn.conv3d(pt.zeros((5, 5, 3)), pt.zeros(W3)),
        "conv3d: inputs must have 5 axes each; got shapes (5, 5, 3) and (3, 3, 3, 3, 4); x must "
        "have shape (batch, depth, height, width, channels) and w (depth, height, width, channels "
        "/ groups, outputs)",
    ),
    "conv3d with two dilations": (
        errors.ArgumentError,
        lambda: nn.conv3d(pt.zeros(X3), pt.zeros(W3), dilation=(1, 2)),
        "conv3d: dilation is invalid; got (1, 2); use a number or three of at least 1",
    ),
    "conv3d with a wrong padding": (
        errors.ArgumentError,
        lambda: nn.conv3d(pt.zeros(X3), pt.zeros(W3), padding="full"),
        'conv3d: padding is invalid; got \'full\'; use "valid", "same", a number or ((front, '
        "back), (top, bottom), (left, right))",
    ),
    "conv1d_transpose of other channels": (
        errors.ShapeError,
        lambda: nn.conv1d_transpose(pt.zeros(X1), pt.zeros((3, 4, 2))),
        "conv1d_transpose: wrong number of channels; got 3 in x, 2 in w, 1 groups; x must have as "
        "many channels as the last axis of w, a multiple of groups",
    ),
    "conv3d_transpose with too much padding": (
        errors.ShapeError,
        lambda: nn.conv3d_transpose(
            pt.zeros((1, 1, 1, 1, 3)), pt.zeros((2, 2, 2, 4, 3)), padding=1
        ),
        "conv3d_transpose: the result would be empty; got image (1, 1, 1), kernel (2, 2, 2) and "
        "result (0, 0, 0); use non-empty inputs and less padding",
    ),
    "conv3d_transpose with same and more": (
        errors.ArgumentError,
        lambda: nn.conv3d_transpose(
            pt.zeros((1, 1, 1, 1, 3)), pt.zeros((2, 2, 2, 4, 3)), padding="same", output_padding=1
        ),
        'conv3d_transpose: output_padding cannot be combined with "same"; got (1, 1, 1); omit it, '
        "or pass padding as numbers",
    ),
    "depthwise_conv2d of other channels": (
        errors.ShapeError,
        lambda: nn.depthwise_conv2d(pt.zeros((1, 5, 5, 3)), pt.zeros((3, 3, 4, 1))),
        "depthwise_conv2d: shapes are incompatible; got (1, 5, 5, 3) and (3, 3, 4, 1); x must "
        "have shape (batch, height, width, channels) and w (height, width, channels, multiplier)",
    ),
    "separable_conv2d with other planes": (
        errors.ShapeError,
        lambda: nn.separable_conv2d(
            pt.zeros((1, 5, 5, 3)), pt.zeros((3, 3, 3, 2)), pt.zeros((1, 1, 3, 4))
        ),
        "separable_conv2d: wrong number of channels; got 6 in x, 3 in w, 4 outputs, 1 groups; x "
        "must have the channels of w times groups, and outputs must be a multiple of groups",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_wrong_arguments(name):
    error, call, text = CASES[name]
    assert_raises(error, text, call)
