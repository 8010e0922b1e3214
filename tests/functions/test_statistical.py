"""Reductions: combinations of axes, dtypes, split reductions, ties and NaN."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from helpers import HALF, assert_values, sample
from op_defs import REDUCTIONS, each, each_dtype

import py_tensor as pt

SHAPES = [
    (),
    (1,),
    (5,),
    (8,),
    (3, 4),
    (4, 3),
    (5, 8),
    (2, 3, 4),
    (3, 1, 5),
    (2, 3, 2, 3),
    (2, 2, 2, 2, 2, 2),
]
INDEX = ("argmax", "argmin")


def expected(name, x, axis=None, keepdims=False):
    """Compute NumPy's result, with floats summed in float64 and integers in 32 bits."""
    kind = x.dtype.kind
    wide = x.astype("float64") if kind == "f" else x.astype("uint32" if kind == "u" else "int32")
    value = getattr(np, name)(wide if name in ("sum", "prod") else x, axis=axis, keepdims=keepdims)
    if name in INDEX:
        return np.asarray(value, "int32")
    if name in ("any", "all"):
        return np.asarray(value, "bool")
    integers = "uint32" if kind == "u" else "int32"
    return np.asarray(value).astype(
        integers if name in ("sum", "prod") and kind != "f" else x.dtype
    )


def tolerances(op, x, axis):
    """Tolerances of sums, relative to the sizes of the summands instead of the result."""
    if x.dtype.kind != "f" or op.tolerance == 0.0:
        return {}
    relative = HALF * 2 if x.dtype.itemsize == 2 else op.tolerance
    size = np.abs(x.astype("float64")).sum(axis=axis).max(initial=0.0)
    return {"rtol": relative, "atol": relative * size if op.name == "sum" else 0.0}


def all_axes(ndim):
    return [axes for n in range(ndim + 1) for axes in combinations(range(ndim), n)]


@each_dtype(REDUCTIONS)
def test_every_dtype(op, dtype, rng):
    low, high = (0.6, 1.5) if op.name == "prod" and dtype.kind == "f" else (-4, 4)
    x = sample(rng, (3, 5, 8), dtype, low, high)
    t = pt.asarray(x)
    axes = (0, 1, 2) if op.index else (None, 0, 1, 2, (0, 2))
    results = [(axis, getattr(pt, op.name)(t, axis=axis)) for axis in axes]
    pt.realize(*(got for _, got in results))
    for axis, got in results:
        assert_values(
            got, expected(op.name, x, axis), what=f"axis {axis}", **tolerances(op, x, axis)
        )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["sum", "max"])
def test_every_combination_of_axes(name, shape, rng):
    x = rng.integers(-9, 9, shape).astype("float32")
    t = pt.asarray(x)
    results = []
    for axes in all_axes(len(shape)):
        if len(shape) > 4 and len(axes) not in (1, 3, 6):
            continue
        for keepdims in (False, True):
            got = getattr(t, name)(axis=axes, keepdims=keepdims)
            results.append((got, expected(name, x, axes, keepdims), f"{axes}, keepdims {keepdims}"))
    pt.realize(*(got for got, _, _ in results))
    for got, want, what in results:
        assert_values(got, want, what=what)


@each([op for op in REDUCTIONS if op.index])
@pytest.mark.parametrize("shape", [(7,), (8,), (5, 8), (5, 7), (2, 3, 4)], ids=str)
def test_positions_along_each_axis(op, shape, rng):
    x = rng.integers(0, 4, shape).astype("float32")
    t = pt.asarray(x)
    for axis in (None, *range(-len(shape), len(shape))):
        for keepdims in (False, True):
            got = getattr(t, op.name)(axis=axis, keepdims=keepdims)
            assert_values(got, expected(op.name, x, axis, keepdims), what=f"{axis} {keepdims}")


@each([op for op in REDUCTIONS if op.index])
@pytest.mark.parametrize("n", [5, 8, 33])
def test_position_of_the_first_nan(op, n):
    x = np.arange(n, dtype="float32")
    x[[2, n - 1]] = np.nan
    assert_values(getattr(pt, op.name)(pt.asarray(x)), np.int32(2))
    columns = np.repeat(x[:, None], 4, axis=1)
    assert_values(getattr(pt, op.name)(pt.asarray(columns), axis=0), np.full(4, 2, "int32"))


@each([op for op in REDUCTIONS if op.index])
@pytest.mark.parametrize("values", [[-np.inf] * 5, [np.inf] * 8, [0.0, -0.0, 0.0]], ids=str)
def test_position_among_equals_is_the_first(op, values):
    assert_values(getattr(pt, op.name)(pt.asarray(values)), np.int32(0))


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)], ids=str)
def test_empty_reductions_give_the_neutral_element(name, shape):
    x = np.zeros(shape, "float32")
    for axes in all_axes(len(shape)):
        got = getattr(pt, name)(pt.asarray(x), axis=axes)
        assert_values(got, expected(name, x, axes))


@pytest.mark.parametrize("order", [(1, 0), (0, 1)], ids=str)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 8)], ids=str)
def test_views_of_nothing(shape, order):
    x = pt.permute_dims(pt.zeros(shape), order)
    for axis in (0, 1):
        assert_values((x * x).sum(axis=axis), np.zeros(shape, "float32").transpose(order).sum(axis))
        assert_values(
            x[..., ::-1].prod(axis=axis), np.prod(np.zeros(shape, "float32").transpose(order), axis)
        )


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_empty_maximum_is_refused(name):
    with pytest.raises(
        pt.errors.ShapeError,
        match=rf"^{name}: no elements along axis \(0,\); got shape \(0, 3\)",
    ):
        getattr(pt, name)(pt.zeros((0, 3)), axis=0)
    other = getattr(pt, name)(pt.zeros((0, 3)), axis=1)
    assert other.shape == (0,)
    assert other.tolist() == []


@pytest.mark.parametrize(
    "shape",
    [(1000,), (1001,), (100_003,), (3, 40_001), (40_001, 3), (5000, 8), (2, 5000, 3)],
    ids=str,
)
@pytest.mark.parametrize("name", ["sum", "max", "any"])
def test_long_reductions_are_split(name, shape, rng):
    x = rng.integers(-9, 9, shape).astype("float32")
    t = pt.asarray(x)
    results = [(axis, getattr(t, name)(axis=axis)) for axis in (None, *range(len(shape)))]
    pt.realize(*(got for _, got in results))
    for axis, got in results:
        assert_values(got, expected(name, x, axis), what=f"axis {axis}")


def test_ten_million_elements():
    x = pt.ones(10_000_000) * 0.5
    assert x.sum().item() == 5_000_000
    assert (x.argmax().item(), x.max().item()) == (0, 0.5)


def test_long_sum_of_random_numbers(rng):
    x = rng.standard_normal((301, 1003)).astype("float32")
    op = next(op for op in REDUCTIONS if op.name == "sum")
    for axis in (None, 0, 1):
        got = pt.asarray(x).sum(axis=axis)
        assert_values(got, expected("sum", x, axis), **tolerances(op, x, axis))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int8", "uint8", "int16", "uint16", "bool"])
def test_sums_of_integers_are_exact_and_wrap(dtype, rng):
    info = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = rng.integers(*info, (70, 999), endpoint=True).astype(dtype)
    total = np.asarray(x.sum(dtype="uint32" if dtype[0] == "u" else "int32"))
    assert_values(pt.asarray(x).sum(), total)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_mean_var_std(dtype, axis, keepdims, rng):
    x = rng.standard_normal((6, 40)).astype(dtype)
    rtol = 1e-5 if dtype == "float32" else HALF * 2
    for name, options in [
        ("mean", {}),
        ("var", {}),
        ("std", {}),
        ("var", {"correction": 1}),
        ("std", {"correction": 1.0}),
    ]:
        got = getattr(pt.asarray(x), name)(axis=axis, keepdims=keepdims, **options)
        numpy_options = {"ddof": options["correction"]} if options else {}
        want = getattr(np, name)(x.astype("float64"), axis=axis, keepdims=keepdims, **numpy_options)
        assert_values(got, np.asarray(want).astype(dtype), rtol=rtol, atol=rtol, what=name)


def test_var_of_numbers_far_from_zero():
    x = np.float32([10000.0, 10001.0, 10002.0])
    assert_values(pt.var(pt.asarray(x)), np.float32(2 / 3), rtol=1e-5)


def test_empty_mean_and_var_are_nan():
    assert np.isnan(pt.mean(pt.zeros(0)).item())
    assert np.isnan(pt.var(pt.zeros(0)).item())
    assert np.isnan(pt.var(pt.ones(1), correction=1).item())


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_dtype_of_the_sum(name, rng):
    x = rng.integers(0, 3, (2, 3))
    got = getattr(pt, name)(pt.asarray(x), axis=1, dtype="float32")
    assert_values(got, getattr(np, name)(x, axis=1).astype("float32"))


def test_axes_may_be_negative_and_in_any_order(rng):
    x = rng.integers(0, 9, (2, 3, 4)).astype("int32")
    assert_values(pt.asarray(x).sum(axis=(-1, 0)), x.sum(axis=(2, 0)).astype("int32"))


def test_elementwise_work_before_and_after_fuses(rng):
    x, y = (rng.standard_normal((7, 12)).astype("float32") for _ in range(2))
    got = pt.sqrt(pt.sum(pt.square(pt.asarray(x) - pt.asarray(y)), axis=1)) * 2 + 1
    assert_values(got, (np.sqrt(((x - y) ** 2).sum(axis=1)) * 2 + 1).astype("float32"), rtol=1e-5)


@pytest.mark.parametrize(
    "shape", [(1024, 1024), (2, 256, 2048), (4096, 1024), (520, 1024)], ids=str
)
def test_split_rows_in_another_order(shape, rng):
    """Reduce rows long enough to be split, in stacked and in contiguous layouts."""
    values = rng.integers(-1000, 1000, shape).astype("int32")
    x = pt.asarray(values)
    assert_values(pt.sum(x, axis=-1), values.sum(axis=-1, dtype="int32"))
    assert_values(pt.max(x[::-1], axis=-1), values[::-1].max(axis=-1))
    assert_values(pt.argmin(x, axis=-1), values.argmin(axis=-1).astype("int32"))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8", "uint32"])
@pytest.mark.parametrize("shape", [(1024, 1024), (3, 4096), (700, 520)], ids=str)
def test_positions_in_long_rows(shape, dtype, rng):
    values = rng.integers(0, 50, shape).astype(dtype)
    x = pt.asarray(values)
    assert_values(pt.argmax(x, axis=-1), values.argmax(axis=-1).astype("int32"))
    assert_values(pt.argmin(x + 1, axis=-1), values.argmin(axis=-1).astype("int32"))


def test_positions_in_long_rows_of_special_values():
    lowest, nan = np.full(2048, -np.inf, "float32"), np.zeros(2048, "float32")
    nan[[700, 1500]] = np.nan
    late = np.arange(2048, dtype="float32")
    rows = pt.asarray(np.stack([lowest, nan, late, -lowest]))
    assert pt.argmax(rows, axis=1).tolist() == [0, 700, 2047, 0]
    assert pt.argmin(rows, axis=1).tolist() == [0, 700, 0, 0]
    extreme = pt.asarray(np.full((2, 1024), np.iinfo("int32").min, "int32"))
    assert pt.argmax(extreme, axis=1).tolist() == [0, 0]
