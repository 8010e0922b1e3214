"""Blocks of pixels, dilation, positions of maxima, and single steps of networks, against loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, sample
from test_nn_convolution import amounts, every

import py_tensor as pt
from py_tensor import errors

nn = pt.nn
DTYPES = ["float32", "float16", "int32", "uint8", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_depth_and_space(dtype, factor, rng):
    x = sample(rng, (2, 3 * factor, 2 * factor, 5), dtype, 0, 9)
    expected = np.zeros((2, 3, 2, 5 * factor**2), dtype)
    for row, column in product(range(factor), repeat=2):
        at = (row * factor + column) * 5
        expected[..., at : at + 5] = x[:, row::factor, column::factor]
    assert_values(nn.space_to_depth(pt.asarray(x), factor), expected)
    assert_values(nn.depth_to_space(pt.asarray(expected), factor), x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("block", "padding"),
    [((2, 3), ((1, 2), (0, 2))), ((1, 1), ((0, 0), (0, 0))), ((4,), ((1, 2),))],
)
def test_space_and_batch(dtype, block, padding, rng):
    x = sample(rng, (2, 5, 4, 3), dtype, 0, 9)
    around = [(0, 0), *padding, *[(0, 0)] * (3 - len(padding))]
    padded = np.pad(x, around)
    places = list(product(*map(range, block)))
    parts = [
        padded[(slice(None), *(slice(p, None, b) for p, b in zip(place, block, strict=True)))]
        for place in places
    ]
    expected = np.concatenate(parts)
    assert_values(nn.space_to_batch(pt.asarray(x), block, padding), expected)
    assert_values(nn.batch_to_space(pt.asarray(expected), block, padding), x)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("padding", ["valid", "same", 1])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_dilation2d(dtype, padding, stride, dilation, rng):
    x, w = sample(rng, (2, 6, 7, 3), dtype), sample(rng, (3, 2, 3), dtype)
    strides, gaps = every(stride, 2), every(dilation, 2)
    reach = [d * (k - 1) + 1 for k, d in zip((3, 2), gaps, strict=True)]
    pads = amounts(padding, (6, 7), reach, strides)
    padded = np.pad(x, ((0, 0), *pads, (0, 0)), constant_values=-np.inf)
    out = [(n - r) // s + 1 for n, r, s in zip(padded.shape[1:3], reach, strides, strict=True)]
    expected = np.full((2, *out, 3), -np.inf, dtype)
    for row, column in product(*map(range, out)):
        for i, j in product(range(3), range(2)):
            at = padded[:, row * stride + i * dilation, column * stride + j * dilation]
            expected[:, row, column] = np.maximum(expected[:, row, column], at + w[i, j])
    options = {"stride": stride, "padding": padding, "dilation": dilation}
    got = nn.dilation2d(pt.asarray(x), pt.asarray(w), **options)
    assert_values(got, expected, rtol=HALF if dtype == "float16" else 1e-6)
    assert_values(nn.dilation2d(pt.asarray(x[0]), pt.asarray(w), **options), got.numpy()[0])


def test_gradient_of_a_dilation_goes_to_the_largest():
    x = pt.asarray([[[[1.0], [5.0], [2.0]]]])
    found = pt.grad(lambda x: pt.sum(nn.dilation2d(x, pt.zeros((1, 2, 1)))))(x)
    assert found.flatten().tolist() == [0.0, 2.0, 0.0]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("padding", ["valid", "same", 1])
@pytest.mark.parametrize(("size", "stride"), [(2, None), ((3, 2), 1)])
@pytest.mark.parametrize("include", [False, True])
def test_positions_of_maxima(dtype, padding, size, stride, include, rng):
    x = rng.permutation(2 * 5 * 6 * 3).reshape((2, 5, 6, 3)).astype(dtype) - 200
    values, places = nn.max_pool2d_with_argmax(
        pt.asarray(x), size, stride=stride, padding=padding, include_batch_in_index=include
    )
    expected = pt.max_pool2d(pt.asarray(x), size, stride=stride, padding=padding).numpy()
    assert_values(values, expected)
    assert places.dtype.name == "int32"
    flat = places.numpy()
    if not include:
        flat = flat + np.arange(2).reshape((2, 1, 1, 1)) * (5 * 6 * 3)
    np.testing.assert_array_equal(x.reshape(-1)[flat], expected)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("radius", [0, 1, 5])
@pytest.mark.parametrize("shape", [(4,), (2, 3, 7)])
def test_local_response_normalization(dtype, radius, shape, rng):
    x = sample(rng, shape, dtype)
    wide = x.astype("float64")
    sums = np.zeros_like(wide)
    for at in range(shape[-1]):
        part = wide[..., max(at - radius, 0) : at + radius + 1]
        sums[..., at] = (part**2).sum(axis=-1)
    expected = (wide / (2.0 + 0.3 * sums) ** 0.75).astype(dtype)
    options = {"radius": radius, "bias": 2.0, "alpha": 0.3, "beta": 0.75}
    got = nn.local_response_normalization(pt.asarray(x), **options)
    assert_values(got, expected, rtol=HALF if dtype == "float16" else 1e-5)


def test_moving_average(rng):
    values = rng.normal(size=(20, 3)).astype("float32")
    average = np.zeros(3)
    got = pt.zeros(3)
    for step, value in enumerate(values, 1):
        average = average + (value - average) * (0.1 / (1 - 0.9**step))
        got = nn.moving_average(got, value, 0.9, step=step)
    assert_values(got, average.astype("float32"), rtol=1e-5)
    assert_values(nn.moving_average([2, 4], [4, 4], 0.5), np.array([3.0, 4.0], "float32"))


@pytest.mark.parametrize("layers", [1, 3])
def test_lstm_cells(layers, rng):
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    x = sample(rng, (2, 4), "float32")
    kernels = [sample(rng, (4 + 4, 16), "float32", -1, 1) for _ in range(layers)]
    bias = sample(rng, (16,), "float32")
    c, h = (sample(rng, (layers, 2, 4), "float32", -1, 1) for _ in range(2))
    cells = [
        lambda x, c, h, kernel=kernel: nn.lstm_cell(x, c, h, kernel, bias, forget_bias=0.5)
        for kernel in kernels
    ]
    states, outputs = nn.multi_rnn_cell(cells, x, list(c), list(h))
    given = x.astype("float64")
    for at, kernel in enumerate(kernels):
        gates = np.concatenate([given, h[at]], axis=1) @ kernel + bias
        i, j, f, o = np.split(gates, 4, axis=1)
        state = sigmoid(i) * np.tanh(j) + c[at] * sigmoid(f + 0.5)
        given = np.tanh(state) * sigmoid(o)
        assert_values(states[at], state.astype("float32"), rtol=1e-5, atol=1e-5)
        assert_values(outputs[at], given.astype("float32"), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("k", [1, 3, 6])
def test_in_top_k(dtype, k, rng):
    scores = sample(rng, (4, 5, 6), dtype)
    labels = rng.integers(0, 6, (4, 5)).astype("int32")
    own = np.take_along_axis(scores, labels[..., None], axis=-1)
    expected = (scores > own).sum(axis=-1) < k
    assert_values(nn.in_top_k(pt.asarray(scores), pt.asarray(labels), k), expected)


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_confusion_matrix(dtype, rng):
    labels, found = (rng.integers(0, 5, 50).astype(dtype) for _ in range(2))
    weights = rng.integers(0, 9, 50).astype("float32")
    counts, sums = np.zeros((4, 4), "int32"), np.zeros((4, 4), "float32")
    for label, guess, weight in zip(labels, found, weights, strict=True):
        if label < 4 and guess < 4:
            counts[label, guess] += 1
            sums[label, guess] += weight
    operands = pt.asarray(labels), pt.asarray(found), 4
    assert_values(nn.confusion_matrix(*operands), counts)
    assert_values(nn.confusion_matrix(*operands, weights=weights), sums)


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.ShapeError,
            "depth_to_space: channels do not fit the factor; got shape (1, 4, 4, 2) and factor 2; "
            "x must have shape (batch, height, width, channels * factor**2)",
            lambda x: nn.depth_to_space(x, 2),
        ),
        (
            errors.ShapeError,
            "space_to_depth: images do not fit the factor; got shape (1, 4, 4, 2) and factor 3; x "
            "must have shape (batch, height * factor, width * factor, channels)",
            lambda x: nn.space_to_depth(x, 3),
        ),
        (
            errors.ShapeError,
            "space_to_batch: blocks do not fit; got shape (1, 4, 4, 2), block [3] and padding "
            "[(0, 0)]; padded lengths must be multiples of the blocks",
            lambda x: nn.space_to_batch(x, [3]),
        ),
        (
            errors.ShapeError,
            "batch_to_space: blocks do not fit; got shape (1, 4, 4, 2), block [2] and crops "
            "[(0, 0)]; the batch must be a multiple of the block's size",
            lambda x: nn.batch_to_space(x, [2]),
        ),
        (
            errors.ShapeError,
            "dilation2d: kernel does not fit; got shapes (1, 4, 4, 2) and (2, 2, 3); w must have "
            "shape (height, width, channels)",
            lambda x: nn.dilation2d(x, pt.ones((2, 2, 3))),
        ),
        (
            errors.DTypeError,
            'dilation2d: dtype int32 is not floating; use x.astype("float32")',
            lambda x: nn.dilation2d(x.astype("int32"), pt.ones((2, 2, 2))),
        ),
        (
            errors.ShapeError,
            "max_pool2d_with_argmax: input must be images; got shape (4, 4, 2); x must have shape "
            "(batch, height, width, channels)",
            lambda x: nn.max_pool2d_with_argmax(x[0], 2),
        ),
        (
            errors.ArgumentError,
            "local_response_normalization: radius is too small; got -1; use 0 or more",
            lambda x: nn.local_response_normalization(x, radius=-1),
        ),
        (
            errors.ShapeError,
            "lstm_cell: kernel does not fit; got shape (3, 5) for a state of shape (1, 1); it must "
            "be (features + units, 4 * units)",
            lambda x: nn.lstm_cell([[1.0, 2.0]], [[0.0]], [[0.0]], pt.ones((3, 5)), [0.0]),
        ),
        (
            errors.ArgumentError,
            "multi_rnn_cell: numbers of cells and states differ; got 1, 2 and 1; pass one state "
            "for each cell",
            lambda x: nn.multi_rnn_cell([nn.lstm_cell], 1.0, [0.0, 0.0], [0.0]),
        ),
        (
            errors.ShapeError,
            "in_top_k: labels do not fit; got shapes (2, 3) and (3,); pass one label for each row "
            "of scores",
            lambda x: nn.in_top_k(pt.ones((2, 3)), [0, 1, 2]),
        ),
        (
            errors.ArgumentError,
            "in_top_k: k is out of range; got 4 for 3 classes; use 1 or more",
            lambda x: nn.in_top_k(pt.ones((2, 3)), [0, 1], 4),
        ),
        (
            errors.ShapeError,
            "confusion_matrix: operands are not vectors of one length; got shapes (2,) and (3,); "
            "pass one number for each sample",
            lambda x: nn.confusion_matrix([0, 1], [0, 1, 1], 2),
        ),
        (
            errors.ArgumentError,
            "confusion_matrix: classes is too small; got 0; use 1 or more",
            lambda x: nn.confusion_matrix([0], [0], 0),
        ),
    ],
)
def test_wrong_arguments(error, text, call):
    assert_raises(error, text, lambda: call(pt.ones((1, 4, 4, 2))))
