"""Segment reductions and `x.at[...]`, against NumPy's unbuffered operations."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

IDS = np.int32([2, 0, 2, 5, -1, 0, 3])
DATA = np.random.default_rng(1).permutation(21).reshape(7, 3) / np.float32(4) - 2
COUNT = 5


def reduced(ufunc, data, start):
    result = np.full((COUNT, *data.shape[1:]), start, data.dtype)
    kept = (IDS >= 0) & (IDS < COUNT)
    ufunc.at(result, IDS[kept], data[kept])
    return result


CASES = {
    "segment_sum": (np.add, 0),
    "segment_prod": (np.multiply, 1),
    "segment_max": (np.maximum, -np.inf),
    "segment_min": (np.minimum, np.inf),
}


@pytest.mark.parametrize("shape", [(), (3,)])
@pytest.mark.parametrize("name", CASES)
def test_segments(name, shape):
    data = DATA.astype("float32") if shape else DATA[:, 0].astype("float32")
    got = getattr(pt, name)(pt.asarray(data), pt.asarray(IDS), COUNT)
    assert_values(got, reduced(*CASES[name][:1], data, CASES[name][1]), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int32", "int16", "int8", "uint8", "uint16"])
def test_segments_of_integers(dtype):
    data = (DATA * 4).astype(dtype)
    limits = np.iinfo(dtype)
    cases = {"segment_sum": 0, "segment_max": limits.min, "segment_min": limits.max}
    for name, start in cases.items():
        got = getattr(pt, name)(pt.asarray(data), pt.asarray(IDS), COUNT)
        assert_values(got, reduced(CASES[name][0], data, start))


def test_mean_and_number_of_segments():
    data = DATA.astype("float32")
    sums = reduced(np.add, data, 0)
    sizes = np.maximum(reduced(np.add, np.ones_like(data), 0), 1)
    got = pt.segment_mean(pt.asarray(data), pt.asarray(IDS), COUNT)
    assert_values(got, sums / sizes, rtol=1e-6)
    assert pt.segment_sum(pt.asarray(data), pt.asarray(IDS)).shape == (6, 3)
    assert pt.segment_max(pt.zeros((0, 2)), pt.asarray([], dtype="int32"), 2).shape == (2, 2)


@pytest.mark.parametrize("name", [*CASES, "segment_mean"])
def test_gradients_jit_and_vmap(name):
    function = getattr(pt, name)
    data, weights = DATA.astype("float32"), np.arange(COUNT, dtype="float32")[:, None]

    def loss(data, ids):
        found = function(data, ids, COUNT)
        return pt.sum(pt.where(pt.isfinite(found), found, 0.0) * pt.asarray(weights))

    got = pt.jit(pt.grad(loss))(pt.asarray(data), pt.asarray(IDS))
    step = 2.0**-7  # the functions are piecewise polynomials, and these numbers are exact
    want = np.zeros_like(data)
    if name in ("segment_sum", "segment_mean"):
        kept = (IDS >= 0) & (IDS < COUNT)
        size = reduced(np.add, np.ones(7, "float32"), 0) if name == "segment_mean" else np.ones(5)
        want[kept] = (weights[:, 0] / np.maximum(size, 1))[IDS[kept]][:, None]
    else:
        ufunc, start = CASES[name]

        def number(x):
            found = reduced(ufunc, x.astype("float64"), start)
            return np.sum(np.where(np.isfinite(found), found, 0) * weights)

        for place in np.ndindex(data.shape):
            moved = [data.copy() for _ in range(2)]
            moved[0][place] += step
            moved[1][place] -= step
            want[place] = (number(moved[0]) - number(moved[1])) / (2 * step)
    assert_values(got, want, rtol=1e-5, atol=1e-5)
    ids = np.stack([IDS, IDS[::-1]])
    both = pt.vmap(lambda ids: function(pt.asarray(data), ids, COUNT))(pt.asarray(ids))
    for at in range(2):
        single = function(pt.asarray(data), pt.asarray(ids[at].copy()), COUNT)
        assert_values(both[at], single.numpy(), rtol=1e-6)


def test_errors():
    assert_raises(
        errors.DTypeError,
        "segment_sum: segment_ids are not integers; got dtype float32; "
        'use segment_ids.astype("int32")',
        lambda: pt.segment_sum(pt.ones(2), pt.ones(2), 2),
    )
    assert_raises(
        errors.ShapeError,
        "segment_max: segment_ids do not fit; got shape (3,) for data of shape (2,); "
        "give one integer for each slice along the first axis",
        lambda: pt.segment_max(pt.ones(2), pt.asarray([0, 1, 1]), 2),
    )


X = (np.random.default_rng(2).permutation(12).reshape(4, 3) / 2 + 1).astype("float32")
KEYS = {
    "integer": 1,
    "slice": (slice(None), slice(None, None, -2)),
    "repeated": ([0, 2, 0],),
    "pairs": ([0, 2, 0, 0], [1, 1, 1, 2]),
    "mixed": (slice(1, 3), [2, 2]),
}
UPDATES = {
    "add": np.add,
    "multiply": np.multiply,
    "divide": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", UPDATES)
def test_updates(name, key):
    key = KEYS[key]
    values = np.float32(np.arange(1, X[key].size + 1).reshape(X[key].shape) / 4 + 1)
    for given in (values, np.float32(3.5)):
        want = X.copy()
        UPDATES[name].at(want, key, given)
        x = pt.asarray(X)
        got = getattr(x.at[key], name)(pt.asarray(given))
        assert_values(got, want, rtol=1e-6)
        assert_values(x, X)
        compiled = pt.jit(lambda x, v: getattr(x.at[key], name)(v))
        assert_values(compiled(x, pt.asarray(given)), want, rtol=1e-6)


@pytest.mark.parametrize("key", KEYS)
def test_set_power_apply_and_get(key):
    key = KEYS[key]
    x = pt.asarray(X)
    want = X.copy()
    want[key] = 7.0
    assert_values(x.at[key].set(7.0), want)
    want = X.copy()
    want[key] = X[key] ** 2
    assert_values(x.at[key].power(2.0), want, rtol=1e-5)
    assert_values(x.at[key].apply(lambda part: part * part), want, rtol=1e-6)
    assert_values(x.at[key].get(), X[key])


def test_masks_are_not_read_under_jit():
    @pt.jit
    def function(x):
        x = x.at[x > 3.0].set(0.0)
        return x.at[x < 2.0].add(10.0)

    want = np.where(X > 3, np.float32(0), X)
    assert_values(function(pt.asarray(X)), np.where(want < 2, want + 10, want))


def test_dtypes_are_kept():
    x = pt.asarray([1, 2, 3])
    assert x.at[[0, 0]].add(5).dtype == "int32"
    assert x.at[1:].multiply(2).tolist() == [1, 4, 6]
    assert x.at[[1, 1]].max(9).tolist() == [1, 9, 3]


def test_gradients_of_updates():
    def loss(x, v):
        return pt.sum(x.at[[0, 0]].add(v) * pt.asarray([2.0, 3.0]))

    by_x, by_v = pt.grad(loss, argnums=(0, 1))(pt.ones(2), pt.asarray([1.0, 5.0]))
    assert by_x.tolist() == [2.0, 3.0]
    assert by_v.tolist() == [2.0, 2.0]
    by_x = pt.grad(lambda x: pt.sum(x.at[1].multiply(4.0)))(pt.ones(3))
    assert by_x.tolist() == [1.0, 4.0, 1.0]


def test_modes_of_indices_out_of_range():
    x = pt.asarray(np.float32([10, 20, 30]))
    assert x.at[7].get(mode="clip").item() == 30.0
    assert x.at[-7].get(mode="fill", fill_value=-1).item() == -1.0
    assert np.isnan(x.at[pt.asarray([0, 5])].get(mode="fill").numpy()).tolist() == [False, True]
    assert pt.asarray([1, 2]).at[[-2, -3]].get(mode="fill").tolist() == [1, -(2**31)]
    assert pt.asarray([1], dtype="uint8").at[1].get(mode="fill").item() == 255
    assert x.at[pt.asarray([1, 9, -9])].add(5.0, mode="drop").tolist() == [10.0, 25.0, 30.0]
    assert x.at[9].set(5.0, mode="drop").tolist() == [10.0, 20.0, 30.0]
    assert x.at[9].multiply(2.0, mode="clip").tolist() == [10.0, 20.0, 60.0]
    assert x.at[0].get(mode="promise_in_bounds", indices_are_sorted=True).item() == 10.0


def test_modes_of_keys_with_several_parts():
    x = pt.asarray(np.arange(24).reshape(2, 3, 4))
    assert x.at[1:, ..., np.array([3, 4])].get(mode="fill", fill_value=-1).tolist() == [
        [[15, -1], [19, -1], [23, -1]]
    ]
    mask = pt.asarray([False, True])
    assert x.at[mask, :, 9].get(mode="clip").tolist() == [[15, 19, 23]]
    assert x.at[None, 5].get(mode="clip").shape == (1, 3, 4)
    changed = x.at[:, 1, [0, 8]].set(0, mode="drop").numpy()
    expected = np.arange(24).reshape(2, 3, 4)
    expected[:, 1, 0] = 0
    assert (changed == expected).all()


def test_unknown_modes_and_options_raise():
    with pytest.raises(errors.ArgumentError, match="mode does not exist"):
        pt.ones(3).at[0].get(mode="wrap")
    with pytest.raises(TypeError, match="unknown option"):
        pt.ones(3).at[0].set(1.0, mood="clip")
