"""Options that NumPy lacks: sums without the element, rows to search, layouts of images."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values, sample

import py_tensor as pt
from py_tensor import errors


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("include_initial", [False, True])
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative(dtype, axis, exclusive, reverse, include_initial, name, rng):
    x = rng.integers(0, 4, (5, 6)).astype(dtype)  # exact in any order
    function, start = (np.cumsum, 0) if name == "cumulative_sum" else (np.cumprod, 1)
    given = np.flip(x, axis) if reverse else x
    wide = {"uint8": "uint32"}.get(dtype, dtype)
    expected = function(given, axis=axis, dtype=wide)
    if exclusive or include_initial:
        widths = [(int(at == axis), 0) for at in range(2)]
        expected = np.pad(expected, widths, constant_values=start)
    if exclusive and not include_initial:
        expected = np.delete(expected, -1, axis)
    expected = np.flip(expected, axis) if reverse else expected
    options = {"exclusive": exclusive, "reverse": reverse, "include_initial": include_initial}
    got = getattr(pt, name)(pt.asarray(x), axis=axis, **options)
    assert_values(got, expected)


def test_gradient_of_an_exclusive_sum():
    def loss(x):
        return pt.sum(pt.cumulative_sum(x, exclusive=True, reverse=True) * [1.0, 10.0, 100.0])

    assert pt.grad(loss)(pt.ones(3)).tolist() == [0.0, 1.0, 11.0]


def test_exclusive_sum_of_nothing():
    assert pt.cumulative_sum(pt.zeros((0,)), exclusive=True).shape == (0,)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
@pytest.mark.parametrize("length", [0, 1, 9])
@pytest.mark.parametrize("side", ["left", "right"])
def test_search_in_rows(dtype, shape, length, side, rng):
    x = np.sort(sample(rng, (*shape, length), dtype), axis=-1)
    values = sample(rng, (*shape, 5), dtype)
    pairs = zip(x.reshape((values.size // 5, length)), values.reshape((-1, 5)), strict=True)
    expected = [np.searchsorted(row, value, side) for row, value in pairs]
    got = pt.searchsorted(pt.asarray(x), pt.asarray(values), side=side)
    assert_values(got, np.array(expected, "int32").reshape((*shape, 5)))


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("length", [None, 4, 12])
def test_counts_along_an_axis(dtype, axis, weighted, length, rng):
    x = rng.integers(0, 8, (3, 5, 4)).astype(dtype)
    weights = rng.integers(0, 9, x.shape).astype("float32") if weighted else None
    size = int(x.max()) + 1 if length is None else length
    counts = [
        np.where(x == at, 1 if weights is None else weights, 0).sum(axis) for at in range(size)
    ]
    expected = np.stack(counts, axis=axis).astype("float32" if weighted else "int32")
    given = None if weights is None else pt.asarray(weights)
    assert_values(pt.bincount(pt.asarray(x), given, length=length, axis=axis), expected)


def test_divide_no_nan():
    got = pt.divide_no_nan([1.0, 0.0, -3.0], [0.0, 0.0, 2.0])
    assert_values(got, np.array([0.0, 0.0, -1.5], "float32"))
    assert_values(pt.divide_no_nan([6, 5], [4, 0]), np.array([1.5, 0.0], "float32"))
    assert_values(pt.divide_no_nan([[1.0], [2.0]], 4), np.array([[0.25], [0.5]], "float32"))
    gradients = pt.grad(lambda a, b: pt.sum(pt.divide_no_nan(a, b)), argnums=(0, 1))
    found = gradients(pt.asarray([1.0, 4.0]), pt.asarray([0.0, 2.0]))
    assert [part.tolist() for part in found] == [[0.0, 0.5], [0.0, -1.0]]


W = np.arange(36, dtype="float32").reshape((3, 2, 2, 3))
LAYOUTS = {
    "conv2d": lambda x, **o: pt.conv2d(x, W, padding="same", **o),
    "conv2d_transpose": lambda x, **o: pt.conv2d_transpose(x, W.swapaxes(2, 3), stride=2, **o),
    "depthwise_conv2d": lambda x, **o: pt.nn.depthwise_conv2d(x, W, stride=2, **o),
    "max_pool2d": lambda x, **o: pt.max_pool2d(x, (2, 3), **o),
    "avg_pool2d": lambda x, **o: pt.avg_pool2d(x, 2, padding="same", **o),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_channels_before_the_height(name, dtype, batch, rng):
    x = sample(rng, (*batch, 5, 6, 2), dtype)
    if name == "avg_pool2d":
        x = x.astype("float32")
    last = LAYOUTS[name](pt.asarray(x)).numpy()
    got = LAYOUTS[name](pt.asarray(np.moveaxis(x, -1, -3)), data_format="NCHW")
    assert_values(got, np.moveaxis(last, -1, -3))


@pytest.mark.parametrize("name", LAYOUTS)
def test_unknown_layouts(name):
    assert_raises(
        errors.ArgumentError,
        f'{name}: data_format is unknown; got \'CHWN\'; use "NHWC" or "NCHW"',
        lambda: LAYOUTS[name](pt.ones((1, 4, 4, 2)), data_format="CHWN"),
    )
    with pytest.raises(errors.ShapeError, match=f"^{name}: "):
        LAYOUTS[name](pt.ones(4), data_format="NCHW")


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.ShapeError,
            "searchsorted: sorter does not fit; got shape (2,) for (1, 2); pass argsort(x)",
            lambda: pt.searchsorted(pt.ones((1, 2)), pt.ones((1, 2)), sorter=[0, 1]),
        ),
        (
            errors.ShapeError,
            "bincount: axis out of range; got axis 2 for 1 axes; use -1 to 0",
            lambda: pt.bincount([1, 2], axis=2),
        ),
        (
            errors.DTypeError,
            "bincount: input must be integers along one axis; got float32, shape (2,); use "
            'x.flatten().astype("int32")',
            lambda: pt.bincount([1.0, 2.0], axis=0),
        ),
    ],
)
def test_wrong_arguments(error, text, call):
    assert_raises(error, text, call)
