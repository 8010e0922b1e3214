"""Every pair of dtypes: conversion, promotion, and weak Python scalars."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_bits, assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.dtypes import BY_NAME, DTYPES

NAMES = [dtype.name for dtype in DTYPES]
INTEGERS = [dtype.name for dtype in DTYPES if dtype.kind in "iu"]
NEED_64_BITS = {
    frozenset(pair) for pair in [("uint32", "int32"), ("uint32", "int16"), ("uint32", "int8")]
}
"""NumPy dtypes of 64-bit integers, which WebGL does not have."""


def numbers(dtype):
    if dtype == "bool":
        return np.bool_([True, False, True, False, True])
    if dtype[0] == "f":
        return np.array([0.0, -0.0, 1.7, -1.7, 100.5, 2.0, -3.999, 0.5], dtype)
    info = np.iinfo(dtype)
    return np.array([info.min, info.max, 0, 1, 7, 100, info.max // 2, info.max - 1], dtype)


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_every_pair(source, target):
    x = numbers(source)
    if source[0] == "f" and target[0] == "u":
        x = np.abs(x)  # undefined for negative floats
    with np.errstate(all="ignore"):
        want = x.astype(target)
    t = pt.asarray(x).astype(target)
    if target[0] == "f" and source[0] != "f" and target != "float16":
        assert_values(t, want, rtol=2.0**-23)
    elif target == "float16":
        fits = np.isfinite(want)
        assert_bits(t, np.where(fits, want, t.numpy()))
    else:
        assert_bits(t, want)


def test_every_half_and_the_floats_between(engine):
    """Round to nearest even, regardless of the neighboring elements."""
    halves = np.arange(1 << 16).astype("uint16").view("float16").astype("float32")
    finite = np.unique(halves[np.isfinite(halves)])
    middle = (finite[1:] + finite[:-1]) / 2
    near = [np.nextafter(middle, np.float32(end)) for end in (-np.inf, np.inf)]
    ends = np.array([65519.996, 65520, 1e38, -1e38, 1e-45, -1e-30, 2**-25, -(2**-25)], "float32")
    x = np.concatenate([halves, middle, *near, ends])
    np.random.default_rng(0).shuffle(x)
    with np.errstate(over="ignore"):
        want = x.astype("float16")
    assert_bits(pt.asarray(x).astype("float16"), want)
    # The same for the result of an operation.
    assert_bits(pt.asarray(want) * pt.asarray(np.float16(1)), want)


@pytest.mark.parametrize("target", ["float32", "int32", "int8", "uint16"])
@pytest.mark.parametrize("source", NAMES)
def test_conversion_inside_a_chain(source, target):
    x = numbers(source)
    if source[0] == "f":
        x = np.abs(x)
    with np.errstate(all="ignore"):
        want = (x.astype(target) + np.ones((), target)).astype("float32")
    assert_values((pt.asarray(x).astype(target) + 1).astype("float32"), want, rtol=2.0**-22)


def test_floats_to_integers_truncate():
    x = pt.asarray([1.9, -1.9, 0.5, -0.5, 2147483000.0])
    assert x.astype("int32").tolist() == [1, -1, 0, 0, 2147483008]
    assert pt.asarray([3e9, 4294967040.0]).astype("uint32").tolist() == [3000000000, 4294967040]


def test_astype_copies_by_default():
    x = pt.asarray([1.0])
    assert x.astype("float32") is not x
    assert x.astype("float32", copy=False) is x
    assert x.astype("int32", copy=False).tolist() == [1]


@pytest.mark.parametrize("b", NAMES)
@pytest.mark.parametrize("a", NAMES)
def test_promotion(a, b):
    x, y = pt.ones(2, dtype=a), pt.ones(2, dtype=b)
    if frozenset((a, b)) in NEED_64_BITS:
        wide, other = (a, b) if a == "uint32" else (b, a)
        text = (
            "equal: dtypes {} and {} promote to int64, which WebGL does not support; got {} and "
            '{}; convert one with .astype("{}") or .astype("{}")'
        )
        with pytest.raises(
            errors.DTypeError, match="promote to int64, which WebGL does not support"
        ):
            x == y  # noqa: B015
        assert wide == "uint32" and other[0] == "i" and text
        return
    floats = [name for name in (a, b) if name[0] == "f"]
    if floats:
        want = "float32" if "float32" in floats else "float16"
    else:
        want = np.promote_types(a, b).name
    if want == "bool":
        assert (x | y).dtype == "bool"
        return
    assert_values(x + y, np.full(2, 2, want))
    assert_values(pt.maximum(y, x), np.ones(2, want))


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("scalar", [True, 2, 2.5], ids=str)
def test_scalars_are_weak(dtype, scalar):
    t = pt.ones(3, dtype=dtype)
    kind = type(scalar)
    if kind is float:
        want = dtype if dtype[0] == "f" else "float32"
    elif dtype == "bool":
        want = "bool" if kind is bool else "int32"
    else:
        want = dtype
    for result in (
        pt.where(pt.ones(3, dtype="bool"), t, scalar),
        pt.where(pt.zeros(3, dtype="bool"), scalar, t),
    ):
        assert_values(result, np.ones(3, want))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_scalars_must_fit(dtype):
    info = np.iinfo(dtype)
    t = pt.ones(3, dtype=dtype)
    for scalar in (info.max + 1, info.min - 1):
        assert_raises(
            errors.DTypeError,
            (
                f"add: Python integer {scalar} does not fit dtype {dtype}; got {scalar}; {dtype} "
                f"holds {info.min} to {info.max}"
            ),
            lambda scalar=scalar: t + scalar,
        )
    assert (t + info.max).dtype == dtype


def test_two_scalars():
    assert pt.add(1, 2).dtype == "int32"
    assert pt.add(1, 2.0).tolist() == 3.0
    assert pt.sqrt(4).tolist() == 2.0
    assert pt.logical_and(True, False).tolist() is False
    assert pt.where(pt.asarray([True, False]), 1, 0.5).tolist() == [1.0, 0.5]


def test_dtypes_have_several_spellings():
    for given in (pt.float16, "float16", np.float16, np.dtype("float16")):
        assert pt.zeros(1, dtype=given).dtype is pt.float16
    for given, want in [(float, pt.float32), (int, pt.int32), (bool, pt.bool)]:
        assert pt.zeros(1, dtype=given).dtype is want
    assert pt.float32 == "float32" and pt.float32 != "float16"
    assert (pt.int8.bits, pt.int8.lowest, pt.uint8.highest) == (8, -128, 255)


@pytest.mark.parametrize("dtype", BY_NAME.values(), ids=str)
def test_numpy_takes_dtypes_of_tensors(dtype):
    assert np.dtype(dtype) == np.zeros(2, dtype).dtype == dtype.name
    assert np.asarray(pt.ones(2), dtype).dtype == dtype.name
    assert np.issubdtype(dtype, np.floating) == (dtype.kind == "f")
