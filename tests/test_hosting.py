"""Tiny values that are read are computed on the host: right ones, and only those."""

from __future__ import annotations

import numpy as np
import programs
import pytest
import reference
from helpers import assert_bits, assert_raises, assert_spec, assert_values, finished
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import ELEMENTWISE, REDUCTIONS, each_dtype

import py_tensor as pt
from py_tensor import errors, hosting, runtime
from py_tensor.dtypes import DTYPES
from py_tensor.ops import ROWS

HOSTED = [row for row in ELEMENTWISE if row.host and row.name != "where"]
NOT_HOSTED = {"nextafter", "erfinv"}
"""Public elementwise rows that plain Python has no function for."""
NOT_NEGATIVE = {"pow", "bitwise_left_shift", "bitwise_right_shift"}
"""Rows whose second integer operand must not be negative in NumPy."""
LIMIT = 16
NUMBERS = [dtype.name for dtype in DTYPES if dtype.kind != "b"]


@pytest.fixture(autouse=True)
def hosting_on(engine, nothing_left, monkeypatch):
    """Values are short-circuited; NumPy is taken for a backend that is as far away as a GPU."""
    monkeypatch.setattr(runtime.runtime, "host_elements", LIMIT)
    monkeypatch.setattr(engine, "on_host", False)


@pytest.fixture
def draws(engine):
    """A function that says how many draws and plans there were since the last call."""

    def counted():
        nonlocal before
        info = pt.cache_info()
        now = (engine.statistics()["draws"], info.plan_hits + info.plan_misses)
        since, before = (now[0] - before[0], now[1] - before[1]), now
        return since

    before = (0, 0)
    counted()
    return counted


def special(dtype):
    """Values where operations are peculiar, the limits of the dtype among them."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "f":
        info = np.finfo(dtype.name)
        some = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, -7.0, 100.0, np.inf, np.nan]
        return np.array([*some, -np.inf, info.max, info.min, info.tiny], dtype.name)
    info = np.iinfo(dtype.name)
    some = {info.min, info.min + 1, -7, -2, -1, 0, 1, 2, 3, 7, 31, 33, info.max - 1, info.max}
    return np.array([v for v in some if info.min <= v <= info.max], dtype.name)


def assert_rounded_once(got, expected, what):
    """The values of an operation computed in double precision and rounded, signs of zero too."""
    if expected.dtype.kind != "f":
        assert_bits(got, expected, what=what)
        return
    info = np.finfo(expected.dtype)
    tiny = float(info.smallest_subnormal)
    finite = np.where(np.isfinite(expected), expected, np.nan)
    values = got.numpy()
    assert_values(got, expected, rtol=float(info.eps), atol=tiny, what=what)
    signed = ~np.isnan(finite)
    assert (np.signbit(values)[signed] == np.signbit(expected)[signed]).all(), what


@each_dtype(HOSTED)
def test_every_row_that_can(row, dtype, draws):
    grid = np.meshgrid(*[special(dtype)] * row.arity, indexing="ij")
    operands = [np.ascontiguousarray(x).ravel() for x in grid]
    if row.name in NOT_NEGATIVE and dtype.kind == "i":
        operands[1] = np.maximum(operands[1], 0)
    for start in range(0, operands[0].size, LIMIT):
        given = [x[start : start + LIMIT] for x in operands]
        got = getattr(pt, row.name)(*map(pt.asarray, given))
        assert_rounded_once(got, reference.result(row.name, *given), f"{row.name} of {given}")
    assert draws() == (0, 0)


def test_the_rows_that_cannot_are_known():
    assert {row.name for row in ELEMENTWISE if not row.host} == NOT_HOSTED
    assert all(row.host for row in REDUCTIONS)


@pytest.mark.parametrize("name", sorted(NOT_HOSTED))
def test_rows_without_a_function_are_drawn(name, draws):
    x = np.float32([0.5, 0.25])
    got = getattr(pt, name)(*[pt.asarray(x)] * ROWS[name].arity)
    assert_values(got, reference.result(name, *[x] * ROWS[name].arity), rtol=4e-6)
    assert draws() == (1, 1)


@pytest.mark.parametrize("dtype", [dtype.name for dtype in DTYPES])
def test_where_and_clip(dtype, draws):
    x = special(pt.zeros(0, dtype=dtype).dtype)[:LIMIT]
    mask = np.arange(x.size) % 3 == 0
    assert_bits(
        pt.where(pt.asarray(mask), pt.asarray(x), pt.asarray(x[::-1])), np.where(mask, x, x[::-1])
    )
    if dtype != "bool":
        assert_bits(pt.clip(pt.asarray(x), 1, 3), np.clip(x, 1, 3))
    assert draws() == (0, 0)


@pytest.mark.parametrize("target", [dtype.name for dtype in DTYPES])
@pytest.mark.parametrize("source", [dtype.name for dtype in DTYPES])
def test_casts(source, target, draws):
    x = special(pt.zeros(0, dtype=source).dtype)
    if source[0] == "f" and target[0] in "iu":
        x = np.array([0.0, -0.0, 1.9, 0.5, 100.5, 127.0], source)  # others are not defined
    for start in range(0, x.size, LIMIT):
        part = x[start : start + LIMIT]
        with np.errstate(all="ignore"):
            want = part.astype(target)
        assert_bits(pt.asarray(part).astype(target), want, what=str(part))
    assert draws() == (0, 0)


@pytest.mark.parametrize("b", NUMBERS)
@pytest.mark.parametrize("a", NUMBERS)
def test_promotion(a, b, draws):
    x, y = np.array([1, 2, 100], a), np.array([3, 2, 90], b)
    if np.promote_types(a, b).name == "int64":
        return
    dtype = (pt.zeros(1, dtype=a) + pt.zeros(1, dtype=b)).dtype.name
    want = x.astype(dtype) * y.astype(dtype)
    assert_bits(pt.asarray(x) * pt.asarray(y), want)
    assert_bits(pt.asarray(x) * 3, x * np.asarray(3, a))
    assert draws() == (0, 0)


def test_scalars_are_rounded_like_elements(draws):
    x = np.float32([1, 3])
    assert_bits(pt.asarray(x) * 0.1, x * np.float32(0.1))
    assert_values(pt.asarray([0.1]) == 0.1, np.bool_([True]))
    assert_bits(pt.asarray(x) * 1e39, np.float32([np.inf, np.inf]))
    assert_bits(pt.asarray(np.float16(x)) * 1e5, np.float16([np.inf, np.inf]))
    assert_bits(pt.asarray([2**31 - 1]) + 1, np.int32([-(2**31)]))
    assert draws() == (0, 0)


VIEWS = {
    "reshape": (lambda x: x.reshape((6, 2)), lambda x: x.reshape(6, 2)),
    "permute": (lambda x: pt.permute_dims(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
    "slice": (lambda x: x[1, ::-1, 1:], lambda x: x[1, ::-1, 1:]),
    "one": (lambda x: x[-1, 0, 1], lambda x: x[-1, 0, 1]),
    "flip": (pt.flip, np.flip),
    "broadcast": (lambda x: x[0, :2] + x[0, 2, :1], lambda x: x[0, :2] + x[0, 2, :1]),
    "broadcast_to": (
        lambda x: pt.broadcast_to(x[:, :1, :1], (2, 2, 4)),
        lambda x: np.broadcast_to(x[:, :1, :1], (2, 2, 4)),
    ),
    "pad": (
        lambda x: pt.pad(x[0], ((1, 0), (1, 1)), constant_values=7),
        lambda x: np.pad(x[0], ((1, 0), (1, 1)), constant_values=7),
    ),
    "concat": (
        lambda x: pt.concat([x[:, 0], x[:, 1, 1:], x[:, 2]], axis=1),
        lambda x: np.concatenate([x[:, 0], x[:, 1, 1:], x[:, 2]], axis=1),
    ),
    "stack": (lambda x: pt.stack([x[0], x[1]], axis=1), lambda x: np.stack([x[0], x[1]], axis=1)),
    "arange": (
        lambda x: pt.arange(5) + x[0, 0, 0],
        lambda x: np.arange(5, dtype="int32") + x[0, 0, 0],
    ),
    "diagonal of a window": (
        lambda x: x.reshape((4, 3))[:2, :2].reshape((4,))[::3],
        lambda x: x.reshape(4, 3)[:2, :2].reshape(4)[::3],
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views(name, draws):
    tensors, arrays = VIEWS[name]
    x = np.arange(12, dtype="int32").reshape(2, 3, 2) - 5
    assert_values(tensors(pt.asarray(x)), arrays(x))
    assert draws() == (0, 0)


def test_assignment(draws):
    x, t = np.zeros((3, 4), "float32"), pt.zeros((3, 4))
    x[1:, ::2] = [1, 2]
    t[1:, ::2] = pt.asarray([1.0, 2.0])
    assert_values(t, x)
    assert draws() == (0, 0)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)], ids=str)
@each_dtype(REDUCTIONS)
def test_reductions(row, dtype, axis, rng, draws):
    if row.index and axis == (0, 2):
        axis = 2
    first, last = (np.resize(some, (2, 3, 2)) for some in (special(dtype), special(dtype)[::-1]))
    few = first if dtype.kind != "f" else rng.integers(-3, 4, first.shape).astype(dtype.name)
    for x in (first, last, few):
        got = getattr(pt, row.name)(pt.asarray(x), axis=axis)
        wide = x if row.result != "sum" else x.astype(got.dtype.name)
        with np.errstate(all="ignore"):
            want = getattr(np, row.name)(wide, axis=axis).astype(got.dtype.name)
        assert_values(got, want, rtol=1e-3 if dtype.itemsize == 2 else 2e-6)
    assert draws() == (0, 0)


def test_halves_add_up_in_single_precision(draws):
    x = np.float16([2048, 1, 1, 1, 1, -2048])
    assert pt.asarray(x).sum().item() == 4.0
    assert pt.asarray(np.float16([60000, 60000, -60000])).sum().item() == 60000.0
    assert pt.asarray(np.float32([3e38, 3e38, -3e38])).sum().item() == np.inf
    assert draws() == (0, 0)


@pytest.mark.parametrize(
    "read",
    [
        lambda t: t.tolist(),
        lambda t: memoryview(t).tolist(),
        lambda t: finished(t.data()).tolist(),
        lambda t: t.numpy().tolist(),
    ],
    ids=["tolist", "memoryview", "data", "numpy"],
)
def test_every_way_to_read(read, draws):
    t = (pt.asarray([1.0, 2.0]) * 2 + 1).sum()
    assert read(t) == 8.0
    assert bool(pt.asarray(1) < 2) and int(pt.asarray(1) + 1) == 2 and repr(pt.asarray(2) * 2)
    assert draws() == (0, 0)


def test_the_largest_and_the_smallest_that_do_not_fit(draws):
    assert_values(pt.asarray(np.ones(16, "float32")) + 1, np.full(16, 2, "float32"))
    assert draws() == (0, 0)
    assert_values(pt.asarray(np.ones(17, "float32")) + 1, np.full(17, 2, "float32"))
    assert draws() == (1, 1)
    assert pt.asarray(np.ones(17, "float32")).sum().item() == 17
    assert draws() == (1, 1)


@pytest.mark.parametrize(("steps", "drawn"), [(15, 0), (16, 1)])
def test_more_nodes_than_the_limit_are_drawn(steps, drawn, draws):
    x = pt.asarray([1.0])
    x = x + 1.0  # one leaf, and a scalar and an operation each: 2 * 15 + 1 nodes
    for _ in range(steps - 1):
        x = x + 1.0
    x = x if steps == 16 else -x
    assert x.item() == (17 if steps == 16 else -16)
    assert draws() == (drawn, drawn)
    assert hosting.NODES == 32


def test_nothing_is_hosted_when_switched_off(draws, monkeypatch):
    monkeypatch.setattr(runtime.runtime, "host_elements", 0)
    assert (pt.asarray([1.0]) + 1).item() == 2
    assert draws() == (1, 1)


def test_a_backend_on_the_host_computes_itself(draws, engine, monkeypatch):
    monkeypatch.setattr(engine, "on_host", True)
    assert (pt.asarray([1.0]) + 1).item() == 2
    assert draws() == (1, 1)


def test_what_was_uploaded_stays_on_the_device(draws, engine):
    x = pt.asarray([1.0, 2.0])
    pt.realize(x * 2)
    assert draws() == (1, 1)
    assert (x * 3).tolist() == [3, 6]
    # NumPy's buffers are never anywhere else.
    drawn = int(engine.name == "webgl")
    assert draws() == (drawn, drawn)


def test_the_result_is_used_on_the_device(draws, state):
    x = pt.asarray([1.0, 2.0]) + 1
    before = state()
    assert x.tolist() == [2, 3]
    assert state()["bytes in textures"] == before["bytes in textures"]
    assert_values(pt.broadcast_to(x, (64, 2)).sum(), np.float32(320))
    assert draws() == (1, 1)
    assert x.tolist() == [2, 3]


def test_what_others_hold_is_computed_once(draws, monkeypatch):
    x = pt.asarray([1.0, 2.0])
    y = x * 2
    z = y + 1
    assert z.tolist() == [3, 5]
    calls = []
    monkeypatch.setattr(hosting, "compute", lambda *given: calls.append(given))
    assert y.tolist() == [2, 4] and z.tolist() == [3, 5]
    assert not calls
    assert draws() == (0, 0)


def test_debug_mode(draws):
    with pt.enable_debug_mode():
        x = pt.asarray([1.0, 2.0]) * 2
        assert x.tolist() == [2, 4]
        with pytest.raises(errors.NumericError, match=r"^divide: result is not finite; got inf"):
            x / 0.0
    assert draws() == (0, 0)


def test_errors_are_the_same():
    x = pt.asarray([1.0, 2.0]) + 1
    text = "item: tensor has not exactly one element; got shape (2,); index it first"
    assert_raises(errors.ShapeError, text, x.item)
    x.dispose()
    with pytest.raises(errors.DisposedError, match=r"^tolist: tensor was disposed"):
        x.tolist()


def test_traced_values_are_unknown():
    seen = []

    @pt.jit
    def function(x):
        try:
            (x + 1).item()
        except errors.TensorError as error:
            seen.append(str(error))
        return x * 2

    assert function(pt.asarray([1.0])).tolist() == [2]
    assert len(seen) == 1
    assert seen[0].startswith("jit: the value of a traced tensor is not known; got item of")


def test_random_programs(request, monkeypatch):
    shapes = [(), (1,), (4,), (5,), (3, 4), (2, 1), (2, 2, 3)]
    monkeypatch.setattr(programs.program, "SHAPES", shapes)
    results = []
    compute = hosting.compute
    monkeypatch.setattr(hosting, "compute", lambda *a: results.append(compute(*a)) or results[-1])

    @settings(
        max_examples=request.config.getoption("examples"),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs.programs(), st.randoms(use_true_random=False))
    def run(program, random):
        pairs = list(program.values)
        random.shuffle(pairs)
        for tensor, array in pairs:
            assert_spec(tensor, array.shape, array.dtype.name)
            got, want = tensor.numpy(), array
            if array.dtype.kind != "f":
                np.testing.assert_array_equal(got, want, "\n".join(program.steps))
                continue
            size = max(1.0, np.abs(want).max(initial=0.0))
            np.testing.assert_allclose(
                got.astype("float64"), want, rtol=1e-4, atol=1e-4 * size, err_msg=str(program.steps)
            )

    run()
    assert sum(results) > len(results) / 3 > 0


def test_a_wrong_sign_or_rounding_is_found():
    x = np.float32([1.5, -0.0])
    assert_rounded_once(pt.asarray(x), x, "")
    for wrong in (np.float32([1.5, 0.0]), np.float32([1.5000004, -0.0])):
        with pytest.raises(AssertionError):
            assert_rounded_once(pt.asarray(x), wrong, "")
