"""Infinities, NaN and signed zeros as the standard defines them; integers at their limits."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from helpers import assert_bits, assert_values
from numeric_exceptions import SIGN_OF_ZERO, absolute
from op_defs import ELEMENTWISE, dtypes_of, each, tolerance

import py_tensor as pt

SPECIAL = np.float32(
    [
        np.inf,
        -np.inf,
        np.nan,
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        2.5,
        -2.5,
        3.0,
        -3.0,
        1e30,
        -1e30,
    ]
)
FLOATING = [op for op in ELEMENTWISE if pt.float32 in dtypes_of(op) and op.name != "where"]
INTEGERS = ("int32", "uint32", "int16", "uint16", "int8", "uint8")


def _grid(values, arity):
    return tuple(
        np.ascontiguousarray(a).ravel() for a in np.meshgrid(*[values] * arity, indexing="ij")
    )


@each(FLOATING)
def test_special_floats(op):
    given = _grid(SPECIAL, op.arity)
    got = getattr(pt, op.name)(*map(pt.asarray, given))
    expected = reference.result(op.name, *given)
    values = got.numpy()
    rtol = max(tolerance(op, pt.float32), 1e-6)
    atol = absolute(op.name)
    wrong = ~(np.isclose(values, expected, rtol=rtol, atol=atol, equal_nan=True))
    if expected.dtype.kind == "f":
        signed = ~np.isnan(expected)
        if op.name in SIGN_OF_ZERO:
            signed &= expected != 0
        wrong |= signed & (np.signbit(values) != np.signbit(expected))
    found = [
        (*(float(x[at]) for x in given), values[at], expected[at]) for at in np.flatnonzero(wrong)
    ]
    assert not found, f"operands, got, expected: {found}"


@pytest.mark.parametrize("name", ["max", "min", "maximum", "minimum"])
@pytest.mark.parametrize("at", range(5))
def test_nan_propagates(name, at):
    x = np.float32([3.0, -np.inf, np.inf, -1.0, 2.0])
    x[at] = np.nan
    t = pt.asarray(x)
    got = getattr(pt, name)(t, t[::-1]) if name.endswith("imum") else getattr(t, name)()
    assert_values(
        got, getattr(np, name)(x, x[::-1]) if name.endswith("imum") else np.float32(np.nan)
    )


def _limits(dtype):
    info = np.iinfo(dtype)
    values = {info.min, info.min + 1, -3, -2, -1, 0, 1, 2, 3, 7, 8, 100, info.max - 1, info.max}
    return np.array(sorted(v for v in values if info.min <= v <= info.max), dtype)


WRAPPING = [
    "add",
    "subtract",
    "multiply",
    "floor_divide",
    "remainder",
    "maximum",
    "minimum",
    "less",
    "equal",
]
WRAPPING += ["bitwise_and", "bitwise_or", "bitwise_xor", "greater_equal"]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", WRAPPING)
def test_integers_at_their_limits(name, dtype):
    a, b = _grid(_limits(dtype), 2)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a, b)
    assert_bits(getattr(pt, name)(pt.asarray(a), pt.asarray(b)), expected)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "name", ["negative", "abs", "square", "sign", "bitwise_invert", "positive", "relu"]
)
def test_integer_limits_of_unary_ops(name, dtype):
    a = _limits(dtype)
    with np.errstate(all="ignore"):
        expected = reference.result(name, a)
    assert_bits(getattr(pt, name)(pt.asarray(a)), expected)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_by_the_width_and_more(name, dtype):
    counts = np.array([0, 1, 7, 8, 15, 16, 31, 32, 33, 100], dtype)
    a, b = (np.ascontiguousarray(v).ravel() for v in np.meshgrid(_limits(dtype), counts))
    assert_bits(getattr(pt, name)(pt.asarray(a), pt.asarray(b)), getattr(np, name)(a, b))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_powers_wrap(dtype):
    base, exponent = (
        np.ascontiguousarray(v).ravel()
        for v in np.meshgrid(_limits(dtype), np.arange(12).astype(dtype))
    )
    with np.errstate(all="ignore"):
        expected = np.power(base, exponent)
    assert_bits(pt.pow(pt.asarray(base), pt.asarray(exponent)), expected)


def test_largest_integer_plus_one():
    assert (pt.asarray([2**31 - 1]) + 1).tolist() == [-(2**31)]
    assert (pt.asarray([2**31 - 1]) - 0).tolist() == [2**31 - 1]
    assert (pt.asarray([2**32 - 1], dtype="uint32") + 1).tolist() == [0]


def test_floor_divide_by_zero_and_by_minus_one():
    x = pt.asarray([-(2**31), 7, -7, 0])
    assert (x // 0).tolist() == [0, 0, 0, 0]
    assert (x % 0).tolist() == [0, 0, 0, 0]
    assert (x // -1).tolist() == [-(2**31), -7, 7, 0]
    assert (x % -1).tolist() == [0, 0, 0, 0]


def test_negative_integer_exponents_act_as_zero():
    # NumPy refuses them; a shader cannot raise, so the power is that of exponent 0.
    assert pt.pow(pt.asarray([2, 1, -1, 0]), pt.asarray([-1, -2, -3, -1])).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "values", [[0.5, 1.5, 2.5, -0.5, -1.5, 3.5], [8388607.5, -8388607.5, 1e10, 0.49999997]], ids=str
)
def test_round_halves_to_even(values):
    assert_bits(pt.round(pt.asarray(values)), np.round(np.float32(values)))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_large_angles(name, rng):
    # Random bits: numbers of all sizes. The last two are next to multiples of a quarter turn.
    x = rng.integers(0, 0x7F800000, 4000, dtype=np.uint32).view(np.float32)
    x = np.concatenate([x[x > 10], [8191.9995, 8192.0, 1e5, 3.4028235e38, 16367173.0, 1.5e23]])
    x = np.concatenate([x, -x]).astype(np.float32)
    assert_values(getattr(pt, name)(pt.asarray(x)), reference.result(name, x), rtol=1e-6, atol=1e-9)


def test_tangent_near_its_poles(rng):
    x = np.round(rng.uniform(1e5, 1e7, 1000) / np.pi) * np.pi + np.pi / 2
    x = x.astype(np.float32)
    expected = reference.result("tan", x)
    assert np.abs(expected).max() > 1000
    assert_values(pt.tan(pt.asarray(x)), expected, rtol=1e-5)


def test_large_remainders():
    a = np.float32([1e7, 123456.78, -1e6, 16777216.0, 5e-5])
    b = np.float32([3.0, 0.37, 7.7, 3.0, 1e-5])
    assert_values(
        pt.remainder(pt.asarray(a), pt.asarray(b)), reference.result("remainder", a, b), rtol=2e-6
    )
