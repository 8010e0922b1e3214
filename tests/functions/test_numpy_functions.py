"""Functions that NumPy has beyond the array API standard, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

EINSUMS = {
    "ij,jk->ik": [(3, 4), (4, 5)],
    "ij,kj": [(3, 4), (5, 4)],
    "bij,bjk->bik": [(2, 3, 4), (2, 4, 5)],
    "ijk->": [(2, 3, 4)],
    "ij->ji": [(2, 3)],
    "ji": [(2, 3)],
    "ii->i": [(4, 4)],
    "ii": [(4, 4)],
    "iji->j": [(3, 2, 3)],
    "i,i->i": [(5,), (5,)],
    "i,j->ij": [(3,), (4,)],
    "i,j->ji": [(3,), (4,)],
    "ij,jk,kl->il": [(2, 9), (9, 3), (3, 4)],
    "ij,jk,k": [(2, 3), (3, 4), (4,)],
    "...ij,...jk->...ik": [(5, 1, 2, 3), (4, 3, 2)],
    "...i->...": [(2, 3, 4)],
    "b...i,i->b...": [(2, 3, 4), (4,)],
    "ij,ij->": [(3, 4), (3, 4)],
    "ijk,ilm,njm,nlk,abc->": [(2, 3, 4), (2, 5, 6), (3, 3, 6), (3, 5, 4), (1, 2, 3)],
    "ij,kj->ik": [(3, 1), (2, 4)],
    "aab,bc->ac": [(3, 3, 2), (2, 4)],
    ",i->i": [(), (3,)],
    "ij,jk->ik ": [(0, 4), (4, 2)],
    "ik,kj->ij": [(2, 0), (0, 3)],
}


@pytest.mark.parametrize("subscripts", EINSUMS)
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_einsum(subscripts, dtype, rng):
    arrays = [rng.integers(-3, 4, shape).astype(dtype) for shape in EINSUMS[subscripts]]
    if subscripts == "ij,kj->ik":
        # NumPy broadcasts axes of length 1 here, too.
        expected = np.einsum(subscripts, np.broadcast_to(arrays[0], (3, 4)), arrays[1])
    else:
        expected = np.einsum(subscripts, *arrays)
    assert_values(pt.einsum(subscripts, *map(pt.asarray, arrays)), np.asarray(expected, dtype))


def test_the_path_contracts_small_operands_first():
    operands = [pt.ones((200, 300)), pt.ones((300, 400)), pt.ones(400)]
    assert pt.contraction_path("ij,jk,k->i", *operands) == [(1, 2), (0, 1)]


def test_einsum_differentiates():
    x, w = pt.asarray([[1.0, 2.0]]), pt.asarray([[3.0], [4.0]])
    gradient = pt.grad(lambda w: pt.sum(pt.einsum("ij,jk->ik", x, w) ** 2))(w)
    assert gradient.tolist() == [[22.0], [44.0]]


@pytest.mark.parametrize(
    ("error", "subscripts", "shapes", "text"),
    [
        (
            errors.ArgumentError,
            "ij,jk",
            [(2, 2)],
            "einsum: wrong number of operands; got 1 for 'ij,jk'; pass 2",
        ),
        (
            errors.ShapeError,
            "ij,jk",
            [(2, 3), (4, 5)],
            "einsum: lengths of one label must be equal; got 3 and 4 for 'j' in 'ij,jk'; make "
            "them equal",
        ),
        (
            errors.ShapeError,
            "ij",
            [(2, 3, 4)],
            "einsum: wrong number of axes; got 'ij' for shape (2, 3, 4); use one letter per axis",
        ),
        (
            errors.ArgumentError,
            "ij->ik",
            [(2, 3)],
            "einsum: subscripts are invalid; got 'ij->ik'; use letters; each letter of the result "
            "must occur once in it and in an operand",
        ),
    ],
)
def test_wrong_subscripts(error, subscripts, shapes, text):
    assert_raises(error, text, lambda: pt.einsum(subscripts, *map(pt.ones, shapes)))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_quantile(method, axis, rng):
    x = rng.integers(0, 64, (3, 4, 5)).astype("float32")
    for q in (0.0, 0.25, 1.0, [0.5, 0.75]):
        for keepdims in (False, True):
            expected = np.quantile(x, q, axis=axis, method=method, keepdims=keepdims)
            got = pt.quantile(pt.asarray(x), q, axis=axis, method=method, keepdims=keepdims)
            assert_values(got, expected.astype("float32"), rtol=1e-6)


def test_median(rng):
    for shape in ((7,), (3, 8)):
        x = rng.integers(0, 64, shape)
        assert_values(pt.median(pt.asarray(x), axis=-1), np.median(x, -1).astype("float32"))
    spoilt = np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 2.0]], "float32")
    assert_values(pt.median(pt.asarray(spoilt), axis=1), np.median(spoilt, 1).astype("float32"))


def test_wrong_quantiles():
    x = pt.ones(3)
    assert_raises(
        errors.ArgumentError,
        "quantile: probability is out of range; got 1.5; use 0 to 1",
        lambda: pt.quantile(x, 1.5),
    )
    assert_raises(
        errors.ArgumentError,
        'quantile: method is unknown; got \'cubic\'; use "linear", "interpolated_inverted_cdf", '
        '"hazen", "weibull", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", '
        '"nearest", "inverted_cdf", "averaged_inverted_cdf" or "closest_observation"',
        lambda: pt.quantile(x, 0.5, method="cubic"),
    )


def test_bincount(rng):
    x = rng.integers(0, 9, 50).astype("int32")
    w = rng.integers(0, 9, 50).astype("float32")
    for minlength in (0, 3, 20):
        expected = np.bincount(x, minlength=minlength).astype("int32")
        assert_values(pt.bincount(pt.asarray(x), minlength=minlength), expected)
    assert_values(pt.bincount(pt.asarray(x), pt.asarray(w)), np.bincount(x, w).astype("float32"))
    assert_values(
        pt.bincount(pt.asarray(x.astype("uint8")), length=4),
        np.bincount(x[x < 4], minlength=4).astype("int32"),
    )
    unsigned = pt.asarray(np.array([1, 2, 2**31, 5], "uint32"))
    sums = np.array([1, 2**31 + 2, 0, 5], "uint32")
    assert_values(pt.bincount(pt.asarray([0, 1, 1, 3]), unsigned), sums)
    assert pt.bincount(pt.asarray([1, 1]), [True, True]).tolist() == [0, 2]
    assert pt.bincount(pt.asarray([], dtype="int32")).shape == (0,)
    assert_raises(
        errors.ArgumentError,
        "bincount: numbers must not be negative; got -2; use numbers of at least 0",
        lambda: pt.bincount(pt.asarray([1, -2])),
    )


def test_histogram(rng):
    x = rng.integers(0, 33, (6, 7)).astype("float32")
    w = rng.integers(0, 5, (6, 7)).astype("float32")
    for options in ({}, {"bins": 4}, {"bins": 8, "range": (0, 16)}):
        expected, limits = np.histogram(x, **options)
        got, found = pt.histogram(pt.asarray(x), **options)
        assert_values(got, expected.astype("int32"))
        assert_values(found, limits.astype("float32"), rtol=1e-6)
    bins = np.array([0.0, 1.0, 8.0, 32.0], "float32")
    for options in ({}, {"density": True}):
        expected, _ = np.histogram(x, bins, **options)
        got, _ = pt.histogram(pt.asarray(x), pt.asarray(bins), **options)
        dtype = "float32" if options else "int32"
        assert_values(got, expected.astype(dtype), rtol=1e-6)
    expected, _ = np.histogram(x, bins, weights=w)
    got, _ = pt.histogram(pt.asarray(x), pt.asarray(bins), weights=pt.asarray(w))
    assert_values(got, expected.astype("float32"))


PAST_NAN = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"]


@pytest.mark.parametrize("name", PAST_NAN)
@pytest.mark.filterwarnings("ignore:All-NaN", "ignore:Mean of empty", "ignore:Degrees of freedom")
def test_reductions_that_skip_nan(name, rng):
    x = rng.integers(1, 5, (4, 6)).astype("float32")
    x[rng.random((4, 6)) < 0.3] = np.nan
    x[2] = np.nan
    for axis in (None, 0, 1, (0, 1)):
        for keepdims in (False, True):
            expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
            got = getattr(pt, name)(pt.asarray(x), axis=axis, keepdims=keepdims)
            assert_values(got, np.asarray(expected, "float32"), rtol=1e-5)


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_nanquantile(method, rng):
    x = rng.standard_normal((5, 8, 3)).astype("float32")
    x[rng.random((5, 8, 3)) < 0.4] = np.nan
    x[2] = np.nan
    for axis in (None, 1, (0, 2)):
        shares = [0.0, 0.2, 0.5, 1.0]
        expected = np.nanquantile(x, shares, axis=axis, method=method)
        got = pt.nanquantile(pt.asarray(x), shares, axis=axis, method=method)
        assert_values(got, expected.astype("float32"), rtol=1e-5, atol=1e-6)
    assert pt.nanquantile(pt.asarray([1, 2, 5]), 1.0, method=method, keepdims=True).tolist() == [
        5.0
    ]
    ends = pt.asarray([-pt.inf, pt.nan, 0.0, pt.inf])
    found = pt.nanquantile(ends, [0.0, 0.5, 1.0], method=method)
    assert found.tolist() == [-pt.inf, 0.0, pt.inf]


def test_arg_reductions_that_skip_nan(rng):
    x = rng.integers(0, 5, (6, 7)).astype("float32")
    x[rng.random((6, 7)) < 0.3] = np.nan
    x[:, 3] = 1.0
    for name in ("nanargmax", "nanargmin"):
        for axis in (None, 0, 1):
            expected = np.asarray(getattr(np, name)(x, axis=axis), "int32")
            assert_values(getattr(pt, name)(pt.asarray(x), axis=axis), expected)
    # NumPy takes the NaN for the infinity.
    assert pt.nanargmax(pt.asarray([pt.nan, -pt.inf])).item() == 1
    assert pt.nanargmax(pt.asarray([3, 7, 7])).item() == 1


def test_interp(rng):
    xs = np.cumsum(rng.integers(0, 4, 20)).astype("float32")
    ys = rng.integers(-9, 9, 20).astype("float32")
    x = rng.uniform(-3, xs[-1] + 3, (5, 6)).astype("float32")
    distinct = np.concatenate([[True], np.diff(xs) > 0])
    xs, ys = xs[distinct], ys[distinct]
    for options in ({}, {"left": -100.0, "right": 100.0}):
        expected = np.interp(x, xs, ys, **options).astype("float32")
        got = pt.interp(pt.asarray(x), pt.asarray(xs), pt.asarray(ys), **options)
        # A slope times a distance, rounded three times.
        assert_values(got, expected, rtol=1e-5, atol=1e-5)
    assert_values(pt.interp(pt.asarray(xs), pt.asarray(xs), pt.asarray(ys)), ys)


def test_sample_points_of_a_wrong_shape():
    y = pt.ones((2, 3))
    for shape in ((2,), (3, 1), (1, 3)):
        assert_raises(
            errors.ShapeError,
            f"trapezoid: x must have the shape of y or of its axis; got shapes {shape} and (2, "
            "3); use for x the shape (3,)",
            lambda shape=shape: pt.trapezoid(y, pt.ones(shape)),
        )


def test_trapezoid(rng):
    y = rng.integers(0, 9, (4, 5)).astype("float32")
    x = np.cumsum(rng.integers(1, 4, 5)).astype("float32")
    assert_values(pt.trapezoid(pt.asarray(y)), np.trapezoid(y).astype("float32"))
    got = pt.trapezoid(pt.asarray(y), pt.asarray(x))
    assert_values(got, np.trapezoid(y, x).astype("float32"))
    got = pt.trapezoid(pt.asarray(y), dx=0.5, axis=0)
    assert_values(got, np.trapezoid(y, dx=0.5, axis=0).astype("float32"))
    got = pt.trapezoid(pt.asarray(y), pt.asarray(x[:4]), axis=0)
    assert_values(got, np.trapezoid(y, x[:4], axis=0).astype("float32"))


def test_kron_and_cov(rng):
    for p, q in (((3,), (2,)), ((2, 3), (3, 2)), ((2,), (2, 2)), ((2, 1, 2), (3,))):
        a, b = (rng.integers(-5, 5, shape).astype("int32") for shape in (p, q))
        assert_values(pt.kron(pt.asarray(a), pt.asarray(b)), np.kron(a, b))
    x = rng.normal(size=(3, 50)).astype("float32")
    for correction in (0, 1):
        expected = np.cov(x, ddof=correction).astype("float32")
        # Sums of 50 products of size 1.
        assert_values(pt.cov(pt.asarray(x), correction=correction), expected, rtol=1e-5, atol=1e-6)
    assert_values(pt.cov(pt.asarray(x[0])), np.asarray(np.cov(x[0]), "float32"), rtol=1e-5)
