"""Host evaluation: tiny values that are read are computed on the host, correctly."""

from __future__ import annotations

import numpy as np
import programs
import pytest
import reference
from helpers import assert_bits, assert_raises, assert_spec, assert_values, finished
from hypothesis import given, strategies as st
from op_defs import ELEMENTWISE, REDUCTIONS, each_dtype

import py_tensor as pt
from py_tensor import errors
from py_tensor.dtypes import DTYPES
from py_tensor.runtime import host_eval

HOSTED = [op for op in ELEMENTWISE if op.name != "where"]
NOT_NEGATIVE = {"pow", "bitwise_left_shift", "bitwise_right_shift"}
"""Ops whose second integer operand must not be negative in NumPy."""
LIMIT = 16
NUMBERS = [dtype.name for dtype in DTYPES if dtype.kind != "b"]


@pytest.fixture(autouse=True)
def hosting_on(engine, nothing_left, monkeypatch):
    """Turn host evaluation on; NumPy is treated as a backend that compiles."""
    monkeypatch.setattr(pt.env, "host_elements", LIMIT)
    monkeypatch.setattr(engine, "compiles", True)


@pytest.fixture
def draws(engine):
    """Return a function that counts draws and plans since the last call."""

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
    """Values at which operations are special, including the limits of the dtype."""
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
    """Compare with double precision rounded once, including the signs of zeros."""
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
def test_every_supported_op(op, dtype, draws):
    grid = np.meshgrid(*[special(dtype)] * op.arity, indexing="ij")
    operands = [np.ascontiguousarray(x).ravel() for x in grid]
    if op.name in NOT_NEGATIVE and dtype.kind == "i":
        operands[1] = np.maximum(operands[1], 0)
    for start in range(0, operands[0].size, LIMIT):
        given = [x[start : start + LIMIT] for x in operands]
        got = getattr(pt, op.name)(*map(pt.asarray, given))
        assert_rounded_once(got, reference.result(op.name, *given), f"{op.name} of {given}")
    assert draws() == (0, 0)


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (pt.linalg.inv, [[0.5, 0.0], [0.0, 0.25]]),
        (lambda x: pt.real(pt.complex(x, x) * 1j), [[-2.0, 0.0], [0.0, -4.0]]),
    ],
    ids=["decomposition", "complex"],
)
def test_other_kinds_are_drawn(function, want, draws):
    assert function(pt.asarray([[2.0, 0.0], [0.0, 4.0]])).tolist() == want
    assert draws()[1] == 1


KINDS = {
    "contraction": lambda x: x @ x,
    "convolution": lambda x: pt.conv2d(x.reshape((1, 2, 2, 1)), x.reshape((2, 2, 1, 1))),
    "gather": lambda x: pt.take(x, pt.asarray([1, 0, -1]), axis=1),
    "gather along an axis": lambda x: pt.take_along_axis(x, pt.argsort(x, axis=0), axis=0),
    "scatter": lambda x: pt.segment_sum(x, pt.asarray([1, 1]), 3),
    "scan": lambda x: pt.cumulative_sum(x, axis=1, include_initial=True),
    "sort": lambda x: pt.sort(x, axis=1, descending=True),
    "random": lambda x: pt.random.uniform((2, 2), key=pt.random.key(3)) + x,
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds_beyond_elements(name, draws, monkeypatch):
    x = pt.asarray([[1.0, -2.0], [3.5, 4.0]])
    got = KINDS[name](x).numpy()
    assert draws() == (0, 0)
    monkeypatch.setattr(pt.env, "host_elements", 0)
    assert_values(KINDS[name](x), got, rtol=1e-6)
    assert draws()[1] == 1


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
        x = np.array([0.0, -0.0, 1.9, 0.5, 100.5, 127.0], source)  # others are undefined
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
def test_reductions(op, dtype, axis, rng, draws):
    if op.index and axis == (0, 2):
        axis = 2
    first, last = (np.resize(some, (2, 3, 2)) for some in (special(dtype), special(dtype)[::-1]))
    few = first if dtype.kind != "f" else rng.integers(-3, 4, first.shape).astype(dtype.name)
    for x in (first, last, few):
        got = getattr(pt, op.name)(pt.asarray(x), axis=axis)
        wide = x if op.result != "sum" else x.astype(got.dtype.name)
        with np.errstate(all="ignore"):
            want = getattr(np, op.name)(wide, axis=axis).astype(got.dtype.name)
        assert_values(got, want, rtol=1e-3 if dtype.itemsize == 2 else 2e-6)
    assert draws() == (0, 0)


def test_halves_accumulate_in_float32(draws):
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


def test_extreme_values_out_of_range(draws):
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
    assert host_eval.NODES == 32


def test_host_evaluation_can_be_switched_off(draws, monkeypatch):
    monkeypatch.setattr(pt.env, "host_elements", 0)
    assert (pt.asarray([1.0]) + 1).item() == 2
    assert draws() == (1, 1)


def test_a_backend_on_the_host_computes_everything(draws, engine, monkeypatch):
    monkeypatch.setattr(engine, "compiles", False)
    assert (pt.asarray([1.0]) + 1).item() == 2
    assert draws() == (1, 1)


def test_uploaded_values_stay_on_the_device(draws, engine):
    x = pt.asarray([1.0, 2.0])
    pt.realize(x * 2)
    assert draws() == (1, 1)
    assert (x * 3).tolist() == [3, 6]
    # Buffers of NumPy and plain Python are always on the host.
    drawn = int(engine.name in ("webgl", "webgpu", "wasm", "jax"))
    assert draws() == (drawn, drawn)


def test_results_can_be_used_on_the_device(draws, state):
    x = pt.asarray([1.0, 2.0]) + 1
    before = state()
    assert x.tolist() == [2, 3]
    assert state()["bytes in textures"] == before["bytes in textures"]
    assert_values(pt.broadcast_to(x, (64, 2)).sum(), np.float32(320))
    assert draws() == (1, 1)
    assert x.tolist() == [2, 3]


def test_values_shared_with_others_are_computed_once(draws, monkeypatch):
    x = pt.asarray([1.0, 2.0])
    y = x * 2
    z = y + 1
    assert z.tolist() == [3, 5]
    calls = []
    monkeypatch.setattr(host_eval, "compute", lambda *given: calls.append(given))
    assert y.tolist() == [2, 4] and z.tolist() == [3, 5]
    assert not calls
    assert draws() == (0, 0)


def test_debug_mode(draws):
    with pt.enable_debug_mode(infinities=True):
        x = pt.asarray([1.0, 2.0]) * 2
        assert x.tolist() == [2, 4]
        with pytest.raises(errors.NumericError, match=r"^divide: result is not finite; got inf"):
            x / 0.0
    assert draws() == (0, 0)


def test_errors_are_the_same():
    x = pt.asarray([1.0, 2.0]) + 1
    text = (
        "item: only a tensor with exactly one element can be converted; got shape (2,); use "
        ".any(), .all() or an index"
    )
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
    assert seen[0].startswith("jit: the value of a traced tensor is unknown; got item of")


def test_random_programs(request, monkeypatch):
    shapes = [(), (1,), (4,), (5,), (3, 4), (2, 1), (2, 2, 3)]
    monkeypatch.setattr(programs.program, "SHAPES", shapes)
    results = []
    compute = host_eval.compute
    monkeypatch.setattr(host_eval, "compute", lambda *a: results.append(compute(*a)) or results[-1])

    @programs.program.repeatable(request.config.getoption("examples"))
    @given(programs.programs(), st.randoms(use_true_random=False))
    def run(program, random):
        pairs = list(program.values)
        random.shuffle(pairs)
        for tensor, array in pairs:
            assert_spec(tensor, array.shape, array.dtype.name)
            got, want = tensor.numpy(), array
            if array.dtype.kind not in "fc":
                np.testing.assert_array_equal(got, want, "\n".join(program.steps))
                continue
            size = max(1.0, np.abs(want).max(initial=0.0))
            np.testing.assert_allclose(
                got.astype("complex128"),
                want,
                rtol=1e-4,
                atol=1e-4 * size,
                err_msg=str(program.steps),
            )

    run()
    assert sum(results) > len(results) / 3 > 0


def test_a_wrong_sign_or_rounding_is_found():
    x = np.float32([1.5, -0.0])
    assert_rounded_once(pt.asarray(x), x, "")
    for wrong in (np.float32([1.5, 0.0]), np.float32([1.5000004, -0.0])):
        with pytest.raises(AssertionError):
            assert_rounded_once(pt.asarray(x), wrong, "")
