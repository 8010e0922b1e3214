"""complex64: conversion from and to Python and NumPy, and every operation that takes it."""

from __future__ import annotations

import math
import sys
from array import array

import half_storage
import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values, finished, ops_in

import py_tensor as pt
from py_tensor.errors import DTypeError
from py_tensor.ops import OP_DEFS
from py_tensor.ops.op_def import Elementwise

NUMPY = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
}
RULED = [
    op.name
    for op in OP_DEFS.values()
    if isinstance(op, Elementwise) and op.public and (op.complex or op.partwise)
]
UNARY = [name for name in RULED if OP_DEFS[name].arity == 1]
BINARY = [name for name in RULED if OP_DEFS[name].arity == 2]
REAL = [
    op.name
    for op in OP_DEFS.values()
    if isinstance(op, Elementwise)
    and op.public
    and op.dtypes != "boolean"
    and not (op.complex or op.partwise)
]


def reference(name, *operands):
    """Apply NumPy's function in double precision."""
    with np.errstate(all="ignore"):
        wide = [np.asarray(x).astype("complex128") for x in operands]
        return getattr(np, NUMPY.get(name, name))(*wide)


def assert_close(tensor, expected, *, tolerance=1e-6, what=""):
    """Compare the distance of each element from the expected one, relative to the latter's size."""
    expected = np.asarray(expected)
    dtype = {"c": "complex64", "f": "float32", "b": "bool"}[expected.dtype.kind]
    assert_spec(tensor, expected.shape, dtype)
    if dtype == "bool":
        np.testing.assert_array_equal(tensor.numpy(), expected, err_msg=what)
        return
    distance = np.abs(tensor.numpy().astype("complex128") - expected)
    size = np.abs(expected) + half_storage.largest(expected)
    assert (distance <= half_storage.tolerance(tolerance) * size + 1e-30).all(), (
        f"{what}: off by {(distance / np.abs(expected)).max()}"
    )


def sample(rng, *shape, size=3.0):
    parts = rng.uniform(-size, size, (2, *shape)).astype("float32")
    return (parts[0] + 1j * parts[1]).astype("complex64")


def test_close_can_fail():
    with pytest.raises(AssertionError):
        assert_close(pt.asarray([1 + 1j]), np.array([1 + 1.001j]))
    with pytest.raises(AssertionError):
        assert_close(pt.asarray([1.0]), np.array([1 + 0j]))


# --- conversion -----------------------------------------------------------------------------------


def test_python_numbers_round_trip():
    z = pt.asarray([[1 + 2j, 3.0], [True, -4]])
    assert_spec(z, (2, 2), "complex64")
    assert (z.dtype.itemsize, z.nbytes) == (8, 32)
    assert z.tolist() == [[1 + 2j, 3 + 0j], [1 + 0j, -4 + 0j]]
    assert complex(z[0, 0]) == z[0, 0].item() == 1 + 2j
    assert pt.asarray(2j).tolist() == 2j
    assert pt.asarray([1, 2], dtype=complex).tolist() == [1 + 0j, 2 + 0j]
    assert pt.asarray([], dtype="complex64").tolist() == []


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_numpy_arrays_round_trip(dtype, rng):
    given = sample(rng, 3, 5).astype(dtype)
    z = pt.asarray(given)
    assert_values(z, given.astype("complex64"))
    assert_values(z + 0, given.astype("complex64"))
    assert np.asarray(z).dtype == np.complex64
    view = memoryview(pt.conj(z))
    assert (view.format, view.shape) == ("Zf", (3, 5))
    assert_values(pt.asarray(view), given.conj().astype("complex64"))


def test_data_has_parts_along_one_more_axis(rng):
    given = sample(rng, 2, 3)
    view = finished(pt.conj(pt.asarray(given)).data())
    assert (view.format, view.shape) == ("f", (2, 3, 2))
    np.testing.assert_array_equal(np.asarray(view)[..., 1], -given.imag)


def test_views_need_numpy(monkeypatch):
    z = pt.asarray([1j])
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(BufferError, match="memoryview without NumPy"):
        memoryview(z)


def test_huge_numbers_become_infinite():
    assert pt.asarray([complex(1e300, -1e300)]).tolist() == [complex(math.inf, -math.inf)]


def test_printed():
    z = pt.asarray([1 - 0.5j, complex(-0.0, math.nan)])
    assert repr(z).startswith("tensor([ 1.-0.5j, -0.+nanj], shape=(2,), dtype=complex64")


ORDERED = np.asarray(np.random.default_rng(6).integers(-2, 3, (2, 5, 7)), "float32")
ORDERED = (
    np.append(ORDERED, ORDERED[:, ::-1], axis=1).transpose(1, 2, 0).copy().view("complex64")[..., 0]
)
WITH_NAN = np.where(np.arange(70).reshape(10, 7) % 17 == 3, complex(1, np.nan), ORDERED)
WITH_NAN = np.where(np.arange(70).reshape(10, 7) == 30, complex(np.inf, -np.inf), WITH_NAN)


@pytest.mark.parametrize("z", [ORDERED, WITH_NAN.astype("complex64")], ids=["numbers", "NaN"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_are_ordered_by_real_then_imaginary_parts(name, axis, z):
    want = np.asarray(getattr(np, name)(z, axis=axis))
    got = getattr(pt, name)(pt.asarray(z), axis=axis).numpy()
    np.testing.assert_array_equal(got, want)
    assert got.shape == want.shape


def test_extremes_with_options():
    z = pt.asarray(ORDERED)
    got = pt.max(z, axis=(0, 1), keepdims=True, initial=1 + 9j, where=ORDERED.real < 1)
    want = np.max(ORDERED, axis=(0, 1), keepdims=True, initial=1 + 9j, where=ORDERED.real < 1)
    np.testing.assert_array_equal(got.numpy(), want, strict=True)
    slope = pt.grad(lambda z: pt.real(pt.min(z) * (1 - 2j)))(
        pt.asarray([1j, -2 + 1j, -1j, -1 - 1j])
    )
    assert slope.tolist() == [0, 1 + 2j, 0, 0]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("z", [ORDERED, WITH_NAN.astype("complex64")], ids=["numbers", "NaN"])
def test_sorted_complex_vectors_are_searched(z, side):
    line = np.sort(z.ravel())[::2]
    got = pt.searchsorted(pt.asarray(line), pt.asarray(z), side=side)
    np.testing.assert_array_equal(got.numpy(), np.searchsorted(line, z, side=side))
    rows = pt.searchsorted(pt.asarray(np.sort(z, axis=1)), pt.asarray(z), side=side)
    want = [np.searchsorted(np.sort(row), row, side=side) for row in z]
    np.testing.assert_array_equal(rows.numpy(), want)


def test_mixing_complex_and_real_is_refused():
    z = pt.asarray([1j, 2j])
    parts = "use pt.real(x), pt.imag(x) or pt.abs(x)"
    assert_raises(DTypeError, f"floor: dtype complex64 is not real; {parts}", lambda: pt.floor(z))
    assert_raises(
        DTypeError, f"quantile: dtype complex64 is not real; {parts}", lambda: pt.quantile(z, 0.5)
    )
    assert_raises(
        DTypeError,
        f"astype: cannot convert complex numbers to dtype int32; got complex64; {parts}",
        lambda: z.astype("int32"),
    )
    assert_raises(
        DTypeError, f"float: tensor must be real; got complex64[]; {parts}", lambda: float(z[0])
    )
    assert_raises(
        DTypeError,
        "asarray: cannot convert complex numbers to dtype float32; got 1j; take the real parts, "
        'or use dtype "complex64"',
        lambda: pt.asarray([1.0, 1j], dtype="float32"),
    )
    assert_raises(
        DTypeError,
        'full: dtype int32 cannot hold complex numbers; got 1j; use dtype="complex64"',
        lambda: pt.full(3, 1j, dtype="int32"),
    )


@pytest.mark.parametrize("name", REAL)
def test_ops_without_a_complex_rule_refuse(name):
    op = OP_DEFS[name]
    with pytest.raises(DTypeError, match="complex64"):
        getattr(pt, name)(*[pt.asarray([1j])] * op.arity)


# --- elementwise ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", UNARY)
def test_unary(name, rng):
    for shape in ((), (4,), (3, 7), (0,)):
        z = sample(rng, *shape)
        assert_close(getattr(pt, name)(pt.asarray(z)), reference(name, z), what=str(shape))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name, rng):
    shapes = (((3, 5), (3, 5)), ((3, 1), (5,)), ((4,), ()))
    for a, b in shapes:
        z, w = sample(rng, *a), sample(rng, *b)
        got = getattr(pt, name)(pt.asarray(z), pt.asarray(w))
        # A power's error grows with its exponent times the logarithm.
        tolerance = 4e-6 if name == "pow" else 1e-6
        assert_close(got, reference(name, z, w), tolerance=tolerance, what=f"{a} {b}")


@pytest.mark.parametrize("name", BINARY)
def test_binary_with_real_operands(name, rng):
    z, x = sample(rng, 3, 5), rng.uniform(0.5, 3, (3, 5)).astype("float32")
    function = getattr(pt, name)
    tolerance = 4e-6 if name == "pow" else 1e-6
    whole = x.astype("int32") + 1
    cases = ((z, x), (x, z), (z, whole), (z, 2), (2, z), (1.5, z), (z, 1.5))
    for a, b in (*cases, (z, 1 - 2j), (1 - 2j, z), (x, 1 - 2j)):
        given = [v if isinstance(v, (int, float, complex)) else pt.asarray(v) for v in (a, b)]
        assert_close(function(*given), reference(name, a, b), tolerance=tolerance)


def test_operators(rng):
    z = sample(rng, 6)
    t = pt.asarray(z)
    assert_close(1j * t - 2 + t / (1 + 1j) - (-t) * t, 1j * z - 2 + z / (1 + 1j) + z * z)
    t *= 2j
    assert_close(t, z * 2j)
    assert (pt.asarray([1j, 2]) == 1j).tolist() == [True, False]


def test_whole_powers_of_whole_numbers_are_exact():
    z = pt.asarray([1j, 1 + 1j, -3 + 2j])
    assert (z**2).tolist() == [-1 + 0j, 2j, 5 - 12j]
    assert (z**3).tolist() == [-1j, -2 + 2j, 9 + 46j]
    assert (z**0).tolist() == [1, 1, 1]
    assert_close(z**-2, (np.array([1j, 1 + 1j, -3 + 2j])) ** -2.0)


SPECIAL = [0.0, -0.0, 1.0, -2.5, 100.0, 1e30, math.inf, -math.inf, math.nan]
ELSEWHERE = {
    "square": "NumPy's x * x - y * y is 0 where x = y as well, of either sign",
    "sign": "of two infinite parts NumPy makes NaN, this is the diagonal",
    "reciprocal": "of 0, NumPy makes NaN in both parts",
    "expm1": "NumPy makes NaN of infinity + 0j; C's exp has infinity there, as this has",
}
"""Operations whose special values differ from NumPy's, and the reasons."""


def classes(x):
    """Classify as NaN, signed infinity, or number."""
    return np.where(np.isnan(x), 9, np.where(np.isinf(x), np.sign(x) * 5, 0))


@pytest.mark.parametrize("name", [name for name in UNARY if name not in ELSEWHERE])
def test_special_values(name):
    z = np.array([complex(x, y) for x in SPECIAL for y in SPECIAL], "complex64")
    with np.errstate(all="ignore"):
        expected = reference(name, z)
        if expected.dtype.kind == "b":
            assert_values(getattr(pt, name)(pt.asarray(z)), expected)
            return
        expected = expected.astype("complex64" if expected.dtype.kind == "c" else "float32")
    got = getattr(pt, name)(pt.asarray(z)).numpy()
    free = np.zeros(z.shape, bool)
    if name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp"):
        # For huge angles neither sign nor value is known in single precision.
        free = (np.abs(z.real) == np.float32(1e30)) | (np.abs(z.imag) == np.float32(1e30))
    for part in ("real", "imag"):
        a, b = getattr(got, part), getattr(expected, part)
        signed = np.isinf(b) & ~np.isnan(getattr(expected, "imag" if part == "real" else "real"))
        same = np.where(signed, classes(a) == classes(b), np.abs(classes(a)) == np.abs(classes(b)))
        wrong = ~same & ~free
        assert not wrong.any(), list(zip(z[wrong], got[wrong], expected[wrong], strict=True))[:5]


def test_sign_and_expm1_of_zero_have_the_signs_of_the_standard():
    zeros = [complex(x, y) for x in (0.0, -0.0) for y in (0.0, -0.0)]
    assert list(map(repr, pt.sign(pt.asarray(zeros)).tolist())) == ["0j"] * 4
    assert list(map(repr, pt.expm1(pt.asarray(zeros)).tolist())) == ["0j", "-0j"] * 2


def test_overflow_of_intermediate_values_only():
    z = np.array([3e38 + 3e38j, 2e-38 + 2e-38j, 3e38 + 0j], "complex64")
    t = pt.asarray(z)
    assert_close(pt.sqrt(t), np.sqrt(z.astype("complex128")))
    assert_close(pt.log(t), np.log(z.astype("complex128")))
    assert_close(pt.sign(t[:1]), np.sign(z[:1].astype("complex128")))
    z = np.array([1e38 + 1e38j, 3e38 + 1e36j, 3e38 - 3e38j], "complex64")
    t = pt.asarray(z)
    assert_close(t[:2] / t[:2], np.ones(2, "complex128"))
    assert_close(pt.sign(t), np.sign(z.astype("complex128")))
    assert_close(pt.abs(t[:2]), np.abs(z[:2].astype("complex128")))
    assert_close(pt.angle(t), np.angle(z.astype("complex128")))
    z = np.array([89 + 0.8j, 60 - 3j], "complex64")
    for name in ("exp", "sinh", "cosh"):
        assert_close(getattr(pt, name)(pt.asarray(z)), reference(name, z), tolerance=2e-5)


def test_branch_cuts_follow_the_sign_of_zero():
    z = np.array([complex(x, y) for x in (-3.0, 3.0) for y in (0.0, -0.0)], "complex64")
    w = np.array([complex(y, x) for x in (-3.0, 3.0) for y in (0.0, -0.0)], "complex64")
    for name in ("sqrt", "log", "asin", "acos", "acosh", "atanh"):
        assert_close(getattr(pt, name)(pt.asarray(z)), reference(name, z), what=name)
    for name in ("asinh", "atan"):
        assert_close(getattr(pt, name)(pt.asarray(w)), reference(name, w), what=name)


def test_parts_and_angles(rng):
    z = sample(rng, 3, 5)
    t = pt.asarray(z)
    assert_values(pt.real(t), z.real)
    assert_values(pt.imag(t), z.imag)
    assert_values(pt.conj(t), z.conj())
    assert_close(pt.angle(t), np.angle(z.astype("complex128")))
    assert_values(pt.complex(pt.imag(t), pt.real(t)), z.imag + np.complex64(1j) * z.real)
    assert_spec(pt.complex(pt.ones((3, 1)), 2), (3, 1), "complex64")
    mixed = pt.asarray([1 + 0j, 1j])
    assert (pt.isreal(mixed).tolist(), pt.iscomplex(mixed).tolist()) == (
        [True, False],
        [False, True],
    )
    x = pt.asarray([1.5, -2.0])
    assert (pt.real(x).tolist(), pt.imag(x).tolist()) == ([1.5, -2.0], [0.0, 0.0])
    assert_close(pt.angle(x), np.array([0, np.pi], "float32"))


def test_casts():
    x = np.array([0.0, 2.0], "float32")
    for dtype in ("float32", "float16", "int32", "uint8", "bool"):
        cast = pt.asarray(x.astype(dtype)).astype("complex64")
        assert_values(cast, x.astype(dtype).astype("complex64"))
    assert pt.asarray([0j, 1j]).astype("bool").tolist() == [False, True]


# --- applied to both parts ------------------------------------------------------------------------


def test_views(rng):
    z = sample(rng, 4, 6)
    t = pt.asarray(z)
    for got, expected in (
        (t.T, z.T),
        (t[::-1, 1::2], z[::-1, 1::2]),
        (pt.reshape(t, (3, 8)), z.reshape(3, 8)),
        (pt.broadcast_to(t[:1], (3, 6)), np.broadcast_to(z[:1], (3, 6))),
        (pt.flip(t, axis=0), z[::-1]),
        (pt.pad(t, 1, constant_values=2j), np.pad(z, 1, constant_values=2j)),
        (pt.concat([t, t[:2]]), np.concatenate([z, z[:2]])),
        (pt.concat([t, pt.ones((1, 6))]), np.concatenate([z, np.ones((1, 6), "float32")])),
        (pt.stack([t, t], axis=-1), np.stack([z, z], axis=-1)),
        (pt.take(t, [2, 0], axis=1), z[:, [2, 0]]),
        (pt.where(t == t, t, 1.5), z),
        (pt.where(pt.real(t) > 0, t, 1j), np.where(z.real > 0, z, np.complex64(1j))),
    ):
        assert_values(got, expected)


def test_setitem(rng):
    z = sample(rng, 4, 6)
    t = pt.asarray(z)
    t[1, ::2] = 5.0
    t[2:, 3] = pt.asarray([1j, 2.0])
    z[1, ::2], z[2:, 3] = 5, [1j, 2]
    assert_values(t, z)
    x = pt.ones(3)
    with pytest.raises(DTypeError, match="cannot convert complex numbers"):
        x[0] = 1j
    x[1] = 2.0
    assert x.tolist() == [1, 2, 1]


def test_empty_mean_is_nan_in_both_parts():
    mean = pt.mean(pt.zeros((2, 0), dtype="complex64"), axis=1).numpy()
    assert np.isnan(mean.real).all() and np.isnan(mean.imag).all()


def test_creation():
    assert_values(pt.zeros((2, 3), dtype="complex64"), np.zeros((2, 3), "complex64"))
    assert_values(pt.full((2,), 1 + 2j), np.full(2, 1 + 2j, "complex64"))
    assert_values(pt.full((2,), 3, dtype="complex64"), np.full(2, 3, "complex64"))
    assert_values(pt.ones_like(pt.asarray([1j])), np.ones(1, "complex64"))
    assert_values(pt.arange(3, dtype="complex64"), np.arange(3).astype("complex64"))
    assert_values(pt.eye(2, dtype="complex64"), np.eye(2).astype("complex64"))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2)])
def test_reductions(axis, rng):
    z = sample(rng, 3, 5, 4)
    t = pt.asarray(z)
    for name in ("sum", "prod", "mean", "any", "all"):
        got, expected = getattr(pt, name)(t, axis=axis), getattr(np, name)
        wide = z.astype("complex128")
        assert_close(got, expected(wide, axis=axis), tolerance=1e-5, what=name)
    assert_spec(
        pt.prod(t, axis=axis, keepdims=True), np.sum(z, axis, keepdims=True).shape, "complex64"
    )


def test_reductions_that_skip_nan():
    z = pt.asarray([1 + 1j, complex(math.nan, 1), 3j])
    assert pt.nansum(z).item() == 1 + 4j
    assert pt.nanmean(z).item() == 0.5 + 2j


def test_empty_reductions():
    none = pt.zeros((0, 2), dtype="complex64")
    assert (pt.sum(none, axis=0).tolist(), pt.prod(none, axis=0).tolist()) == ([0, 0], [1, 1])


def test_long_sums(rng):
    z = sample(rng, 5000)
    assert_close(pt.sum(pt.asarray(z)), z.astype("complex128").sum(), tolerance=1e-5)
    z = np.exp(1j * rng.uniform(0, 6, 3000)).astype("complex64")
    assert_close(pt.prod(pt.asarray(z)), z.astype("complex128").prod(), tolerance=1e-5)


@pytest.mark.parametrize("axis", [0, 1])
def test_cumulative(axis, rng):
    z = sample(rng, 5, 7, size=1.5)
    t, wide = pt.asarray(z), z.astype("complex128")
    total = pt.cumulative_sum(t, axis=axis)
    expected = wide.cumsum(axis)
    assert np.abs(total.numpy() - expected).max() < half_storage.error(1e-5, expected)
    assert_close(pt.cumulative_prod(t, axis=axis), wide.cumprod(axis), tolerance=1e-5)
    more = pt.cumulative_prod(t, axis=axis, include_initial=True)
    first = np.ones((1, 7) if axis == 0 else (5, 1))
    assert_close(more, np.concatenate([first, wide.cumprod(axis)], axis), tolerance=1e-5)


@pytest.mark.parametrize("shapes", [((3, 5), (5, 7)), ((33, 40), (40, 17)), ((2, 4, 8), (2, 8, 4))])
def test_matmul(shapes, rng):
    a, b = (sample(rng, *shape) for shape in shapes)
    bound = 1e-6 * np.abs(a).astype("float64") @ np.abs(b)
    for x, y in ((a, b), (a.real.copy(), b), (a, b.imag.copy())):
        got = pt.matmul(pt.asarray(x), pt.asarray(y))
        expected = x.astype("complex128") @ y
        assert_spec(got, expected.shape, "complex64")
        allowed = np.maximum(bound, half_storage.error(0.0, expected))
        assert (np.abs(got.numpy() - expected) < allowed).all()


def test_vectors(rng):
    a, b = sample(rng, 12), sample(rng, 12)
    expected = a.astype("complex128") @ b
    got = (pt.asarray(a) @ pt.asarray(b)).item()
    assert abs(got - expected) < half_storage.error(1e-5, expected)


def test_convolution(rng):
    x, w = sample(rng, 1, 5, 6, 2), sample(rng, 3, 3, 2, 4)
    expected = sum(
        x[:, i : i + 3, j : j + 4].astype("complex128") @ w[i, j]
        for i in range(3)
        for j in range(3)
    )
    got = pt.conv2d(pt.asarray(x), pt.asarray(w))
    assert np.abs(got.numpy() - expected).max() < half_storage.error(1e-4, expected)
    got = pt.conv2d(pt.asarray(x), pt.real(pt.asarray(w)))
    expected = pt.conv2d(pt.imag(pt.asarray(x)), pt.real(pt.asarray(w))).numpy()
    assert np.abs(pt.imag(got).numpy() - expected).max() < half_storage.error(1e-5, expected)


# --- execution ------------------------------------------------------------------------------------


def test_operations_fuse(rng, backend_name):
    z, w = pt.asarray(sample(rng, 8, 8)), pt.asarray(sample(rng, 8, 8))
    if backend_name in ("webgl", "webgpu"):
        size, power, same = pt.abs(z * w + 1j), pt.exp(z * w) / 2, pt.reshape(z, (64,))
        assert ops_in(size) == ["map hypot"]
        assert ops_in(power) == ["map interleave"]
        assert ops_in(same) == []


def test_materialized_values_are_read_again(rng):
    z = sample(rng, 8, 16)
    t = pt.asarray(z) @ pt.asarray(z.T.copy())
    size = pt.abs(t)
    wide = z.astype("complex128")
    assert_close(size, np.abs(wide @ wide.T), tolerance=1e-5)
    expected = wide @ wide.T
    allowed = half_storage.error(1e-4, expected)
    assert np.abs(t.numpy() - expected).max() < allowed
    assert np.abs(pt.conj(t).numpy() - expected.conj()).max() < allowed


def test_memory(rng, state):
    before = state()["bytes of values"]
    z = pt.asarray(sample(rng, 64, 64)) * 2
    pt.realize(z)
    assert state()["bytes of values"] - before == z.nbytes == 64 * 64 * 8


def test_jit(rng):
    @pt.jit
    def step(z, factor, scale):
        return pt.exp(z * factor) * scale, pt.abs(z), factor * 2

    z = sample(rng, 5, 4, size=1.0)
    for factor, scale in ((1j, 2.0), (0.5 - 1j, 3.0)):
        powers, size, doubled = step(pt.asarray(z), factor, scale)
        assert_close(powers, np.exp(z.astype("complex128") * factor) * scale, tolerance=2e-6)
        assert_close(size, np.abs(z.astype("complex128")))
        assert doubled == factor * 2


def test_jit_takes_donated_memory(rng):
    @pt.jit(donate_argnums=0)
    def rotated(z):
        return z * 1j

    z = sample(rng, 16, 16)
    t = pt.asarray(z) * 1
    pt.realize(t)
    result = rotated(t)
    assert t.is_disposed
    assert_values(result, z * np.complex64(1j))


def test_debug_mode(rng):
    z = sample(rng, 4)
    with pt.enable_debug_mode():
        assert_close(pt.exp(pt.asarray(z)), reference("exp", z))
        with pytest.raises(pt.errors.NumericError, match="divide: result is not finite"):
            pt.asarray([1j, 0j]) / 0j


def test_cached_calls_take_other_operands(rng):
    for _ in range(3):
        z, w = sample(rng, 3, 4), sample(rng, 3, 4)
        t, u = pt.asarray(z) * 1, pt.asarray(w)
        assert_close(t * u, z.astype("complex128") * w)
        assert_close(pt.mean(t, axis=0), z.astype("complex128").mean(0), tolerance=1e-5)
        assert_close(pt.take(t, pt.asarray([0, 2]), axis=0), z[[0, 2]])


def test_arrays_of_the_standard_library():
    assert_values(pt.asarray([1j]) + array("f", [1.0]), np.array([1 + 1j], "complex64"))
