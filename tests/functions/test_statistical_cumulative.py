"""cumulative_sum and cumulative_prod: axes, lengths around chunks, dtypes, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import HALF, assert_raises, assert_values, ops_in, sample
from plans import DEVICE, kernels, leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.textures.target import TextureTarget
from py_tensor.dtypes import DTYPES
from py_tensor.ops import OP_DEFS

RTOL = OP_DEFS["cumulative_sum"].tolerance
INTEGERS = {"i": "int32", "u": "uint32", "b": "int32"}


def expected(x, axis, include_initial=False, function=np.cumsum):
    """Compute in the accumulation dtype; integers wrap as two's complement."""
    dtype = "float64" if x.dtype.kind == "f" else INTEGERS[x.dtype.kind]
    with np.errstate(all="ignore"):
        result = function(x, axis=axis, dtype=dtype)
    if include_initial:
        initial = 0 if function is np.cumsum else 1
        widths = [(int(place == axis % x.ndim), 0) for place in range(x.ndim)]
        result = np.pad(result, widths, constant_values=initial)
    return result.astype(x.dtype) if x.dtype.kind == "f" else result


def whole(rng, shape):
    """Draw floats whose sums are exact in any order."""
    return rng.integers(-9, 10, shape).astype("float32")


LENGTHS = [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 64, 65, 100, 127, 128, 129, 257, 1000, 1025]


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("include_initial", [False, True])
def test_lengths(n, include_initial, rng):
    for shape, axis in [((n,), 0), ((3, n), 1), ((n, 3), 0), ((2, n, 4), 1)]:
        x = whole(rng, shape)
        got = pt.cumulative_sum(pt.asarray(x), axis=axis, include_initial=include_initial)
        assert_values(got, expected(x, axis, include_initial), what=str(shape))


@pytest.mark.parametrize("shape", [(5,), (4, 6), (3, 5, 7), (4, 40, 8), (40, 3, 2, 5)], ids=str)
def test_axes(shape, rng):
    x = whole(rng, shape)
    for axis in range(-len(shape), len(shape)):
        assert_values(pt.cumulative_sum(pt.asarray(x), axis=axis), expected(x, axis))


@pytest.mark.parametrize("shape", [(1 << 20,), (999_983,), (3, 300_001), (70_000, 4)], ids=str)
@pytest.mark.parametrize("include_initial", [False, True])
def test_long_lines(shape, include_initial, rng):
    x = whole(rng, shape)
    axis = int(np.argmax(shape))
    got = pt.cumulative_sum(pt.asarray(x), axis=axis, include_initial=include_initial)
    assert_values(got, expected(x, axis, include_initial))


@pytest.mark.parametrize("shape", [(1024, 1024), (1001, 999)], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_a_million_elements(shape, axis, rng):
    x = whole(rng, shape)
    assert_values(pt.cumulative_sum(pt.asarray(x), axis=axis), expected(x, axis))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("axis", [0, 1])
def test_every_dtype(dtype, name, axis, rng):
    function = {"cumulative_sum": np.cumsum, "cumulative_prod": np.cumprod}[name]
    low, high = (-4, 4) if name == "cumulative_sum" else (0.9, 1.1)
    x = sample(rng, (9, 70), dtype, low, high if dtype.kind == "f" else 4)
    rtol = 0.0 if dtype.kind != "f" else RTOL if dtype.itemsize == 4 else HALF
    got = getattr(pt, name)(pt.asarray(x), axis=axis)
    want = expected(x, axis, function=function)
    assert_values(got, want, rtol=rtol, atol=rtol * 20)


def test_integers_are_exact_and_wrap(rng):
    x = rng.integers(-(2**31), 2**31, (3, 400)).astype("int32")
    assert_values(pt.cumulative_sum(pt.asarray(x), axis=1), expected(x, 1))
    assert_values(pt.cumulative_prod(pt.asarray(x), axis=1), expected(x, 1, function=np.cumprod))
    u = x.view("uint32")
    assert_values(pt.cumulative_sum(pt.asarray(u), axis=0), expected(u, 0))


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ("int32", "float32"),
        ("float32", "int32"),
        ("int32", "int8"),
        ("uint8", "uint8"),
        ("int8", "float16"),
        ("float32", "float16"),
        ("bool", "float32"),
        ("int32", "uint32"),
    ],
)
def test_dtype_of_the_result(given, dtype, rng):
    x = sample(rng, (60,), given, 0, 9)
    with np.errstate(all="ignore"):
        want = np.cumsum(x.astype(dtype), dtype="float64" if dtype[0] == "f" else "int64")
    got = pt.cumulative_sum(pt.asarray(x), dtype=dtype)
    assert_values(got, want.astype(dtype), rtol=0.0 if dtype[0] != "f" else HALF)


def test_halves_accumulate_in_float32():
    x = np.full(5000, 1.0, "float16")
    want = np.arange(1, 5001, dtype="float32").astype("float16")
    assert_values(pt.cumulative_sum(pt.asarray(x)), want)


@pytest.mark.parametrize("axis", [0, 1])
def test_nan_and_infinity(axis):
    x = np.ones((120, 120), "float32")
    x[40, 3], x[50, 3], x[60, 60], x[7, 100], x[7, 110] = np.inf, -np.inf, np.nan, np.inf, np.inf
    with np.errstate(invalid="ignore"):
        sums, products = np.cumsum(x, axis=axis), np.cumprod(x, axis=axis)
    assert_values(pt.cumulative_sum(pt.asarray(x), axis=axis), sums)
    assert_values(pt.cumulative_prod(pt.asarray(x), axis=axis), products)


@pytest.mark.parametrize("include_initial", [False, True])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (0, 0)], ids=str)
def test_no_elements(shape, include_initial):
    x = np.zeros(shape, "float32")
    for axis in range(len(shape)):
        for function in (np.cumsum, np.cumprod):
            name = "cumulative_sum" if function is np.cumsum else "cumulative_prod"
            got = getattr(pt, name)(pt.asarray(x), axis=axis, include_initial=include_initial)
            assert_values(got, expected(x, axis, include_initial, function))


def test_fusion_around_empty_tensors():
    none = pt.asarray(np.zeros((0, 4), "float32"))
    assert_values(pt.cumulative_sum(none, axis=0).sum(axis=0), np.zeros(4, "float32"))
    joined = pt.concat([pt.cumulative_sum(none, axis=1), pt.ones((2, 4))])
    assert_values(joined, np.ones((2, 4), "float32"))
    for summed in (none.sum(axis=1), pt.cumulative_sum(none, axis=1)[:, 0]):
        got = pt.cumulative_sum(summed * 2.0, include_initial=True)
        assert_values(got, np.zeros(1, "float32"))


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::2],
        lambda x: x[::-1, ::-1],
        lambda x: x.T,
        lambda x: x[:, 4:],
        lambda x: x[3:, 1:],
        lambda x: x.reshape((25, 4, 40)),
    ],
    ids=["strided", "reversed", "transposed", "columns", "odd part", "reshaped"],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_views(view, axis, rng):
    x = whole(rng, (50, 80))
    assert_values(pt.cumulative_sum(view(pt.asarray(x)), axis=axis), expected(view(x), axis))
    assert_values(view(pt.cumulative_sum(pt.asarray(x), axis=axis)), view(expected(x, axis)))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("n", [20, 400])
def test_fusion_before_and_after(axis, n, rng):
    x, y = whole(rng, (n, n)), whole(rng, (n, n))
    a, b = pt.asarray(x), pt.asarray(y)
    got = pt.relu(pt.cumulative_sum(a * b - 1.0, axis=axis) * 2.0 + b)
    assert_values(got, np.maximum(expected(x * y - 1, axis) * 2 + y, 0))
    got = pt.cumulative_sum(pt.cumulative_sum(a, axis=axis), axis=1 - axis)
    assert_values(got, expected(expected(x, axis), 1 - axis))
    got = pt.cumulative_sum(a.sum(axis=axis))
    assert_values(got, expected(x.sum(axis=axis), 0))
    got = pt.cumulative_sum(a, axis=axis).max(axis=axis)
    assert_values(got, expected(x, axis).max(axis=axis))
    got = pt.cumulative_sum(a @ b, axis=axis)
    assert_values(got, expected(x @ y, axis))
    both = pt.cumulative_sum(a, axis=axis)
    total = both + pt.flip(both)
    assert_values(total, expected(x, axis) + np.flip(expected(x, axis)))
    assert_values(both, expected(x, axis))


def test_lists_and_methods():
    assert_values(pt.cumulative_sum([1, 2, 3]), np.int32([1, 3, 6]))
    assert_values(pt.asarray([2, 3, 4]).cumulative_prod(), np.int32([2, 6, 24]))


# --- kernels ---


@pytest.mark.parametrize(
    ("shape", "axis", "most"),
    [
        ((1024, 1024), 0, 3),
        ((1024, 1024), 1, 3),
        ((64, 32), 1, 2),
        ((8, 64), 0, 2),
        ((1000,), 0, 3),
        ((1 << 20,), 0, 6),
    ],
    ids=str,
)
def test_number_of_kernels(shape, axis, most):
    names = kernels(pt.sqrt(pt.cumulative_sum(leaf(*shape) * 2.0, axis=axis)))
    assert len(names) <= most
    assert names[-1].startswith("map ")
    assert {name.split()[0] for name in names[:-1]} <= {"scan", "map"}


@pytest.mark.parametrize(("shape", "axis"), [((64, 1024), 1), ((1024, 64), 0), ((999_999,), 0)])
def test_access_modes_of_operands(shape, axis):
    first, *_, last = plan_of(pt.cumulative_sum(leaf(*shape), axis=axis)).draws
    assert first.shader.modes == ("aligned",)
    assert set(last.shader.modes) <= {"aligned", "splat"}


def test_expensive_operands_are_not_recomputed():
    x = leaf(64, 96)
    names = kernels(pt.cumulative_sum(pt.erfinv(pt.sin(x)), axis=1))
    assert names == ["map erfinv", "scan cumulative_sum", "map cumulative_sum"]
    names = kernels(pt.cumulative_sum(pt.erfinv(pt.sin(leaf(64, 32))), axis=1))
    assert names == ["scan cumulative_sum", "map cumulative_sum"]


def test_loops_of_fragments_are_short():
    for shape, axis in [((1 << 20,), 0), ((4096, 4), 0), ((1 << 18, 4), 0), ((4, 1 << 18), 1)]:
        plan = plan_of(pt.cumulative_sum(leaf(*shape), axis=axis))
        for draw in plan.draws:
            if draw.kernel.kind == "scan":
                call = plan.lowered.calls[draw.kernel.root]
                length = call.arg.chunk if call.arg.alone else call.spec.shape[call.arg.axis]
                assert length <= 128 * (4 if call.arg.axis == 2 else 1) + call.arg.chunk


def test_fewer_draw_buffers(rng):
    device = TextureTarget(DEVICE.largest, 4, DEVICE.limits)
    plan = plan_of(pt.cumulative_sum(leaf(100, 100), axis=1), device=device)
    for draw in plan.draws:
        assert "location = 3" in draw.shader.source or draw.kernel.kind != "scan"
        assert "location = 4" not in draw.shader.source


def test_explain_shows_the_scan(backend_name):
    tensor = pt.cumulative_sum(pt.ones((4, 8)) * 2.0, axis=1)
    assert "cumulative_sum(" in pt.explain(tensor)
    # In textures a second kernel orders the results.
    second = [] if backend_name in ("wasm", "webgpu") else ["map cumulative_sum"]
    assert ops_in(tensor) == ["scan cumulative_sum", *second]


# --- errors ---


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_errors(name):
    function = getattr(pt, name)
    for call, text in [
        (lambda: function(pt.ones((2, 3))), "axis is required; got shape (2, 3); pass axis"),
        (
            lambda: function(pt.ones(())),
            "axis is required; got shape (); reshape it to one axis",
        ),
        (
            lambda: function(pt.ones((2, 3)), axis=2),
            "axis out of range; got axis 2 for 2 axes; use -2 to 1",
        ),
    ]:
        assert_raises(pt.errors.ShapeError, f"{name}: {text}", call)
    assert_raises(
        pt.errors.DTypeError,
        f"{name}: unknown dtype; got 'float8'; use one of float32, float16, int32, uint32, int16, "
        "uint16, int8, uint8, bool, complex64",
        lambda: function(pt.ones(3), dtype="float8"),
    )
