"""Methods of quantiles, polynomials as objects, keys and other small things, as in NumPy."""

from __future__ import annotations

import numpy
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
import py_tensor.numpy as np
from py_tensor import errors

METHODS = [
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf"),
    *("hazen", "weibull", "linear", "median_unbiased", "normal_unbiased"),
    *("lower", "higher", "midpoint", "nearest"),
]
SHARES = [0, 0.05, 0.1, 0.25, 0.333, 0.5, 0.75, 0.9, 1]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_methods_of_quantiles(method, axis, rng):
    x = rng.normal(size=(4, 11)).astype("float32")
    expected = numpy.quantile(x, SHARES, axis=axis, method=method).astype("float32")
    assert_values(np.quantile(x, SHARES, axis=axis, method=method), expected, rtol=1e-5, atol=1e-6)
    spoilt = x.copy()
    spoilt[0, 3] = spoilt[2, :5] = numpy.nan
    expected = numpy.nanquantile(spoilt, SHARES, axis=axis, method=method).astype("float32")
    got = np.nanquantile(spoilt, SHARES, axis=axis, method=method)
    assert_values(got, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("q", [0.3, [0.1, 0.5, 0.9]])
def test_quantiles_of_weighted_elements(axis, q, rng):
    x = rng.normal(size=(4, 11)).astype("float32")
    weights = rng.integers(0, 5, (4, 11)).astype("float32")
    options = {"axis": axis, "method": "inverted_cdf"}
    expected = numpy.quantile(x, q, weights=weights, **options)
    assert_values(np.quantile(x, q, weights=weights, **options), expected)
    if axis is not None:
        row = numpy.arange(1.0, 1 + x.shape[axis], dtype="float32")
        percentages = numpy.multiply(q, 100).tolist()
        expected = numpy.percentile(x, percentages, weights=row, **options)
        assert_values(np.percentile(x, percentages, weights=row, **options), expected)


def test_wrong_weights_of_quantiles():
    assert_raises(
        errors.ArgumentError,
        "quantile: method takes no weights; got 'linear'; use method=\"inverted_cdf\"",
        lambda: np.quantile([1.0, 2.0], 0.5, weights=[1.0, 2.0]),
    )
    assert_raises(
        errors.ShapeError,
        "quantile: weights do not fit; got shape (3,) for (2,) along axes (0,); give the shape of "
        "x, or a vector along one axis",
        lambda: np.quantile([1.0, 2.0], 0.5, weights=[1.0] * 3, method="inverted_cdf"),
    )


def test_medians_of_nothing_are_nan():
    assert numpy.isnan(np.median([]).item())
    assert numpy.isnan(np.nanmedian(np.zeros((0, 0))).item())
    assert_values(np.median(np.zeros((2, 0)), axis=1), numpy.float32([numpy.nan] * 2))
    assert_values(np.quantile(np.zeros((0, 3)), [0.1], axis=0), numpy.float32([[numpy.nan] * 3]))


KEYS = {
    "range": lambda: range(2),
    "tuple": lambda: (slice(None), (0, 1)),
    "empty tuple": lambda: (slice(None), ()),
    "list and tuple": lambda: ([0, 1], (1, 2)),
    "range and slice": lambda: (slice(1, 3), range(1, 4, 2)),
    "empty range": lambda: range(0),
}


@pytest.mark.parametrize("name", KEYS)
def test_tuples_and_ranges_as_keys(name):
    x = numpy.arange(12).reshape(3, 4).astype("int32")
    y = np.asarray(x)
    assert_values(y[KEYS[name]()], x[KEYS[name]()])
    x[KEYS[name]()] = 50
    y[KEYS[name]()] = 50
    assert_values(y, x)


def test_pad_widths_of_one_number_for_each_axis():
    assert_values(np.pad([[1]], ((1,), (2,))), numpy.pad([[1]], ((1,), (2,))).astype("int32"))


def test_complex_covariances_and_members(rng):
    x = (rng.normal(size=(2, 6)) + 1j * rng.normal(size=(2, 6))).astype("complex64")
    numpy.testing.assert_allclose(np.cov(x).numpy(), numpy.cov(x), rtol=1e-5, atol=1e-6)
    assert np.isin([1j, 2, 3 + 1j], [1j, 3]).tolist() == [True, False, False]


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_positions_among_nan_only_raise(name):
    find = getattr(np, name)
    with pytest.raises(ValueError, match=f"{name}: all elements along an axis are NaN; got shape"):
        find([[1.0, np.nan], [np.nan, np.nan]], axis=1)
    assert find([[1.0, np.nan], [np.nan, 2.0]], axis=1).tolist() == [0, 1]
    assert pt.jit(find)(pt.asarray([np.nan, 2.0])).item() == 1


def test_indices_of_a_generator():
    assert np.indices(n for n in (2, 3)).shape == (2, 2, 3)


def test_items_at_a_position():
    x = np.arange(6).reshape(2, 3)
    assert (x.item(4), x.item(1, 2), x.item((0, 1)), x.item(-1)) == (4, 5, 1, 5)
    with pytest.raises(IndexError):
        x.item(6)


def test_lists_are_repeated_by_integers():
    n = np.arange(4)
    assert [0] * n[2] == [0, 0]
    assert (1, 2) * np.int32(2) == (1, 2, 1, 2)
    assert ([1, 2] * np.float32(2)).tolist() == [2.0, 4.0]
    assert ([1, 2] * np.asarray([2, 3])).tolist() == [2, 6]


POLYNOMIALS = [
    [1, -3, 2],
    [2.5, 0, -1],
    [0, 0, 3],
    [0],
    [1, 0, 0, 0, 5],
    [-1, 1, -1],
    [1, *[0] * 12],
]


@pytest.mark.parametrize("coefficients", POLYNOMIALS, ids=str)
def test_polynomials_as_objects(coefficients):
    ours, theirs = np.poly1d(coefficients), numpy.poly1d(coefficients)
    assert str(ours) == str(theirs)
    assert ours.order == theirs.order == len(ours)
    for make in (
        lambda p: p,
        lambda p: p**2 + 3 * p - 1,
        lambda p: 2 - p,
        lambda p: -p * [1, 2],
        lambda p: p / 2,
        lambda p: p(p),
        lambda p: p.deriv(),
        lambda p: p.integ(k=1),
    ):
        got, expected = make(ours), make(theirs)
        numpy.testing.assert_allclose(got.coeffs.tolist(), expected.coeffs, rtol=1e-5)
        assert abs(got(0.5).item() - expected(0.5)) < 1e-4 * max(1, abs(expected(0.5)))
    assert (ours[0].item(), ours[50]) == (theirs[0], 0)
    assert ours == np.poly1d(coefficients) != np.poly1d([7, 8, 9])


def test_texts_of_constant_polynomials():
    for constant in ([0, 0, 3], [0]):
        assert str(np.poly1d(constant)) == str(numpy.poly1d(constant))


def test_zeros_and_terms_of_polynomials():
    p = np.poly1d([2.0, 3.0], r=True, variable="z")
    assert p.c.tolist() == [1.0, -5.0, 6.0]
    assert sorted(np.real(p.r).tolist()) == pytest.approx([2.0, 3.0], rel=1e-5)
    assert str(p) == str(numpy.poly1d([2.0, 3.0], r=True, variable="z"))
    p[3] = 4.0
    assert p.coeffs.tolist() == [4.0, 1.0, -5.0, 6.0]
    quotient, rest = np.poly1d([1.0, 0.0, -1.0]) / np.poly1d([1.0, 1.0])
    assert quotient.coeffs.tolist() == [1.0, -1.0]
    assert rest.coeffs.tolist() == [0.0]
    fit = np.poly1d(np.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1))
    assert fit(3.0).item() == pytest.approx(7.0, rel=1e-4)


def test_rows_of_a_matrix_are_coefficients_of_several_polynomials():
    rows = [[1, 2], [3, 4], [5, 6]]
    assert_spec(np.polyval(rows, np.asarray([7, 8])), (2,), "int32")
    assert np.polyval(rows, [7, 8]).tolist() == numpy.polyval(rows, [7, 8]).tolist()


def test_lists_fit_unsigned_integers_in_products():
    pixels = np.asarray([[1, 2, 3], [0, 0, 255]], dtype="uint32")
    assert np.dot(pixels, [1, 256, 65536]).tolist() == [197121, 16711680]
    with pytest.raises(errors.DTypeError, match="dot: value does not fit dtype uint32; got -1"):
        np.dot(pixels, [1, -1, 1])


# --- classes derived from arrays ------------------------------------------------------------------


def derived(library):
    """Return two classes in the style of NumPy's guide to subclassing."""

    class Named(library.ndarray):
        def __new__(cls, array, name="none"):
            own = library.asarray(array).view(cls)
            own.name = name
            return own

        def __array_finalize__(self, source):
            self.name = getattr(source, "name", "none")

    class Symmetric(library.ndarray):
        def __setitem__(self, key, value):
            i, j = key
            super().__setitem__((i, j), value)
            super().__setitem__((j, i), value)

    return Named, Symmetric


@pytest.mark.parametrize("library", [numpy, np], ids=["numpy", "py_tensor"])
def test_classes_derived_from_arrays(library):
    named, symmetric = derived(library)
    x = named(library.arange(4), "range")
    assert isinstance(x, named)
    assert x.name == "range"
    assert x.view(named).name == "range"
    assert (x + 1).tolist() == [1, 2, 3, 4]
    assert int(x.sum()) == 6
    y = library.zeros((3, 3)).view(symmetric)
    y[0, 2] = 42
    assert y.tolist() == [[0, 0, 42], [0, 0, 0], [42, 0, 0]]
