"""Transposed convolutions: compared with a sum over every tap of every pixel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import HALF, alternating, assert_raises, assert_values
from plans import kernels, leaf, plan_of

import py_tensor as pt
from py_tensor.ops import OP_DEFS

RTOL = OP_DEFS["convolve"].tolerance


def two(value):
    return (value, value) if isinstance(value, int) else value


def transposed(x, w, stride=1, padding="valid", output_padding=0, dilation=1, groups=1):
    """Scatter x times w into a frame large enough for all taps, and crop the result."""
    stride, dilation, more = two(stride), two(dilation), two(output_padding)
    batch, channels = x.shape[0], x.shape[3]
    size, each = w.shape[:2], w.shape[2]
    reach = [dilation[i] * (size[i] - 1) + 1 for i in (0, 1)]
    image = x.shape[1:3]
    if padding == "same":
        out = [image[i] * stride[i] for i in (0, 1)]
        low = [max(0, reach[i] - stride[i]) // 2 for i in (0, 1)]
    else:
        pads = (0, 0) if padding == "valid" else two(padding)
        pads = [two(p) for p in pads]
        out = [(image[i] - 1) * stride[i] + reach[i] - sum(pads[i]) + more[i] for i in (0, 1)]
        low = [p[0] for p in pads]
    frame = [max(image[i] * stride[i] + reach[i], low[i] + out[i]) for i in (0, 1)]
    result = np.zeros((batch, *frame, each * groups), np.result_type(x, w))
    inputs = channels // groups
    for i, j in np.ndindex(*image):
        for ky, kx in np.ndindex(*size):
            row, column = i * stride[0] + ky * dilation[0], j * stride[1] + kx * dilation[1]
            for g in range(groups):
                part = slice(g * inputs, (g + 1) * inputs)
                result[:, row, column, g * each : (g + 1) * each] += (
                    x[:, i, j, part] @ w[ky, kx, :, part].T
                )
    return result[:, low[0] : low[0] + out[0], low[1] : low[1] + out[1]]


def small(rng, *shape):
    return rng.integers(-3, 4, shape).astype("float32")


def check(rng, image, kernel, **options):
    x, w = small(rng, *image), small(rng, *kernel)
    got = pt.conv2d_transpose(pt.asarray(x), pt.asarray(w), **options)
    assert_values(got, transposed(x, w, **options))


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("stride", [1, (2, 1), (3, 2)])
def test_images_of_one_column(width, stride, rng):
    padding = ((1, 0), (width // 2, width // 2))
    check(rng, (2, 7, 1, 4), (4, width, 6, 4), stride=stride, padding=padding)


@pytest.mark.parametrize(
    ("stride", "kernel", "channels", "padding"),
    alternating(
        [1, 2, 3, (2, 1), (1, 3), 5],
        [(1, 1), (2, 2), (3, 3), (4, 4), (5, 2), (3, 6)],
        [3, 4],
        ["valid", "same"],
    ),
    ids=str,
)
def test_stride_and_kernel(stride, kernel, channels, padding, rng):
    check(rng, (1, 4, 5, channels), (*kernel, 4, channels), stride=stride, padding=padding)


@pytest.mark.parametrize(
    ("padding", "output_padding", "stride"),
    alternating([0, 1, 2, 3, ((1, 0), (0, 2)), ((4, 3), (3, 4))], [0, 1, (1, 2), 5], [1, 2, 3]),
    ids=str,
)
def test_padding(padding, output_padding, stride, rng):
    check(
        rng,
        (2, 6, 7, 4),
        (4, 3, 4, 4),
        stride=stride,
        padding=padding,
        output_padding=output_padding,
    )


@pytest.mark.parametrize(
    ("dilation", "stride", "padding"),
    alternating([2, 3, (2, 3), 4], [1, 2, 3, 4, 6, (4, 6)], ["valid", "same", 1]),
    ids=str,
)
def test_dilation(dilation, stride, padding, rng):
    check(rng, (1, 4, 3, 4), (3, 2, 4, 4), stride=stride, dilation=dilation, padding=padding)


@pytest.mark.parametrize("channels", range(1, 10))
@pytest.mark.parametrize("outs", [1, 3, 4, 8, 9])
def test_channels(channels, outs, rng):
    check(rng, (2, 3, 4, channels), (4, 4, outs, channels), stride=2, padding="same")


@pytest.mark.parametrize(
    ("channels", "outs", "groups"),
    [(4, 4, 2), (6, 4, 2), (6, 9, 3), (8, 8, 2), (16, 8, 2), (16, 16, 4), (5, 5, 5), (4, 12, 4)],
)
@pytest.mark.parametrize(
    "options", [{"padding": "same"}, {"stride": 2, "padding": 1}, {"stride": 3}], ids=str
)
def test_groups(channels, outs, groups, options, rng):
    check(rng, (2, 5, 4, channels), (3, 3, outs // groups, channels), groups=groups, **options)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
def test_adjoint_of_conv2d(stride, dilation, rng):
    """Check that <conv2d(x, w), y> equals <x, conv2d_transpose(y, w)> for all x and y."""
    x, w = small(rng, 2, 11, 13, 4), small(rng, 3, 3, 4, 6)
    forward = pt.conv2d(pt.asarray(x), pt.asarray(w), stride=stride, dilation=dilation, padding=1)
    y = small(rng, *forward.shape)
    reach = dilation * 2 + 1
    more = [(n + 2 - reach) % stride for n in (11, 13)]
    back = pt.conv2d_transpose(
        pt.asarray(y),
        pt.asarray(w),
        stride=stride,
        dilation=dilation,
        padding=1,
        output_padding=more,
    )
    assert back.shape == x.shape
    assert (forward.numpy() * y).sum() == (back.numpy() * x).sum()


def test_one_image_without_a_batch(rng):
    x, w = small(rng, 5, 6, 3), small(rng, 3, 3, 2, 3)
    got = pt.conv2d_transpose(pt.asarray(x), pt.asarray(w), stride=2)
    assert_values(got, transposed(x[None], w, stride=2)[0])


def test_an_empty_batch():
    got = pt.conv2d_transpose(pt.zeros((0, 4, 4, 3)), pt.zeros((2, 2, 5, 3)), stride=2)
    assert_values(got, np.zeros((0, 8, 8, 5), "float32"))


@pytest.mark.parametrize("channels", [3, 8])
@pytest.mark.parametrize("size", [3, 4])
def test_operands_and_results_are_fused(channels, size, rng):
    x, w = small(rng, 2, 4, 4, channels), small(rng, size, size, 8, channels)
    bias = small(rng, 8)
    s, t, u = map(pt.asarray, (x, w, bias))
    got = pt.relu(pt.conv2d_transpose(s[:, ::-1] * 2 - 1, t[::-1] + 1, stride=2, padding=1) + u)
    want = transposed(x[:, ::-1] * 2 - 1, w[::-1] + 1, stride=2, padding=1) + bias
    assert_values(got, np.maximum(want, 0))
    got = pt.conv2d_transpose(s, t, stride=2, padding="same")[:, 1:, ::2].sum(axis=3)
    want = transposed(x, w, stride=2, padding="same")[:, 1:, ::2].sum(axis=3)
    assert_values(got, want)


def test_infinity_does_not_spread():
    x = np.zeros((1, 3, 3, 4), "float32")
    x[0, 1, 1, 0] = np.inf
    w = np.ones((3, 3, 4, 4), "float32")
    got = pt.conv2d_transpose(pt.asarray(x), pt.asarray(w), stride=2)
    assert_values(got, transposed(x, w, stride=2))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int16", "int8", "uint8"])
@pytest.mark.parametrize("channels", [3, 4])
def test_integers_are_exact_and_wrap(dtype, channels, rng):
    x = rng.integers(0, 99, (1, 3, 4, channels)).astype(dtype)
    w = rng.integers(0, 9, (3, 3, 4, channels)).astype(dtype)
    with np.errstate(over="ignore"):
        want = transposed(x.astype("int64"), w.astype("int64"), stride=2).astype(dtype)
    assert_values(pt.conv2d_transpose(pt.asarray(x), pt.asarray(w), stride=2), want)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_random_floats(dtype, rng):
    x = rng.standard_normal((1, 5, 6, 16)).astype(dtype)
    w = rng.standard_normal((4, 4, 8, 16)).astype(dtype)
    wide = x.astype("float64"), w.astype("float64")
    want = transposed(*wide, stride=2, padding="same")
    size = transposed(*map(np.abs, wide), stride=2, padding="same").max()
    rtol = RTOL if dtype == "float32" else HALF
    got = pt.conv2d_transpose(pt.asarray(x), pt.asarray(w), stride=2, padding="same")
    assert_values(got, want.astype(dtype), rtol=rtol, atol=rtol * size)


def test_a_million_elements(rng):
    x, w = small(rng, 1, 64, 64, 64), small(rng, 2, 2, 64, 64)
    got = pt.conv2d_transpose(pt.asarray(x), pt.asarray(w), stride=2)
    want = np.einsum("byxi,klio->bykxlo", x, w.swapaxes(2, 3)).reshape(1, 128, 128, 64)
    assert_values(got, want)


# --- kernels ---


@pytest.fixture
def on_processor(engine, monkeypatch):
    """Let a convolution compute each phase: on some GPUs one with taps of zero computes all."""
    monkeypatch.setattr(engine, "on_processor", True)


@pytest.mark.usefixtures("on_processor")
@pytest.mark.parametrize(
    ("size", "stride", "kinds"),
    [
        (4, 2, ["map", "contract", "reduce", "map"]),
        (2, 2, ["contract", "map"]),  # each tap alone is a matrix product
        (3, 1, ["map", "contract", "reduce"]),
        (3, 2, ["map", "contract"] * 3 + ["contract", "map", "reduce"]),
    ],
)
def test_phases_with_equally_many_taps_share_a_product(size, stride, kinds):
    x, w, bias = leaf(1, 8, 8, 16), leaf(size, size, 16, 16), leaf(16)
    plan = plan_of(pt.relu(pt.conv2d_transpose(x, w, stride=stride, padding="same") + bias))
    assert sorted(draw.kernel.kind for draw in plan.draws) == sorted(kinds)
    last = plan.draws[-1]
    read = [m for s, m in zip(last.inputs, last.shader.modes, strict=True) if s > 2]
    assert read == ["aligned"] * kinds.count("contract")


@pytest.mark.usefixtures("on_processor")
def test_taps_are_multiplied_once():
    """Count the products: pixels times taps, except at the border."""
    plan = plan_of(pt.conv2d_transpose(leaf(1, 32, 32, 16), leaf(3, 3, 16, 16), stride=2))
    products = 0
    for draw in plan.draws:
        if draw.kernel.kind == "contract":
            call = plan.lowered.calls[draw.kernel.root]
            kh, kw = call.arg.kernel
            products += kh * kw * math.prod(call.spec.shape[1:]) // 16
    assert 32 * 32 * 9 <= products <= 33 * 33 * 9


def test_explain_shows_the_phases():
    names = kernels(pt.conv2d_transpose(leaf(1, 8, 8, 4), leaf(4, 4, 4, 4), stride=2))
    assert "contract convolve" in names


# --- errors ---


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"stride": 0}, "stride is invalid; got 0; use a number or two of at least 1"),
        (
            {"dilation": (1, 0)},
            "dilation is invalid; got (1, 0); use a number or two of at least 1",
        ),
        (
            {"output_padding": -1},
            "output_padding is invalid; got -1; use a number or two of at least 0",
        ),
        (
            {"padding": "full"},
            (
                'padding is invalid; got \'full\'; use "valid", "same", a number or ((top, '
                "bottom), (left, right))"
            ),
        ),
        (
            {"padding": "same", "output_padding": 1},
            (
                'output_padding cannot be combined with "same"; got (1, 1); omit it, or pass '
                "padding as numbers"
            ),
        ),
        (
            {"groups": 2},
            (
                "wrong number of channels; got 3 in x, 3 in w, 2 groups; x must have as many "
                "channels as the last axis of w, a multiple of groups"
            ),
        ),
        (
            {"padding": 4},
            (
                "the result would be empty; got image (5, 5), kernel (3, 3) and result (-1, -1); "
                "use non-empty inputs and less padding"
            ),
        ),
    ],
    ids=str,
)
def test_wrong_arguments(options, text):
    with pytest.raises(pt.errors.TensorError) as raised:
        pt.conv2d_transpose(pt.zeros((1, 5, 5, 3)), pt.zeros((3, 3, 4, 3)), **options)
    assert str(raised.value) == f"conv2d_transpose: {text}"


def test_wrong_shapes():
    assert_raises(
        pt.errors.ShapeError,
        "conv2d_transpose: inputs must have 4 axes each; got shapes (5, 5) and (3, 3, 3, 4); x "
        "must have shape (batch, height, width, channels) and w (height, width, outputs / groups, "
        "channels)",
        lambda: pt.conv2d_transpose(pt.zeros((5, 5)), pt.zeros((3, 3, 3, 4))),
    )
